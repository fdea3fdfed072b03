/*
 * sim.c - `convoy sim`: one run from flags.
 */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/opts.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "cmd/simrun.h"
#include "cmd/single.h"
#include "core/error.h"
#include "core/mem.h"
#include "data/data.h"

#include <stdlib.h>

struct conf {
	char *out, *trace;
	int64_t threads;
	bool dry_run, json, quiet;
};

static const struct opt opts[] = {
	OUT_OPT(struct conf),
	ALL_THREADS_OPT(struct conf),
	SINGLE_OPTS(struct conf),
	{ NULL, OPT_BOOL, 0, NULL, NULL, NULL, 0, 0, NULL, 0 }
};

static const char about[] =
	"Simulates one run, in virtual time, and prints what came of it. The result is one HDF5\n"
	"file, OUT/sim/HASH.h5, named by the settings; a run that is finished is read, not\n"
	"repeated, unless --trace is given. What is \"auto\" follows from the cluster; --dry-run\n"
	"shows what is used.\n"
	"\n"
	"Examples:\n"
	"  convoy sim --algo ad-psgd --timing --samples 50000 --slow 0:10\n"
	"  convoy sim --algo asgd --net lenet --workers 4 --epochs 2\n"
	"  convoy sim --algo allreduce --net quadratic --workers 8 --gradients 1000\n"
	"  convoy sim --algo asgd --timing --samples 50000 --workers 1000 --delay gamma:cv=0.3";

static void tick(void *ctx, double fraction, double gradients)
{
	progress_show(ctx, 0, fraction, gradients);
}

static int simulate(const struct setup *su, const struct conf *c, const char *path, int argc,
		    char **argv)
{
	struct progress progress;
	struct dataset *data = NULL;
	struct trip trip = {
		.experiment = "", .scale = "", .path = path, .trace = c->trace,
		.threads = single_threads(c->threads),
		.argc = argc, .argv = argv, .tick = tick, .ctx = &progress,
		.interrupted = &signal_caught,
	};
	enum trip_end end;

	if (setup_needs_data(su)) {
		data = dataset_open(&su->data);
		if (!data)
			return EXIT_BAD;
	}
	progress_start(&progress, 1, c->quiet);
	end = simrun(su, data, &trip);
	progress_end(&progress);
	dataset_close(data);
	if (end == TRIP_INTERRUPTED)
		note("interrupted; what was reached is in %s.part", path);
	return end == TRIP_DONE ? EXIT_OK : end == TRIP_FAILED ? EXIT_BAD : signals_exit_code();
}

static int sim(const struct setup *su, const struct conf *c, int argc, char **argv)
{
	char *dir = xasprintf("%s/sim", results_folder(c->out));
	char *path = xasprintf("%s/%s.h5", dir, su->hash);
	int code = EXIT_OK;

	if (!c->trace && result_finished(path, su->hash)) {
		if (!c->quiet)
			note("finished before: %s", path);
	} else {
		code = folder_prepare(dir) < 0 ? EXIT_BAD : simulate(su, c, path, argc, argv);
	}
	if (code == EXIT_OK)
		code = single_print_result(path, c->json);
	free(path);
	free(dir);
	return code;
}

static int check_engine(const struct setup *su)
{
	if (su->in.engine == ENGINE_SIM)
		return 0;
	return error("engine mpi is for 'convoy train'; 'convoy sim' simulates");
}

static int resolve_and_sim(const struct args *a, const struct conf *c, int argc, char **argv)
{
	struct setup su;
	int code = EXIT_BAD;

	setup_init(&su);
	if (settings_apply(&su.in, a->set, "command line") == 0 && check_engine(&su) == 0 &&
	    setup_resolve(&su) == 0) {
		code = EXIT_OK;
		if (c->dry_run)
			single_print_settings(&su, c->json);
		else
			code = sim(&su, c, argc, argv);
	}
	setup_release(&su);
	return code;
}

int cmd_sim(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .settings = true, .about = about,
			  .usage = "sim [--SETTING VALUE]... [OPTIONS]" };
	int code;

	if (args_parse(&a, argc, argv, &code)) {
		if (a.nwords)
			code = args_usage(&a, "'%s': sim takes flags only; experiments are for "
					      "'convoy run'", a.words[0]);
		else
			code = resolve_and_sim(&a, &conf, argc, argv);
	}
	args_release(&a);
	return code;
}
