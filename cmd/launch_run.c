/*
 * launch_run.c - a run of an experiment, on ranks.
 */
#include "cmd/launch.h"

#include "core/mem.h"

#include <stdlib.h>

struct words {
	char **v;
	int n;
};

/* Takes the word. */
static void add(struct words *w, char *word)
{
	w->v = xrealloc(w->v, (size_t)w->n + 2, sizeof(*w->v));
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

static void add_option(struct words *w, const char *key, const char *value)
{
	add(w, xasprintf("--%s=%s", key, value));
}

/* As they were given, but for what the ranks would otherwise decide. */
static void add_settings(struct words *w, const struct setup *su)
{
	for (const struct opt *o = settings_opts; o->name; o++) {
		char *text = opt_format(o, &su->in);

		if (text && *text)
			add_option(w, o->name, text);
		free(text);
	}
	add(w, xasprintf("--workers=%d", (int)su->num.workers));
}

static void add_checkpoints(struct words *w, const struct launch_run *r)
{
	add(w, xasprintf("--checkpoint-every=%.17g", r->checkpoint_every));
	if (r->resume)
		add(w, xstrdup("--resume"));
}

int launch_run(const struct setup *su, const struct launch_run *r)
{
	const bool real = su->in.engine == ENGINE_MPI;
	struct launch l = { .ranks = real_processes(&su->real,
						    (const struct algo *)su->algo.plugin,
						    (int)su->num.workers) };
	struct words w = { 0 };
	int code;

	if (!real)
		l = r->sim;
	l.result = r->path;
	l.quiet = true;

	add(&w, xstrdup("convoy"));
	add(&w, xstrdup(real ? "train" : "sim"));
	add(&w, xstrdup("--quiet"));
	add_option(&w, "file", r->path);
	add_option(&w, "experiment", r->experiment);
	add_option(&w, "scale", r->scale);
	add(&w, xasprintf("--threads=%d", r->threads));
	if (!real)
		add_checkpoints(&w, r);
	add_settings(&w, su);
	code = launch(&l, w.n, w.v);
	while (w.n)
		free(w.v[--w.n]);
	free(w.v);
	return code;
}
