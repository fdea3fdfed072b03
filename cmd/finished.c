/* Options and common steps of table, plot and claims: finds finished runs and shows them. */
#include "cmd/finished.h"

#include "core/base/error.h"
#include "runner/results/folder.h"
#include "runner/results/latest.h"
#include "runner/results/outcome.h"

typedef int shower(const struct plan *p, const struct outcome *o, const void *conf);

static int make_and_show(const struct plan_request *request, const void *conf, shower *show)
{
	struct plan plan;
	struct outcome outcome = { 0 };
	int code = plan_make(&plan, request) < 0 ? EXIT_BAD : EXIT_OK;

	if (code == EXIT_OK && plan_count(&plan, RUN_FINISHED) == 0) {
		latest_error(&plan, request->out);
		code = EXIT_BAD;
	} else if (code == EXIT_OK) {
		outcome_missing(&plan);
		code = outcome_read(&outcome, &plan) < 0 ? EXIT_BAD
							 : show(&plan, &outcome, conf);
	}
	outcome_release(&outcome);
	plan_release(&plan);
	return code;
}

static int open_and_show(const struct args *a, enum finished_which which, shower *show)
{
	const struct finished *f = a->conf;
	struct plan_request request = {
		.experiment = a->words[0], .scale = f->scale, .set = a->set, .only = f->only,
		.out = results_folder(f->out),
	};
	struct last last = { 0 };
	int code = EXIT_BAD;

	if (a->set->child || latest_find(&last, &request, which == FINISHED_UNCHANGED) == 0)
		code = make_and_show(&request, a->conf, show);
	latest_release(&last);
	return code;
}

int finished_main(struct args *a, int argc, char **argv, enum finished_which which, shower *show)
{
	int code;

	a->one = "experiment";
	if (args_parse(a, argc, argv, &code)) {
		const struct finished *f = a->conf;

		code = f->only && !args_are_settings(a, "--only", f->only)
			? EXIT_USAGE : open_and_show(a, which, show);
	}
	args_release(a);
	return code;
}
