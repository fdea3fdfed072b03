/* A run of an experiment, on ranks. */
#include "runner/launch/launch.h"

#include "runner/launch/cmdline.h"

#include <stdlib.h>

static void add_option(struct cmdline *w, const char *key, const char *value)
{
	cmdline_addf(w, "--%s=%s", key, value);
}

/* As they were given, but for what the ranks would otherwise decide. */
static void add_settings(struct cmdline *w, const struct setup *su)
{
	for (const struct opt *o = settings_opts; o->name; o++) {
		char *text = opt_format(o, &su->in);

		if (text && *text)
			add_option(w, o->name, text);
		free(text);
	}
	if (su->in.engine == ENGINE_MPI)
		cmdline_addf(w, "--workers=%d", (int)su->num.workers);
}

static void add_checkpoints(struct cmdline *w, const struct launch_run *r)
{
	cmdline_addf(w, "--checkpoint-every=%.17g", r->checkpoint_every);
	if (r->resume)
		cmdline_add(w, "--resume");
}

int launch_run(const struct setup *su, const struct launch_run *r)
{
	const bool real = su->in.engine == ENGINE_MPI;
	struct launch l = r->hosts;
	struct cmdline w = { 0 };
	int code;

	if (real)
		l.ranks = setup_ranks(su);
	l.result = r->path;
	l.quiet = true;

	cmdline_add(&w, "convoy");
	cmdline_add(&w, real ? "train" : "sim");
	cmdline_add(&w, "--quiet");
	add_option(&w, "file", r->path);
	add_option(&w, "experiment", r->experiment);
	add_option(&w, "scale", r->scale);
	cmdline_addf(&w, "--threads=%d", r->threads);
	if (!real)
		add_checkpoints(&w, r);
	add_settings(&w, su);
	code = launch(&l, (int)w.n, w.v);
	cmdline_release(&w);
	return code;
}
