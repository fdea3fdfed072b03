/* `convoy bench nets`: how fast gradients are taken, of every combination that is asked for. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "cmd/common.h"
#include "cmd/plot_path.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/thread.h"
#include "core/file/members.h"
#include "nets/external/external.h"
#include "nets/nets.h"
#include "plan/settings/settings.h"
#include "report/plot/plot.h"
#include "runner/estimate/gradient_rate.h"
#include "runner/progress.h"
#include "runner/results/outcome.h"
#include "runner/signals.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_conf {
	char *backend, *precision, *lowering, *partitions, *batch, *threads, *team, *plot;
	double seconds;
	bool layers, peak, json, quiet;
};

static const struct opt bench_opts[] = {
	OPT_TEXT(struct bench_conf, backend, "compute backends; without it the first built in",
	  "NAME,..."),
	{ "precision", OPT_AT(STRING, struct bench_conf, precision), "f32,bf16",
	  "of activations and products", "TYPE,...", 0, 0, NULL, 0 },
	{ "batch", OPT_AT(STRING, struct bench_conf, batch), "auto",
	  "samples of a minibatch; auto: as many as usual", "N,...", 0, 0, NULL, 0 },
	{ "threads", OPT_AT(STRING, struct bench_conf, threads), "1",
	  "gradients at once, each on one thread", "N,...", 0, 0, NULL, 0 },
	{ "team", OPT_AT(STRING, struct bench_conf, team), "1",
	  "threads that share one gradient", "N,...", 0, 0, NULL, 0 },
	OPT_TEXT(struct bench_conf, lowering,
		 "openblas: 1, 2, 3, auto or caffe, as in a run's settings", "TYPE,..."),
	OPT_TEXT(struct bench_conf, partitions, "openblas: parts of a batch", "N,..."),
	OPT_NUMBER(struct bench_conf, seconds, "3",
		   "time for each measurement, after warming up; at least two gradients", "SECONDS",
		   0, 3600),
	OPT_FLAG(struct bench_conf, layers, "where the time goes, layer by layer"),
	{ "peak", OPT_AT(BOOL, struct bench_conf, peak), "true",
	  "time a large matrix product too, a second or two for each backend, precision and "
	  "number of threads", NULL, 0, 0, NULL, 0 },
	OPT_TEXT(struct bench_conf, plot,
		 "draw the rates into FILE, which ends in .svg, .png, .pdf, .tex or .tikz", "FILE"),
	OPT_FLAG(struct bench_conf, json, "a JSON array on stdout, an object a measurement"),
	OPT_FLAG(struct bench_conf, quiet, "no progress on stderr"),
	{ 0 }
};

static const char bench_about[] =
	"Measures the samples per second of forward and backward passes (no step) of nets of the\n"
	"zoo or .json paths, on random images; by default of the nets of the papers. Every\n"
	"measurement has its own process. It prints the rate by the median time of a gradient,\n"
	"floating-point operations a second (2 x 3 x forward multiply-accumulates), their share\n"
	"of what large matrix products reach in the same run on as many threads, and the peak\n"
	"resident memory. Options with several values, separated by commas, measure every\n"
	"combination. Nets python:FILE and exec:PROGRAM have a table of their own.\n"
	"\n"
	"Examples:\n"
	"  convoy bench nets\n"
	"  convoy bench nets resnet20 --threads 1,2 --precision bf16\n"
	"  convoy bench nets resnet50 --team 2 --layers --json\n"
	"  convoy bench nets caffenet --backend openblas --partitions 1,2,4,8 \\\n"
	"             --plot rate.svg";

struct bench {
	struct rate_case *cases;        /* [n], owned */
	size_t n;
	double seconds;                 /* of each case, after warming up */
	bool layers;
};

/* ---- the cases: the product of the lists of the command line ---- */

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
	struct texts words;
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

static void axes_init(struct axis axes[AXES], const struct args *args)
{
	const struct bench_conf *c = args->conf;
	const struct axis_list {
		const char *name, *list;
	} lists[AXES] = {
		[NET] = { "net", NULL },
		[BACKEND] = { "backend", c->backend ? c->backend : backend_table[0]->name },
		[PRECISION] = { "precision", c->precision },
		[LOWERING] = { "lowering", c->lowering ? c->lowering : "1" },
		[PARTITIONS] = { "partitions", c->partitions ? c->partitions : "0" },
		[BATCH] = { "batch", c->batch },
		[THREADS] = { "threads", c->threads },
		[TEAM] = { "team", c->team },
	};
	const size_t named = args->nwords - 1;

	for (size_t i = 0; i < (named ? named : PAPERS); i++)
		texts_put(&axes[NET].words, named ? args->words[i + 1] : papers[i].net);
	for (int k = 0; k < AXES; k++) {
		const char *list = lists[k].list;

		axes[k].name = lists[k].name;
		for (size_t length; list; list = list[length] ? list + length + 1 : NULL) {
			length = strcspn(list, ",");
			texts_putf(&axes[k].words, "%.*s", (int)length, list);
		}
	}
}

static void axes_release(struct axis axes[AXES])
{
	for (int k = 0; k < AXES; k++)
		texts_release(&axes[k].words);
}

static int read_pick(struct pick *p, const struct axis axes[AXES], const size_t at[AXES])
{
	for (int k = PRECISION; k < AXES; k++) {
		const struct opt *table = k < THREADS ? settings_opts : thread_opts;
		const char *word = axes[k].words.v[at[k]];
		void *conf = k < THREADS ? (void *)&p->settings : p;

		if (k == BATCH && !strcmp(word, "auto"))
			continue;
		if (opt_set(table, conf, axes[k].name, word, "command line"))
			return -1;
	}
	return 0;
}

/* Adds the case of this combination, unless its backend or lowering does not know it. */
static int case_add(struct bench *b, const struct axis axes[AXES], const size_t at[AXES],
		    const struct backend *backend, const struct pick *p)
{
	const enum precision asked = (enum precision)p->settings.precision;
	const bool caffe = p->settings.lowering == LOWERING_CAFFE;
	struct rate_case *c;

	/* A setting that makes no difference is asked for once. */
	if (backend == &backend_openblas
		    ? asked != PRECISION_F32 || (caffe && at[PARTITIONS])
		    : at[LOWERING] || at[PARTITIONS] ||
			      (axes[PRECISION].words.n > 1 && backend->precision(asked) != asked))
		return 0;
	c = &APPEND(b->cases, b->n);
	*c = (struct rate_case){
		.backend = backend, .graph = graph_load(axes[NET].words.v[at[NET]],
							(struct shape){ 0 }, 0),
		.conf = { .precision = backend->precision(asked),
			  .lowering = (enum lowering)p->settings.lowering,
			  .partitions = caffe ? 0 : (int)p->settings.partitions },
		.batch = (size_t)p->settings.batch,
		.threads = (int)p->threads, .team = (int)p->team,
	};
	if (!c->graph)
		return -1;
	c->net = xstrdup(c->graph->name);
	if (strcmp(axes[BATCH].words.v[at[BATCH]], "auto") == 0) {
		c->batch = c->graph->input.h <= 64 ? 128 : 32;
		for (size_t i = 0; i < PAPERS; i++)
			if (!strcmp(papers[i].net, c->net))
				c->batch = papers[i].batch;
	}
	return b->n > CASES_MAX ? error("more than %d measurements", CASES_MAX) : 0;
}

/* Settings that no case listens to are a mistake. */
static int check_received(const struct bench *b, const struct bench_conf *conf)
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
	if (!lowers && (conf->lowering || conf->partitions))
		return error("%s is a setting of the backend openblas: give --backend openblas",
			     conf->lowering ? "lowering" : "partitions");
	if (!parts && conf->partitions)
		return error("partitions: lowering caffe goes image by image and has none");
	return 0;
}

/* The product of the lists becomes b->cases. 0 or error(). */
static int bench_grid(struct bench *b, const struct args *a)
{
	struct axis axes[AXES] = { { 0 } };
	size_t at[AXES] = { 0 };
	int ret = 0, k;

	axes_init(axes, a);
	/* all combinations, the last axis running fastest */
	do {
		const struct backend *backend = backend_find(axes[BACKEND].words.v[at[BACKEND]]);
		struct pick p = { .threads = 1, .team = 1 };

		opt_init(settings_opts, &p.settings);
		ret = backend ? read_pick(&p, axes, at) : -1;
		if (!ret)
			ret = case_add(b, axes, at, backend, &p);
		opt_release(settings_opts, &p.settings);
		for (k = AXES - 1; k >= 0 && ++at[k] == axes[k].words.n; k--)
			at[k] = 0;
	} while (!ret && k >= 0);
	axes_release(axes);
	if (!ret)
		ret = check_received(b, a->conf);
	for (size_t i = 0; i < b->n && !ret && b->layers; i++) {
		if (b->cases[i].threads * b->cases[i].team > 1)
			ret = error("--layers is measured on one thread");
		b->cases[i].times = xcalloc((size_t)b->cases[i].graph->n,
					    sizeof(struct layer_time));
	}
	return ret;
}

/* Multiplications and additions of a sample's gradient: 2 x 3 x its forward MACs. */
static double case_flops(const struct rate_case *c)
{
	return 2 * 3 * (double)graph_macs(c->graph);
}

/* ---- as text and as JSON ---- */

static const double giga = 1e9, mega = 1e6;

static const char *case_precision(const struct rate_case *c)
{
	return settings_choice("precision", (int)c->conf.precision);
}

static const char *case_lowering(const struct rate_case *c)
{
	return settings_choice("lowering", (int)c->conf.lowering);
}

static double peak_share(const struct rate_case *c)
{
	return c->gemm > 0 ? c->rate * case_flops(c) / c->gemm : 0;
}

/* The peaks, a line each at its first case, and the head of the table. */
static void cases_print_head(const struct bench *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct rate_case *c = &b->cases[i];
		size_t k = 0;

		while (!rate_same_peak(&b->cases[k], c))
			k++;
		if (k == i && c->gemm > 0)
			printf("Large matrix products, %d thread%s: %s %s %.1f GFLOP/s\n",
			       c->threads * c->team, c->threads * c->team > 1 ? "s at once" : "",
			       c->backend->name, case_precision(c), c->gemm / giga);
	}
	printf("FLOP of a gradient: 2 x 3 x forward multiply-accumulates of the batch\n\n"
	       "%-18s %-8s %-5s %-8s %5s %7s %10s %8s %6s %7s\n", "net", "backend", "type",
	       "lowering", "batch", "threads", "samples/s", "GFLOP/s", "peak", "MB");
	fflush(stdout);
}

static void case_print(const struct rate_case *c)
{
	char lowering[32] = "-", threads[32], part[16] = "-";

	if (c->backend == &backend_openblas)
		snprintf(lowering, sizeof(lowering), c->conf.partitions ? "%s/%d" : "%s",
			 case_lowering(c), c->conf.partitions);
	snprintf(threads, sizeof(threads), c->team > 1 ? "%dx%d" : "%d", c->threads, c->team);
	if (c->gemm > 0)
		snprintf(part, sizeof(part), "%.0f %%", 100 * peak_share(c));
	printf("%-18s %-8s %-5s %-8s %5zu %7s %10.*f %8.1f %6s %7.0f\n", c->net,
	       c->backend->name, case_precision(c), lowering, c->batch, threads,
	       c->rate < 100 ? 2 : 0, c->rate, c->rate * case_flops(c) / giga, part,
	       c->memory / mega);
	fflush(stdout);
}

/* FLOP of a gradient in the i-th layer. */
static double layer_flop(const struct rate_case *c, int i)
{
	return 2 * 3 * (double)c->graph->layers[i].macs * (double)c->batch;
}

/* Seconds of a gradient in all layers. */
static double layers_seconds(const struct rate_case *c)
{
	double s = 0;

	for (int i = 0; i < c->graph->n; i++)
		s += c->times[i].forward + c->times[i].backward;
	return s;
}

/* The time of a layer or of a kind, and the FLOP of a gradient in it. */
static void layer_time_print(const char *name, const char *kind, struct layer_time t, double flop,
			     double all)
{
	const double seconds = t.forward + t.backward;

	if (!(seconds > 0))
		return;
	printf("  %-36s %-10s %9.3f %9.3f", name, kind, 1e3 * t.forward, 1e3 * t.backward);
	if (flop > 0)
		printf(" %8.1f", flop / seconds / giga);
	else
		printf(" %8s", "-");
	printf(" %6.1f %%\n", all > 0 ? 100 * seconds / all : 0);
}

/* The layers, then sums by their kind, in the order of the kinds. */
static void layers_print(const struct rate_case *c)
{
	const struct layer *layers = c->graph->layers;
	const double all = layers_seconds(c);

	printf("\n  %-36s %-10s %9s %9s %8s %8s\n", "layer, of a gradient", "kind", "forward ms",
	       "backward", "GFLOP/s", "share");
	for (int i = 1; i < c->graph->n; i++)
		layer_time_print(layers[i].name, layer_kind_name(layers[i].kind), c->times[i],
				 layer_flop(c, i), all);
	for (int kind = 1; kind < LAYER_KINDS; kind++) {
		struct layer_time sum = { 0 };
		double flop = 0;

		for (int i = 0; i < c->graph->n; i++) {
			if ((int)layers[i].kind != kind)
				continue;
			sum.forward += c->times[i].forward;
			sum.backward += c->times[i].backward;
			flop += layer_flop(c, i);
		}
		layer_time_print("all of a kind", layer_kind_name((enum layer_kind)kind), sum,
				 flop, all);
	}
	printf("  layers %.3f ms of a gradient's %.3f ms\n\n", 1e3 * all,
	       1e3 * (double)c->batch / c->rate);
	fflush(stdout);
}

static cJSON *layers_json(const struct rate_case *c)
{
	const double all = layers_seconds(c);
	cJSON *list = cJSON_CreateArray();

	for (int i = 1; i < c->graph->n; i++) {
		const struct layer *l = &c->graph->layers[i];
		const struct layer_time *t = &c->times[i];
		const double s = t->forward + t->backward;

		list_add(list, OBJECT(j_text("name", l->name),
				      j_text("kind", layer_kind_name(l->kind)),
				      j_number("macs", (double)l->macs),
				      j_number("forward_s", t->forward),
				      j_number("backward_s", t->backward),
				      j_number("flops_per_s", s > 0 ? layer_flop(c, i) / s : 0),
				      j_number("share", all > 0 ? s / all : 0)));
	}
	return list;
}

static cJSON *case_json(const struct rate_case *c)
{
	const bool lowers = c->backend == &backend_openblas;

	return OBJECT(j_text("net", c->net), j_text("backend", c->backend->name),
		      j_text("precision", case_precision(c)),
		      j_if(lowers, j_text("lowering", case_lowering(c))),
		      j_if(lowers, j_number("partitions", c->conf.partitions)),
		      j_number("batch", (double)c->batch), j_number("threads", c->threads),
		      j_number("team", c->team), j_number("gradients", (double)c->gradients),
		      j_number("samples_per_s", c->rate),
		      j_number("flop_per_sample", case_flops(c)),
		      j_number("flops_per_s", c->rate * case_flops(c)),
		      j_number("gemm_flops_per_s", c->gemm),
		      j_number("peak_share", peak_share(c)),
		      j_number("memory_bytes", c->memory),
		      j_if(c->times, j_json("layers", c->times ? layers_json(c) : NULL)));
}

/* ---- the plot: rates over the first number that varies, else over the nets ---- */

/* Traits that tell cases apart. The first NUMBERS of them can be an axis. */
enum {
	BY_PARTITIONS, BY_BATCH, BY_THREADS, BY_TEAM, NUMBERS,
	BY_NET = NUMBERS, BY_BACKEND, BY_PRECISION, BY_LOWERING, TRAITS
};

static const char *const number_names[NUMBERS] = {
	"parts of a batch", "samples of a batch", "gradients at once", "threads of a gradient"
};

static double trait_number(const struct rate_case *c, int trait)
{
	const double values[NUMBERS] = {
		c->conf.partitions, (double)c->batch, c->threads, c->team
	};

	return values[trait];
}

/* The trait in words; the caller frees. */
static char *trait_word(const struct rate_case *c, int trait)
{
	const char *texts[] = { c->net, c->backend->name, case_precision(c), case_lowering(c) };

	return trait < NUMBERS	 ? xasprintf("%g %s", trait_number(c, trait), number_names[trait]) :
	       trait == BY_LOWERING ? xasprintf("lowering %s", texts[trait - NUMBERS]) :
				   xstrdup(texts[trait - NUMBERS]);
}

static bool trait_same(const struct rate_case *a, const struct rate_case *b, int trait)
{
	scoped char *x = trait_word(a, trait), *y = trait_word(b, trait);

	return !strcmp(x, y);
}

struct plotter {
	struct rate_case **cases;       /* [n] the finished ones */
	struct rate_case **first;       /* [f.n] the first one of each series */
	size_t n;
	bool varies[TRAITS];
	int x;                          /* trait on the x axis: a number, or BY_NET */
	struct figure f;
};

/* The series that the case belongs to, a new one where it is the first. */
static struct series *series_find(struct plotter *p, struct rate_case *c)
{
	struct figure *f = &p->f;
	char *label = xstrdup("");

	for (size_t i = 0; i < f->n; i++) {
		bool same = true;

		for (int t = 0; t < TRAITS; t++)
			same &= t == p->x || (t == BY_BATCH && p->x == BY_NET) ||
				trait_same(p->first[i], c, t);
		if (same) {
			free(label);
			return &f->series[i];
		}
	}
	for (int t = 0; t < TRAITS; t++)
		if (p->varies[t] && t != p->x && !(t == BY_BATCH && p->varies[BY_NET]) &&
		    !(t == BY_LOWERING && c->backend != &backend_openblas))
			xappend_own(&label, ", ", trait_word(c, t));
	f->series = xrealloc(f->series, f->n + 1, sizeof(*f->series));
	p->first[f->n] = c;
	f->series[f->n] = (struct series){ .label = label, .title = xstrdup(label),
					   .fewest = 1, .most = 1 };
	return &f->series[f->n++];
}

/* The points of the finished cases, by series. */
static void figure_fill(struct plotter *p)
{
	double low = (double)INFINITY, high = 0;

	for (int t = 0; t < TRAITS; t++)
		for (size_t i = 1; i < p->n; i++)
			p->varies[t] |= !trait_same(p->cases[0], p->cases[i], t);
	/* Every net has its own batch where none was chosen: that is no axis. */
	p->x = BY_NET;
	for (int t = NUMBERS - 1; t >= 0; t--)
		if (p->varies[t] && !(t == BY_BATCH && p->varies[BY_NET]))
			p->x = t;
	p->f.title = p->varies[BY_NET] ? NULL : p->cases[0]->net;
	p->f.xlabel = xstrdup(p->x == BY_NET ? "" : number_names[p->x]);
	p->f.worded = p->x == BY_NET;
	for (size_t i = 0; i < p->n; i++) {
		struct rate_case *c = p->cases[i];
		struct series *s = series_find(p, c);
		const double x = p->x == BY_NET ? (double)figure_word(&p->f, c->net)
						: trait_number(c, p->x);

		APPEND(s->p, s->n) = (struct point){ x, c->rate, c->rate, c->rate, 0 };
		low = fmin(low, c->rate);
		high = fmax(high, c->rate);
	}
	p->f.logy = plot_is_wide(low, high);
}

/* Draws the rates of the finished cases into DIR/NAME.svg or the like. 0 or error(). */
static int bench_plot(const struct bench *b, const char *path)
{
	struct plotter p = { .cases = xcalloc(b->n, sizeof(*p.cases)),
			     .first = xcalloc(b->n, sizeof(*p.first)) };
	struct plot_path at;
	int ret = -1;

	for (size_t i = 0; i < b->n; i++)
		if (b->cases[i].done)
			p.cases[p.n++] = &b->cases[i];
	if (!p.n) {
		error("nothing was measured: there is no plot");
	} else if (plot_path_split(path, PLOT_PATH_FIGURE, &at) == 0) {
		p.f = (struct figure){ .name = at.name, .seeds = 1,
				       .ylabel = xstrdup("rate [samples/s]") };
		figure_fill(&p);
		ret = figure_write(&p.f, at.dir, at.format, NULL);
		figure_release(&p.f);
	}
	free_all(p.cases, p.first);
	return ret;
}

/* ---- nets that other processes compute ---- */

struct external_rate {
	const char *net;        /* borrowed */
	size_t batch;           /* samples; at most those of the training set are taken */
	int threads;            /* gradients at once */
	double seconds;         /* to measure for, after a few gradients */
	bool (*stop)(void);     /* true ends the measurement; or NULL */
	/* results */
	size_t dim;             /* floats of the model */
	double gradients;       /* of all threads */
	double rate;            /* gradients a second, of all threads */
};

enum { WARM = 3 };              /* gradients before */

struct rig {
	struct external_rate *of;
	const struct problem *problem;
	pthread_barrier_t ready;
	atomic_llong gradients;
	double began, ended;    /* of the first thread */
};

struct runner {
	struct rig *rig;
	bool first;
};

static void *external_rate_run(void *arg)
{
	const struct runner *t = arg;
	struct rig *rig = t->rig;
	const struct problem *p = rig->problem;
	const size_t n = rig->of->batch;
	void *scratch = p->ops->scratch_new(p, n, NULL);
	scoped float *x = vec_new(p->dim), *g = vec_new(p->dim);
	scoped int64_t *sample = xcalloc(n, sizeof(*sample));
	const struct batch batch = { .n = n, .sample = sample, .seed = 1 };
	double began;
	long long done = 0;

	for (size_t i = 0; i < n; i++)
		sample[i] = (int64_t)i % p->n[0];
	p->ops->init(p, 1, x);
	for (int i = 0; i < WARM; i++)
		p->ops->grad(p, scratch, x, &batch, g, NULL);
	pthread_barrier_wait(&rig->ready);
	began = clock_s();
	while (clock_s() - began < rig->of->seconds && !p->ops->failed(p) &&
	       !(rig->of->stop && rig->of->stop())) {
		p->ops->grad(p, scratch, x, &batch, g, NULL);
		done++;
	}
	atomic_fetch_add(&rig->gradients, done);
	if (t->first) {
		rig->began = began;
		rig->ended = clock_s();
	}
	p->ops->scratch_free(p, scratch);
	return NULL;
}

/* Measures; 0, or -1 after error(). */
static int external_rate_measure(struct external_rate *r)
{
	struct problem *p = external_open(r->net);
	struct rig rig = { .of = r, .problem = p };
	scoped pthread_t *threads = xcalloc((size_t)r->threads, sizeof(*threads));
	scoped struct runner *runners = xcalloc((size_t)r->threads, sizeof(*runners));
	int ret = -1, begun = 1;

	if (p) {
		pthread_barrier_init(&rig.ready, NULL, (unsigned)r->threads);
		for (int i = 0; i < r->threads; i++)
			runners[i] = (struct runner){ &rig, i == 0 };
		for (; begun < r->threads; begun++)
			if (thread_start(&threads[begun], external_rate_run, &runners[begun]) != 0)
				out_of_memory("threads");
		external_rate_run(&runners[0]);
		for (int i = 1; i < r->threads; i++)
			pthread_join(threads[i], NULL);
		pthread_barrier_destroy(&rig.ready);
		r->dim = p->dim;
		r->gradients = (double)atomic_load(&rig.gradients);
		r->rate = r->gradients / (rig.ended - rig.began);
		ret = p->ops->failed(p) ? -1 : 0;
		p->ops->close(p);
	}
	return ret;
}

enum { AUTO_BATCH = 32 };

/* True when a net of the command line is python:... or exec:.... */
static bool is_external(const struct args *a)
{
	for (size_t i = 1; i < a->nwords; i++)
		if (external_chosen(a->words[i]))
			return true;
	return false;
}

static void rate_print(const struct external_rate *r)
{
	printf("%-36s %10zu %5zu %7d %11.0f %11.0f %11.1f %7.2f\n", r->net, r->dim, r->batch,
	       r->threads, r->rate, r->rate * (double)r->batch, 1e6 * r->threads / r->rate,
	       2.0 * sizeof(float) * (double)r->dim * r->rate / giga);
	fflush(stdout);
}

static cJSON *rate_json(const struct external_rate *r)
{
	return OBJECT(j_text("net", r->net), j_number("parameters", (double)r->dim),
		      j_number("batch", (double)r->batch), j_number("threads", r->threads),
		      j_number("gradients", r->gradients), j_number("gradients_per_s", r->rate),
		      j_number("samples_per_s", r->rate * (double)r->batch));
}

/* Measures and prints one combination, or adds it to the list; an exit code. */
static int external_measure(struct external_rate *r, cJSON *list)
{
	if (external_rate_measure(r) < 0)
		return EXIT_BAD;
	if (signal_caught)
		return signals_exit_code();
	if (list)
		list_add(list, rate_json(r));
	else
		rate_print(r);
	return EXIT_OK;
}

/* Every combination of nets, batches and threads; an exit code. */
static int bench_external(const struct args *a)
{
	const struct bench_conf *conf = a->conf;
	struct axis axes[AXES] = { { 0 } };
	cJSON *list = conf->json ? cJSON_CreateArray() : NULL;
	size_t nbatch, nthreads;
	int code = EXIT_OK;

	axes_init(axes, a);
	for (size_t i = 0; i < axes[NET].words.n; i++)
		if (!external_chosen(axes[NET].words.v[i]))
			code = args_usage(a, "%s: nets that are code are measured by themselves. "
					  "Measure the others with another command",
					  axes[NET].words.v[i]);
	if (code == EXIT_OK && !list)
		printf("Gradients with their way to another process and back; GB/s: of model and "
		       "gradient, one copy each\n\n%-36s %10s %5s %7s %11s %11s %11s %7s\n", "net",
		       "parameters", "batch", "threads", "gradients/s", "samples/s", "us/gradient",
		       "GB/s");
	nbatch = axes[BATCH].words.n;
	nthreads = axes[THREADS].words.n;
	for (size_t i = 0; i < axes[NET].words.n * nbatch * nthreads && code == EXIT_OK; i++) {
		const size_t at[AXES] = { [NET] = i / nthreads / nbatch,
					  [BATCH] = i / nthreads % nbatch,
					  [THREADS] = i % nthreads };
		struct pick p = { .threads = 1, .team = 1 };

		opt_init(settings_opts, &p.settings);
		p.settings.batch = AUTO_BATCH;
		code = read_pick(&p, axes, at) < 0 ? EXIT_USAGE : external_measure(
			&(struct external_rate){ .net = axes[NET].words.v[at[NET]],
						 .batch = (size_t)p.settings.batch,
						 .threads = (int)p.threads,
						 .seconds = conf->seconds,
						 .stop = signals_caught }, list);
		opt_release(settings_opts, &p.settings);
	}
	if (list && code == EXIT_OK)
		json_print_own(list);
	else
		cJSON_Delete(list);
	axes_release(axes);
	return code;
}

/* ---- the command ---- */

struct ticker {
	struct progress progress;
	const struct bench *b;
	size_t done;
	double began;           /* of the case under way, on the progress' clock */
};

/* A case takes about as long again as it measures, to open and to warm up. */
static void bench_tick(void *arg)
{
	struct ticker *t = arg;
	double now = progress_elapsed(&t->progress), part, gradients = 0;

	part = (now - t->began) / (2 * t->b->seconds + 1);
	for (size_t i = 0; i < t->done; i++)
		gradients += (double)t->b->cases[i].gradients;
	progress_show(&t->progress, t->done,
		      ((double)t->done + (part < 0.9 ? part : 0.9)) / (double)t->b->n, gradients);
}

static int bench_run(struct bench *b, const struct bench_conf *conf)
{
	struct ticker t = { .b = b };
	int code = EXIT_OK;
	bool busy = false;

	progress_start(&t.progress, b->n, conf->quiet);
	/* Each backend, precision and number of threads has one peak. */
	for (size_t i = 0; i < b->n && conf->peak; i++) {
		struct rate_case *c = &b->cases[i];
		size_t k = 0;

		while (!rate_same_peak(&b->cases[k], c))
			k++;
		c->gemm = k < i ? b->cases[k].gemm : rate_peak(c);
	}
	if (!conf->json)
		cases_print_head(b);
	for (; t.done < b->n; t.done++) {
		struct rate_case *c = &b->cases[t.done];

		t.began = progress_elapsed(&t.progress);
		if (rate_measure_apart(c, b->seconds, bench_tick, &t))
			code = EXIT_BAD;
		progress_end(&t.progress);
		if (c->done && !conf->json)
			case_print(c);
		if (c->done && !conf->json && c->times)
			layers_print(c);
		busy = busy || peak_share(c) > 1;
	}
	if (busy)
		warning("a net is faster than large matrix products: other programs took processor "
			"time while those were measured. Measure again when the machine is idle");
	return code;
}

static int bench_nets(const struct args *a)
{
	const struct bench_conf *conf = a->conf;
	struct bench b = { .seconds = conf->seconds, .layers = conf->layers };
	int code = EXIT_BAD;

	if (!a->nwords || strcmp(a->words[0], "nets"))
		return args_usage(a, "nothing to measure is named (expected 'nets')");
	if (is_external(a))
		return bench_external(a);
	if ((!conf->plot || !plot_path_check(conf->plot, PLOT_PATH_FIGURE)) && !bench_grid(&b, a)) {
		code = bench_run(&b, conf);
		if (conf->json) {
			cJSON *list = cJSON_CreateArray();

			for (size_t i = 0; i < b.n; i++)
				if (b.cases[i].done)
					list_add(list, case_json(&b.cases[i]));
			json_print_own(list);
		}
		if (conf->plot && bench_plot(&b, conf->plot) < 0 && code == EXIT_OK)
			code = EXIT_BAD;
	}
	for (size_t i = 0; i < b.n; i++) {
		graph_free(b.cases[i].graph);
		free_all(b.cases[i].net, b.cases[i].times);
	}
	free(b.cases);
	return code;
}

const struct syntax cmd_bench = {
	.opts = bench_opts, .conf_size = sizeof(struct bench_conf), .code = true,
	.usage = "bench nets [NET...] [OPTIONS]",
	.about = bench_about, .run = bench_nets,
};
