#include "cmd/finished.h"

#include "cmd/common.h"
#include "core/error.h"

static int open_and_show(const struct args *a, int (*show)(const struct plan *,
							   const struct outcome *, const void *))
{
	const struct finished *f = a->conf;
	struct plan_request request = {
		.experiment = a->words[0], .scale = f->scale, .set = a->set, .only = f->only,
		.out = results_folder(f->out),
	};
	struct plan plan;
	struct outcome outcome = { 0 };
	int code = EXIT_BAD;

	if (plan_make(&plan, &request) == 0) {
		bool some = plan_count(&plan, RUN_FINISHED) > 0;

		if (some)
			outcome_missing(&plan);
		else
			error("%s: no finished run in %s; 'convoy run' with the same settings "
			      "makes them", plan.spec.name, plan.dir);
		if (some && outcome_read(&outcome, &plan) == 0)
			code = show(&plan, &outcome, a->conf);
	}
	outcome_release(&outcome);
	plan_release(&plan);
	return code;
}

int finished_main(struct args *a, int argc, char **argv,
		  int (*show)(const struct plan *, const struct outcome *, const void *))
{
	int code;

	if (args_parse(a, argc, argv, &code)) {
		const struct finished *f = a->conf;

		if (f->only && !args_are_settings(a, "--only", f->only))
			code = EXIT_USAGE;
		else if (a->nwords == 1)
			code = open_and_show(a, show);
		else
			code = args_usage(a, a->nwords ? "one experiment at a time"
						       : "which experiment?");
	}
	args_release(a);
	return code;
}
