/* Every algorithm ends from any budget, however few gradients that is, in virtual time. */
#include "algos/algos.h"
#include "tests/support/brief.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <string.h>

enum { WORKERS = 4 };

static const int64_t budgets[] = { 1, 2, 3, 5, 8 };

/* A run of that many gradients ends by them, with a model. */
static void ends(const char *algo, const char *optim, int64_t gradients)
{
	struct toy t;

	toy_open(&t, algo, WORKERS, optim);
	toy_delay(&t, "gamma:cv=0.5"); /* so that workers meet in other orders than their ranks' */
	t.run.lr.base = 0.01;
	t.run.epochs = 0.0;
	t.run.gradients = gradients;
	toy_run(&t);
	if (t.result.end != END_GRADIENTS || t.result.gradients < gradients || t.result.model == 0)
		fail_msg("%s with a budget of %d gradients: end %d after %d", algo, (int)gradients,
			 (int)t.result.end, (int)t.result.gradients);
	toy_close(&t);
}

static void ends_from_all(const char *algo, const char *optim)
{
	for (size_t k = 0; k < sizeof(budgets) / sizeof(budgets[0]); k++)
		ends(algo, optim, budgets[k]);
}

static void every_algorithm_ends(void **state)
{
	for (const struct plugin *const *p = algo_table; *p; p++) {
		const char *name = (*p)->name, *brief = brief_algo(name);

		ends_from_all(name, brief_optim(name, "sgd"));
		if (strcmp(brief, name) != 0)
			ends_from_all(brief, brief_optim(name, "sgd"));
	}
}

static void other_forms_end(void **state)
{
	static const char *const forms[] = {
		"slowmo:period=4", "diloco:period=4", "diloco:period=4,drop=0.5",
		"streaming-diloco:period=6", "eager-diloco:period=4", "noloco:period=4",
		"post-local-sgd:start=5", "async-local-sgd:period=5", "fedbuff:period=3,buffer=3",
		"mla:period=3,form=printed", "heloco:period=3",
		"sparseloco:period=4,chunk=4,top=2", "palsgd:period=4",
		"decoupled-diloco:period=4,fragments=2,quorum=0,delay=0",
		"decoupled-diloco:period=3,fragments=3,grace=0", "ad-psgd:exchange=duplex",
	};
	static const char adam[] = "adam:weight_decay=0.01,decoupled=true";

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		ends_from_all(forms[i], "sgd");
	ends_from_all("local-adam", adam);
	ends_from_all("des-loc:period=2,moment=3,square=4", adam);
	ends_from_all("gap-aware:steps=true,debias=false", adam);
	ends_from_all("dana:form=predict,compensate=gap", adam);
}

RUN_ALL(every_algorithm_ends, other_forms_end)
