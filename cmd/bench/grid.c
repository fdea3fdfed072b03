/* The cases of a measurement: the product of what the command line lists. */
#include "cmd/bench/bench.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "nets/nets.h"
#include "plan/settings/settings.h"

#include <stdlib.h>
#include <string.h>

enum { NET, BACKEND, PRECISION, LOWERING, PARTITIONS, BATCH, THREADS, TEAM, AXES };
enum { CASES_MAX = 4096 };

/* The nets of the papers, each at the batch that it is usually measured with. */
static const struct {
	const char *net;
	size_t batch;
} papers[] = {
	{ "resnet20", 128 }, { "vgg", 128 }, { "wrn-16-4", 128 }, { "resnet18", 32 },
	{ "resnet50", 16 }, { "caffenet", 256 },
};
enum { PAPERS = sizeof(papers) / sizeof(papers[0]) };

struct axis {
	const char *name;
	char **words;           /* [n], owned */
	size_t n;
};

/* A case as the options' own parser reads it. */
struct pick {
	struct settings settings;
	int64_t threads, team;
};

static const struct opt thread_opts[] = {
	OPT_NUMBER(struct pick, threads, "1", NULL, "N", 1, 1024),
	OPT_NUMBER(struct pick, team, "1", NULL, "N", 1, 64),
	{ 0 }
};

static void axis_add(struct axis *a, const char *word, size_t length)
{
	a->words = xrealloc(a->words, a->n + 1, sizeof(*a->words));
	a->words[a->n++] = xasprintf("%.*s", (int)length, word);
}

static void axis_split(struct axis *a, const char *name, const char *list)
{
	size_t length;

	a->name = name;
	do {
		length = strcspn(list, ",");
		axis_add(a, list, length);
		list += length + 1;
	} while (list[-1]);
}

static void axes_init(struct axis axes[AXES], const struct bench_lists *l)
{
	memset(axes, 0, AXES * sizeof(*axes));
	axes[NET].name = "net";
	for (size_t i = 0; i < (l->nnets ? l->nnets : PAPERS); i++) {
		const char *net = l->nnets ? l->nets[i] : papers[i].net;

		axis_add(&axes[NET], net, strlen(net));
	}
	axis_split(&axes[BACKEND], "backend", l->backend ? l->backend : backend_table[0]->name);
	axis_split(&axes[PRECISION], "precision", l->precision ? l->precision : "f32,bf16");
	axis_split(&axes[LOWERING], "lowering", l->lowering ? l->lowering : "1");
	axis_split(&axes[PARTITIONS], "partitions", l->partitions ? l->partitions : "0");
	axis_split(&axes[BATCH], "batch", l->batch ? l->batch : "auto");
	axis_split(&axes[THREADS], "threads", l->threads ? l->threads : "1");
	axis_split(&axes[TEAM], "team", l->team ? l->team : "1");
}

static void axes_release(struct axis axes[AXES])
{
	for (int k = 0; k < AXES; k++) {
		for (size_t i = 0; i < axes[k].n; i++)
			free(axes[k].words[i]);
		free(axes[k].words);
	}
}

static size_t usual_batch(const struct graph *g)
{
	for (size_t i = 0; i < PAPERS; i++)
		if (!strcmp(papers[i].net, g->name))
			return papers[i].batch;
	return g->input.h <= 64 ? 128 : 32;
}

static int read_pick(struct pick *p, const struct axis axes[AXES], const size_t at[AXES])
{
	for (int k = PRECISION; k < AXES; k++) {
		const struct opt *opts = k < THREADS ? settings_opts : thread_opts;
		const char *word = axes[k].words[at[k]];
		void *conf = k < THREADS ? (void *)&p->settings : p;

		if (k == BATCH && !strcmp(word, "auto"))
			continue;
		if (opt_set(opts, conf, axes[k].name, word, "command line"))
			return -1;
	}
	return 0;
}

static bool is_caffe(const struct pick *p)
{
	return p->settings.lowering == LOWERING_CAFFE;
}

static int case_fill(struct rate_case *c, const struct pick *p, const char *net, bool usual)
{
	c->graph = graph_load(net, (struct shape){ 0 }, 0);
	if (!c->graph)
		return -1;
	c->net = xstrdup(c->graph->name);
	c->conf = (struct backend_conf){
		.precision = c->backend->precision((enum precision)p->settings.precision),
		.lowering = (enum lowering)p->settings.lowering,
		.partitions = is_caffe(p) ? 0 : (int)p->settings.partitions,
	};
	c->batch = usual ? usual_batch(c->graph) : (size_t)p->settings.batch;
	c->threads = (int)p->threads;
	c->team = (int)p->team;
	return 0;
}

/* What a backend or a lowering does not know, it is asked once at most. */
static bool is_possible(const struct backend *backend, const struct pick *p,
			const struct axis axes[AXES], const size_t at[AXES])
{
	const enum precision asked = (enum precision)p->settings.precision;

	if (backend == &backend_openblas)
		return asked == PRECISION_F32 && !(is_caffe(p) && at[PARTITIONS]);
	return !at[LOWERING] && !at[PARTITIONS] &&
	       (axes[PRECISION].n == 1 || backend->precision(asked) == asked);
}

static int add_case(struct bench *b, const struct axis axes[AXES], const size_t at[AXES])
{
	const struct backend *backend = backend_find(axes[BACKEND].words[at[BACKEND]]);
	struct pick p = { .threads = 1, .team = 1 };
	struct rate_case *c;
	int ret = backend ? 0 : -1;

	opt_init(settings_opts, &p.settings);
	if (!ret)
		ret = read_pick(&p, axes, at);
	if (!ret && is_possible(backend, &p, axes, at)) {
		b->cases = xrealloc(b->cases, b->n + 1, sizeof(*b->cases));
		c = &b->cases[b->n++];
		*c = (struct rate_case){ .backend = backend };
		ret = case_fill(c, &p, axes[NET].words[at[NET]],
				!strcmp(axes[BATCH].words[at[BATCH]], "auto"));
	}
	if (!ret && b->n > CASES_MAX)
		ret = error("more than %d measurements", CASES_MAX);
	opt_release(settings_opts, &p.settings);
	return ret;
}

/* The next combination, the last axis running fastest; false after the last one. */
static bool bench_grid_step(const struct axis axes[AXES], size_t at[AXES])
{
	for (int k = AXES - 1; k >= 0; k--) {
		if (++at[k] < axes[k].n)
			return true;
		at[k] = 0;
	}
	return false;
}

/* Settings that no case listens to are a mistake. */
static int check_received(const struct bench *b, const struct bench_lists *l)
{
	bool lowers = false, parts = false;

	if (bf16_wish() < 0)
		return -1;
	if (!b->n)
		return error("precision: openblas computes in f32 only; bf16 needs onednn");
	for (size_t i = 0; i < b->n; i++) {
		const struct rate_case *c = &b->cases[i];

		lowers |= c->backend == &backend_openblas;
		parts |= c->backend == &backend_openblas && c->conf.lowering != LOWERING_CAFFE;
	}
	if (!lowers && (l->lowering || l->partitions))
		return error("%s is a setting of the backend openblas: give --backend openblas",
			     l->lowering ? "lowering" : "partitions");
	if (!parts && l->partitions)
		return error("partitions: lowering caffe goes image by image and has none");
	return 0;
}

int bench_grid(struct bench *b, const struct bench_lists *l)
{
	struct axis axes[AXES];
	size_t at[AXES] = { 0 };
	int ret;

	axes_init(axes, l);
	do
		ret = add_case(b, axes, at);
	while (!ret && bench_grid_step(axes, at));
	axes_release(axes);
	if (!ret)
		ret = check_received(b, l);
	for (size_t i = 0; i < b->n && !ret && b->layers; i++) {
		if (b->cases[i].threads * b->cases[i].team > 1)
			ret = error("--layers is measured on one thread");
		b->cases[i].times = xcalloc((size_t)b->cases[i].graph->n,
					    sizeof(struct layer_time));
	}
	return ret;
}

void bench_release(struct bench *b)
{
	for (size_t i = 0; i < b->n; i++) {
		graph_free(b->cases[i].graph);
		free(b->cases[i].net);
		free(b->cases[i].times);
	}
	free(b->cases);
	*b = (struct bench){ 0 };
}

double bench_flops(const struct rate_case *c)
{
	return 2 * 3 * (double)graph_macs(c->graph);
}
