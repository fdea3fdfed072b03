/* `convoy verify sim`: is the simulator's clock right where the answer is known? */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "study/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	int64_t seed;
	bool json;
};

static const struct opt opts[] = {
	OPT_NUMBER(struct conf, seed, "1",
		   "first of the seeds; the cases with chance take this one and the 19 after it",
		   "N", 0, 1e15),
	OPT_FLAG(struct conf, json, "an array of cases on stdout"),
	{ 0 }
};

static const char about[] =
	"Simulates runs whose mean has a closed form, and prints both: queues at the server,\n"
	"order statistics of barriers, a full NIC, ring all-reduce, a worker that is slow at\n"
	"times, failures and checkpoints. If chance plays a part the simulated mean is that of\n"
	"20 independent seeds, and a case holds when the exact one lies in its 99 % confidence\n"
	"interval: of a hundred such cases one is expected to fail. The others hold when they\n"
	"agree to 9 digits. Exits with 1 when one fails. The same seed gives the same verdict.\n"
	"\n"
	"Examples:\n"
	"  convoy verify sim\n"
	"  convoy verify sim --seed 100 --json | jq '.[] | select(.holds | not)'";

static cJSON *verified_json(const struct verified *v)
{
	return OBJECT(j_text("name", v->of->name), j_text("law", v->of->law),
		      j_text("settings", v->of->settings), j_number("simulated", v->mean),
		      j_number("exact", v->of->exact), j_bool("random", v->of->random),
		      j_number("low", v->mean - v->half), j_number("high", v->mean + v->half),
		      j_bool("holds", v->holds));
}

/* Runs all; prints each as it comes, or collects it in a list. */
static int verify(const struct args *a)
{
	const struct conf *conf = a->conf;
	struct verify_cases cases;
	cJSON *list;
	int failed = 0, ret = 0;

	if (a->nwords != 1 || strcmp(a->words[0], "sim") != 0)
		return args_usage(a, "expected 'sim', the only thing to verify");
	cases = verify_cases();
	list = conf->json ? cJSON_CreateArray() : NULL;
	if (!list)
		printf("%-6s %-26s %12s %-11s %12s  %s\n", "", "case", "simulated", "99 %",
		       "exact", "what is compared, seconds");
	for (size_t i = 0; i < cases.n && ret == 0; i++) {
		struct verified v;
		char interval[32] = "", limit[32] = "";

		ret = verify_run(&cases.v[i], (uint64_t)conf->seed, &v);
		if (ret < 0)
			break;
		failed += !v.holds;
		if (list) {
			list_add(list, verified_json(&v));
			continue;
		}
		if (v.of->random)
			snprintf(interval, sizeof(interval), "+- %.2g", v.half);
		if (v.of->limit > 0.0)
			snprintf(limit, sizeof(limit), " (limit %g)", v.of->limit);
		printf("%-6s %-26s %12.7g %-11s %12.7g  %s%s\n", v.holds ? "holds" : "FAILS",
		       v.of->name, v.mean, interval, v.of->exact, v.of->law, limit);
	}
	if (list && ret == 0)
		output_json(list, stdout);
	else if (ret == 0)
		printf("\n%s\n", failed ? "The clock is wrong where a case FAILS."
					: "Every case holds.");
	cJSON_Delete(list);
	free(cases.v);
	return ret < 0 || failed ? EXIT_BAD : EXIT_OK;
}

const struct syntax cmd_verify = {
	.opts = opts, .conf_size = sizeof(struct conf),
	.usage = "verify sim [--seed N] [--json]",
	.about = about, .run = verify,
};
