/*
 * simulate.c - the simulator as a WebAssembly module: settings in, events and figures out.
 *
 * The page (page.js) calls, in a new instance for each run:
 *
 *     at = web_settings(n)     writes "key=value" lines there, of n bytes with the 0 at their end
 *     web_run()                0; -1: web_text() says why
 *     web_events()             [web_count()] struct web_event
 *     web_text()               JSON: figures that `convoy sim` prints, and messages
 *     web_algos()              "name<tab>what it does" of each algorithm, a line each
 */
#include "algos/algos.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/math/vec.h"
#include "core/text/word.h"
#include "delays/delay.h"
#include "nets/nets.h"
#include "record/record.h"
#include "record/recorder.h"
#include "sim/link/network.h"
#include "sim/sim.h"
#include "web/alone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* ---- settings: names, types, defaults and meaning as in plan/settings/settings.def ---- */

struct web_settings {
	char *algo, *net, *optim, *codec, *delay, *link, *slow;
	int64_t workers, batch, gradients, seed, samples;
	double lr, compute_s, eval_every;
	bool timing;
};

/* Bounds by which a run takes seconds, and the page a few hundred MB. */
enum {
	WORKERS_MOST = 256,
	GRADIENTS_MOST = 200000,
	DIM_MOST = 10000,
	EVENTS_MOST = 1000000,
	SECONDS_MOST = 8        /* of the wall clock */
};

#define FIELD(type, f) .name = #f, OPT_AT(type, struct web_settings, f)

static const struct opt settings_table[] = {
	{ FIELD(STRING, algo), .def = "allreduce", .help = "algorithm" },
	{ FIELD(STRING, net), .def = "quadratic", .help = "quadratic, logistic or bytes:N" },
	{ FIELD(STRING, optim), .def = "sgd", .help = "optimiser" },
	{ FIELD(STRING, codec), .def = "none", .help = "compression of gradients" },
	{ FIELD(STRING, delay), .def = "constant", .help = "variation of compute times" },
	{ FIELD(STRING, link), .def = "ideal", .help = "network" },
	{ FIELD(STRING, slow), .def = "none", .help = "slow workers" },
	{ FIELD(INT, workers), .def = "8", .min = 1, .max = WORKERS_MOST, .help = "workers" },
	{ FIELD(INT, batch), .def = "32", .min = 1, .max = 1 << 20, .help = "samples" },
	{ FIELD(INT, gradients), .def = "512", .min = 1, .max = GRADIENTS_MOST,
	  .help = "end of the run" },
	{ FIELD(INT, seed), .def = "1", .min = 0, .max = 1e15, .help = "seed" },
	{ FIELD(INT, samples), .def = "0", .min = 0, .max = 1e12, .help = "of an epoch" },
	{ FIELD(DOUBLE, lr), .def = "0.1", .min = 0, .max = 1e9, .help = "learning rate" },
	{ FIELD(DOUBLE, compute_s), .def = "0.1", .min = 1e-9, .max = 1e9, .help = "seconds" },
	{ FIELD(DOUBLE, eval_every), .def = "1", .min = 0, .max = 1e12, .help = "epochs" },
	{ FIELD(BOOL, timing), .def = "false", .help = "no gradients are computed" },
	{ .name = NULL }
};

struct bytes_conf {
	double bytes;
};

static const struct opt bytes_opts[] = {
	OPT_NUMBER(struct bytes_conf, bytes, "4e8", "bytes of a gradient", "BYTES", 4, 4e12),
	{ .name = NULL }
};

static const struct problem_type net_bytes = {
	.plugin = { .name = "bytes", .brief = "timing only: a net of so many bytes",
		    .opts = bytes_opts, .conf_size = sizeof(struct bytes_conf) },
};

extern const struct problem_type problem_quadratic, problem_logistic;

static const struct plugin *const nets[] = {
	&problem_quadratic.plugin, &problem_logistic.plugin, &net_bytes.plugin, NULL
};

struct prepared {               /* the settings, read: what the engine takes */
	struct web_settings in;
	struct choice algo, net, optim, codec, graph;
	struct topology topology;
	struct slow *slow;
	struct problem *problem;
	struct sampler sampler;
	struct sim_conf sim;
	struct run run;
};

static char *given;             /* the page's text */

static int read_lines(struct web_settings *in)
{
	char *rest = given, *line;

	opt_init(settings_table, in);
	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '=');

		if (!*line)
			continue;
		if (!value)
			return error("setting '%s': has no value (expected key=value)", line);
		*value++ = '\0';
		if (opt_set(settings_table, in, line, value, "settings") < 0)
			return -1;
	}
	return 0;
}

static int read_graph(struct prepared *p)
{
	const char *own = p->run.algo->graph;

	if (!own)
		return 0;
	if (choice_parse(&p->graph, graph_table, "graph", own) < 0 ||
	    topology_make(&p->topology, &p->graph, p->run.workers, p->run.seed) < 0)
		return -1;
	p->run.graph = &p->topology;
	return 0;
}

static int read_network(struct prepared *p)
{
	const char *text = p->in.link;
	char *name = xasprintf("%.*s", (int)clauses_model(text), text);
	const int ret = choice_parse(&p->sim.link, link_table, "link model", name);
	const struct link *link = (const struct link *)p->sim.link.plugin;

	free(name);
	if (ret < 0 || clauses_parse(&p->sim.own, text, p->run.workers) < 0)
		return -1;
	if (link->check && link->check(p->sim.link.conf) < 0)
		return -1;
	return network_check(link, p->sim.link.conf, &p->sim.own, p->run.workers);
}

static int read_times(struct prepared *p)
{
	p->sim.batch_s = p->in.compute_s;
	p->sim.shards = p->sim.in_flight = 1;
	p->sim.last = 1.0;
	p->sim.overlap = true;
	if (slow_parse(p->in.slow ? p->in.slow : "none", p->run.workers, &p->slow,
		       &p->sim.pace.nslow) < 0)
		return -1;
	p->sim.pace.slow = p->slow;
	p->sim.pace.delays = delays_new(delay_table, p->in.delay ? p->in.delay : "constant",
					p->run.workers, NULL);
	return p->sim.pace.delays ? 0 : -1;
}

static int read_problem(struct prepared *p)
{
	const struct problem_type *type = (const struct problem_type *)p->net.plugin;
	struct run *run = &p->run;

	if (!type->open) {
		run->dim = (size_t)(((const struct bytes_conf *)p->net.conf)->bytes / 4);
		run->samples = p->in.samples ? p->in.samples : 1 << 20;
		if (!p->in.timing)
			return error("net bytes: only its size is known, so it cannot be trained "
				     "(expected timing)");
	} else {
		if (type->parts && type->parts(p->net.conf, run->workers, NULL) <= 0)
			return error("net %s: optima divide the samples among workers, which this "
				     "page does not simulate", type->plugin.name);
		p->problem = type->open(p->net.conf);
		if (!p->problem)
			return -1;
		run->dim = p->problem->dim;
		run->samples = p->problem->n[SPLIT_TRAIN];
		if (run->dim > DIM_MOST)
			return error("net %s: %zu unknowns; this page trains up to %d",
				     type->plugin.name, run->dim, DIM_MOST);
	}
	if ((int64_t)run->batch <= run->samples / run->workers)
		return 0;
	return error("%d worker%s with batches of %zu need%s more than the %lld samples of an "
		     "epoch", run->workers, word_plural(run->workers), run->batch,
		     run->workers == 1 ? "s" : "", (long long)run->samples);
}

/* 0 or error(). */
static int prepare(struct prepared *p)
{
	struct web_settings *in = &p->in;

	if (read_lines(in) < 0 || choice_parse(&p->algo, algo_table, "algorithm", in->algo) < 0 ||
	    choice_parse(&p->net, nets, "net", in->net) < 0 ||
	    choice_parse(&p->optim, optim_table, "optimiser", in->optim) < 0 ||
	    choice_parse(&p->codec, codec_table, "codec", in->codec) < 0)
		return -1;
	p->run = (struct run){
		.algo = (const struct algo *)p->algo.plugin, .algo_conf = p->algo.conf,
		.workers = (int)in->workers, .seed = (uint64_t)in->seed,
		.batch = (size_t)in->batch,
		.optim = (const struct optim *)p->optim.plugin, .optim_conf = p->optim.conf,
		.codec = (const struct codec *)p->codec.plugin, .codec_conf = p->codec.conf,
		.lr = { .base = in->lr }, .gradients = in->gradients,
		.mark_every = in->timing ? 0 : in->eval_every,
	};
	if (read_graph(p) < 0 || read_network(p) < 0 || read_times(p) < 0 || read_problem(p) < 0)
		return -1;
	p->run.lr.epochs = run_epochs(&p->run, p->run.gradients);
	if (p->run.optim->check && p->run.optim->check(p->run.optim_conf, &p->run) < 0)
		return -1;
	if (codec_check(&p->run) < 0)
		return -1;
	return p->run.algo->check ? p->run.algo->check(&p->run) : 0;
}

/* ---- events for the page ---- */

enum web_kind {
	WEB_COMPUTED, WEB_DROPPED, WEB_RECEIVED, WEB_REDUCED, WEB_LOSS
};

struct web_event {              /* doubles only: the page reads them as one array */
	double kind, node, peer;        /* -1: the server, or none */
	double begun, time;             /* virtual seconds */
	double value;                   /* loss; bytes */
};

static struct web_event *events;
static size_t nevents, capacity;

struct watcher {
	struct hook hook;       /* first: the engine passes its address */
	const struct run *run;
	double until;           /* wall clock at which the run is stopped */
	volatile sig_atomic_t stop;
	unsigned seen;
	int64_t steps;          /* of the server's model, or of all workers' where there is none */
};

static void event_add(struct web_event e)
{
	if (nevents == EVENTS_MOST)
		return;
	if (nevents == capacity) {
		capacity = capacity ? 2 * capacity : 4096;
		events = xrealloc(events, capacity, sizeof(*events));
	}
	events[nevents++] = e;
}

static double event_loss(const struct run *run, const struct event *ev)
{
	if (!run->pool || !ev->model)
		return (double)NAN;
	return evaluate(run->pool, ev->model, SPLIT_TEST, 0, 1, NULL).loss;
}

static void on_event(struct hook *h, const struct event *ev)
{
	struct watcher *w = (struct watcher *)h;
	const double node = ev->node ? ev->node->rank : -1;

	if (++w->seen % 1024 == 0 && clock_s() > w->until)
		w->stop = 1;
	if (ev->kind == EV_STEP && (!w->run->algo->server || ev->node->rank == SERVER))
		w->steps++;
	if (ev->kind == EV_GRAD || ev->kind == EV_DROP)
		event_add((struct web_event){ ev->kind == EV_GRAD ? WEB_COMPUTED : WEB_DROPPED,
					      node, -1, ev->begun, ev->time, ev->loss });
	else if (ev->kind == EV_MARK || ev->kind == EV_SCORE)
		event_add((struct web_event){ WEB_LOSS, -1, -1, ev->time, ev->time,
					      event_loss(w->run, ev) });
	else if (ev->kind == EV_HANDLED && ev->handler == HANDLER_MSG)
		event_add((struct web_event){ WEB_RECEIVED, node, ev->peer, ev->begun, ev->time,
					      (double)ev->bytes });
	else if (ev->kind == EV_HANDLED && ev->handler == HANDLER_ALLREDUCE)
		event_add((struct web_event){ WEB_REDUCED, node, -1, ev->begun, ev->time,
					      (double)ev->bytes });
}

/* The loss before the first step. */
static void first_loss(const struct run *run)
{
	float *x = xlines(run->dim, sizeof(*x));

	run_start(run, x);
	event_add((struct web_event){ WEB_LOSS, -1, -1, 0, 0,
				      evaluate(run->pool, x, SPLIT_TEST, 0, 1, NULL).loss });
	free(x);
}

/* ---- the run ---- */

static char *messages, *text;

static void show_message(enum severity sev, const char *fmt, va_list ap)
{
	char *message = xvasprintf(fmt, ap);

	if (sev != SEV_NOTE)
		xappend(&messages, "\n", message);
	free(message);
	if (sev == SEV_BUG)
		abort();
}

/* Appends "key": "digits", as `convoy sim` prints a number; a diverged run's loss is none. */
static void text_number(const char *key, double x)
{
	xappend_own(&text, ", ", !isfinite(x) ? xasprintf("\"%s\": \"-\"", key)
					  : xasprintf("\"%s\": \"%g\"", key, x));
}

/* A count, in full. */
static void text_count(const char *key, double x)
{
	xappend_own(&text, ", ", xasprintf("\"%s\": \"%.0f\"", key, x));
}

/* Appends "key": "value", with what JSON does not have in a text. */
static void text_string(const char *key, const char *value)
{
	xappendf(&text, ", ", "\"%s\": \"", key);
	for (const char *c = value; *c; c++)
		xappendf(&text, "", "%s%c", strchr("\"\\", *c) ? "\\" : "", *c);
	xappend(&text, "", "\"");
}

static void text_fill(const struct run_result *result, const struct record_figures *f)
{
	text = xasprintf("{\"end\": \"%s\"", end_reason_name[result->end]);
	text_number("time_s", f->time_s);
	text_number("epochs", f->epochs);
	text_number("time_per_epoch_s", f->time_per_epoch_s);
	text_number("wait_share", f->wait_share);
	text_count("bytes_sent", f->bytes_sent);
	text_number("staleness_mean", f->staleness);
	text_number("train_loss", f->train_loss);
	text_number("test_loss", f->test_loss);
	text_count("gradients", (double)result->gradients);
	if (result->model)
		xappendf(&text, ", ", "\"model\": \"%016llx\"", (unsigned long long)result->model);
}

/* Steps of a model: the server's, the one that workers share, or one of the workers'. */
static double steps_of_model(const struct watcher *w)
{
	const struct algo *algo = w->run->algo;

	return (double)w->steps / (algo->server || algo->shared ? 1 : w->run->workers);
}

/* 0 or error(). */
static int run_watched(struct prepared *p)
{
	struct record_figures figures = { 0 };
	const struct record_info info = { .train_every = 0.1, .saved_late = true,
					  .stat_batches = 1, .figures = &figures };
	struct watcher w = { .hook = { .event = on_event }, .run = &p->run,
			     .until = clock_s() + SECONDS_MOST };
	struct run_result result = { 0 };
	struct recorder *recorder;
	char *remark;
	int ret;

	w.hook.mask = 1u << EV_GRAD | 1u << EV_DROP | 1u << EV_STEP | 1u << EV_MARK |
		      1u << EV_SCORE | 1u << EV_HANDLED;
	p->run.interrupted = &w.stop;
	recorder = recorder_open("", &info, &p->run);
	recorder_hook(recorder)->next = &w.hook;
	p->run.hooks = recorder_hook(recorder);
	ret = sim_run(&p->sim, &p->run, &result);
	remark = ret < 0 ? NULL : record_remark(recorder, &result);
	recorder_close(recorder, ret < 0 ? NULL : &result);
	if (ret < 0)
		return -1;
	if (result.end == END_INTERRUPTED)
		return error("stopped after %d seconds: too much for a page. Give fewer gradients "
			     "or workers, or use the command line", SECONDS_MOST);
	if (result.end == END_STALLED)
		return error("stalled after %g s and %lld gradient%s: %s", result.time,
			     (long long)result.gradients, word_plural((double)result.gradients),
			     result.waits[0] ? result.waits : "nothing was left to happen");
	text_fill(&result, &figures);
	text_number("model_steps", steps_of_model(&w));
	if (remark)
		text_string("remark", remark);
	xappend(&text, "", "}");
	return 0;
}

EXPORT(web_settings) char *web_settings(size_t n)
{
	return given = xcalloc(n + 1, 1);
}

EXPORT(web_run) int web_run(void)
{
	struct prepared p = { 0 };

	error_set_routine(show_message);
	if (prepare(&p) < 0)
		return -1;
	if (p.problem && !p.in.timing) {
		p.sampler = (struct sampler){ .seed = p.run.seed, .samples = p.run.samples,
					      .workers = p.run.workers, .size = p.run.batch,
					      .streams = p.problem->streams };
		p.run.pool = pool_alone(p.problem, &p.sampler);
		first_loss(&p.run);
	}
	return run_watched(&p);
}

EXPORT(web_events) const struct web_event *web_events(void)
{
	return events;
}

EXPORT(web_count) size_t web_count(void)
{
	return nevents;
}

EXPORT(web_text) const char *web_text(void)
{
	return messages ? messages : text ? text : "";
}

EXPORT(web_algos) const char *web_algos(void)
{
	char *all = NULL;

	for (size_t i = 0; algo_table[i]; i++)
		xappendf(&all, "\n", "%s\t%s", algo_table[i]->name, algo_table[i]->brief);
	return all ? all : "";
}
