/* `convoy check`: are the gradients of a net right, and does an algorithm keep its rules? */
#include "cmd/cmd.h"

#include "algos/algos.h"
#include "cmd/args.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/file/members.h"
#include "data/data.h"
#include "nets/external/external.h"
#include "report/text/say.h"
#include "runner/results/outcome.h"
#include "runner/signals.h"
#include "study/check/algo.h"
#include "study/check/check.h"
#include "study/check/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct conf {
	int64_t batch, input, seed, threads, steps;
	bool full, reference, json, quiet;
	char *data, *export, *backend, *optim;
	int precision;
	double lr;
};

/* By enum precision. */
static const char *const precision_names[] = { "f32", "bf16", NULL };

static const struct opt opts[] = {
	OPT_NUMBER(struct conf, batch, "4", "samples", "N", 2, 4096),
	OPT_NUMBER(struct conf, input, "0",
		   "side of the image in pixels; 0: the net's own, or where that would take long, "
		   "a half or a quarter of it", "SIDE", 0, 4096),
	OPT_NUMBER(struct conf, seed, "1", "of parameters, images and directions", "N", 0, 1e15),
	OPT_FLAG(struct conf, full,
	  "the net's own input, and differences for every blob, however long it takes"),
	{ "reference", OPT_AT(BOOL, struct conf, reference), "true",
	  "the slow double-precision reference, and differences; --no-reference leaves them out",
	  NULL, 0, 0, NULL, 0 },
	OPT_TEXT(struct conf, data,
	  "data set, with its options, whose first training images are used; else random ones",
	  "DATA"),
	OPT_TEXT(struct conf, export,
	  "write parameters, batch, logits, loss and gradient, without dropout, as HDF5", "FILE"),
	OPT_TEXT(struct conf, backend, "whose gradient is exported; else the first built in",
	  "NAME"),
	OPT_CHOICE(struct conf, precision, "f32", "of the exported gradient", "TYPE",
		   precision_names),
	OPT_NUMBER(struct conf, steps, "0",
		   "export the losses of so many steps of SGD on the batch too", "N", 0, 1e6),
	OPT_NUMBER(struct conf, lr, "0.01", "learning rate of these steps, or of an algorithm's "
		   "runs", "LR", 0, 1e6),
	OPT_TEXT(struct conf, optim, "optimiser of an algorithm's runs", "OPTIM"),
	OPT_NUMBER(struct conf, threads, "0",
		   "of the reference's passes, or fewer where memory is too small; 0: all cores",
		   "N", 0, 1024),
	OPT_FLAG(struct conf, json, "every error as JSON on stdout"),
	OPT_FLAG(struct conf, quiet, "no progress on stderr"),
	{ 0 }
};

static const char about[] =
	"Checks a net of the zoo, or a .json path, on a random batch: gradients blob by blob,\n"
	"loss, batch-norm statistics and evaluation. It compares the double-precision reference\n"
	"with finite differences of its loss, every backend with the reference and with the other\n"
	"backend, and bf16 with f32. Exits with 1 if an error is above its tolerance (marked !).\n"
	"~ marks an error that rounding alone explains: ReLUs and maxima near a change of sides,\n"
	"found by small random moves of parameters and images. The verdict is n/a for a net that\n"
	"magnifies rounding until bf16's gradient means nothing.\n"
	"A net python:FILE or exec:PROGRAM is compared with differences of its own loss.\n"
	"\n"
	"Of an algorithm, also in a file, it checks that the loss of the built-in quadratic falls\n"
	"with one and four workers, simulated and on real ranks, and with a slow worker; and that\n"
	"the same run repeated, after another one in its process, replayed, and stopped and\n"
	"resumed gives the same model.\n"
	"\n"
	"Examples:\n"
	"  convoy check algo ./mine.c:power=1 --lr 0.005\n"
	"  convoy check net resnet20\n"
	"  convoy check net my.json --input 16 --json\n"
	"  convoy check net vgg --no-reference --export vgg.h5 --steps 10 --data cifar10\n"
	"  convoy check net resnet50 --full";

/* ---- the errors as a table ---- */

enum { NAME_WIDTH = 36, ERROR_WIDTH = 14 };

/* Rows after the blobs. */
static const struct {
	const char *title, *key;
} others[OTHERS] = {
	[OTHER_WHOLE] = { "all parameters", "all" }, [OTHER_LOSS] = { "loss", "loss" },
	[OTHER_STATISTICS] = { "statistics", "statistics" }, [OTHER_LOGITS] = { "logits", "logits" }
};

/* limit: the tolerance; most: the same, or what rounding makes of it. */
static void print_error(double error, double limit, double most)
{
	const char *mark = error_is_fine(error, limit) ? "" :
			   error_is_fine(error, most)  ? " ~" :
							 " !";
	char text[32];

	snprintf(text, sizeof(text), isnan(error) ? "-" : "%.1e%s", error, mark);
	printf(" %*s", ERROR_WIDTH, text);
}

static void print_check(const struct check *c)
{
	const struct graph *g = c->graph;
	const struct comparison *all = c->comparisons, *end = all + c->ncomparisons, *k;

	printf("%s: input %dx%dx%d, batch %zu, seed %llu; %zu parameters in %zu blobs\n"
	       "Relative errors |a - b| / |b| of gradients, blob by blob; ! where too large, ~ "
	       "where\nrounding in f32 alone may do as much\n\n",
	       g->name, g->input.h, g->input.w, g->input.c, c->n, (unsigned long long)c->seed,
	       g->dim, g->nblobs);
	printf("%-*s", NAME_WIDTH, "");
	for (k = all; k < end; k++)
		printf(" %*s", ERROR_WIDTH, k->who);
	printf("\n%-*s", NAME_WIDTH, "compared with");
	for (k = all; k < end; k++)
		printf(" %*s", ERROR_WIDTH, k->against);
	for (size_t b = 0; b < g->nblobs; b++) {
		printf("\n%-*s", NAME_WIDTH, g->blobs[b].name);
		for (k = all; k < end; k++)
			print_error(k->blobs[b], k->tolerance_grad,
				    comparison_blob_tolerance(k, b));
	}
	for (int r = 0; r < OTHERS; r++) {
		printf("\n%-*s", NAME_WIDTH, others[r].title);
		for (k = all; k < end; k++)
			print_error(comparison_other(k, r),
				    r == OTHER_WHOLE ? k->tolerance_grad : k->tolerance,
				    comparison_other_tolerance(k, r));
	}
	printf("\n%-*s", NAME_WIDTH, "tolerance of gradients");
	for (k = all; k < end; k++)
		printf(" %*.1e", ERROR_WIDTH, k->tolerance_grad);
	printf("\n%-*s", NAME_WIDTH, "tolerance of the others");
	for (k = all; k < end; k++)
		printf(" %*.1e", ERROR_WIDTH, k->tolerance);
	printf("\n%-*s", NAME_WIDTH, "verdict");
	for (k = all; k < end; k++)
		printf(" %*s", ERROR_WIDTH, !comparison_holds(k, g->nblobs) ? "FAILS"
				      : isinf(k->tolerance_grad)      ? "n/a" : "holds");
	putchar('\n');
}

/* ---- the errors as JSON ---- */

/* JSON has no infinity: what is no number at all is -1. */
static struct member j_error(const char *key, double error)
{
	return j_number(key, isinf(error) ? -1 : error);
}

/* {blob: error}. */
static cJSON *blobs_json(const struct graph *g, const double *error)
{
	cJSON *json = cJSON_CreateObject();

	for (size_t b = 0; b < g->nblobs; b++)
		ADD(json, j_error(g->blobs[b].name, error[b]));
	return json;
}

static cJSON *check_json(const struct check *c)
{
	const struct graph *g = c->graph;
	const double input[] = { g->input.h, g->input.w, g->input.c };
	const struct comparison *k = c->comparisons, *end = k + c->ncomparisons;
	cJSON *list = cJSON_CreateArray();

	for (; k < end; k++) {
		cJSON *rounding = NULL, *one;

		if (k->rounding_whole != 0)
			rounding = OBJECT(j_error("all", k->rounding_whole),
					  j_json("blobs", blobs_json(g, k->rounding)));
		one = OBJECT(j_text("who", k->who), j_text("against", k->against),
			     j_number("tolerance", k->tolerance),
			     j_number("tolerance_gradient", k->tolerance_grad),
			     j_json("rounding", rounding),
			     j_bool("holds", comparison_holds(k, g->nblobs)));
		for (int i = 0; i < OTHERS; i++)
			ADD(one, j_error(others[i].key, comparison_other(k, i)));
		list_add(list, ADD(one, j_json("blobs", blobs_json(g, k->blobs))));
	}
	return OBJECT(j_text("net", g->name), j_numbers("input", input, 3),
		      j_number("batch", (double)c->n), j_number("seed", (double)c->seed),
		      j_number("parameters", (double)g->dim), j_bool("holds", check_holds(c)),
		      j_json("comparisons", list));
}

/* ---- the command ---- */

/* ---- a net that another process computes ---- */

static void print_external(const struct problem_check *c, const char *net)
{
	const struct problem *p = c->problem;

	printf("%s: %s; batch %zu, seed %llu; %zu parameters in %zu blobs;\n"
	       "%lld training and %lld test samples\n"
	       "Errors of gradients, compared with differences of the loss: at most %g, or marked "
	       "!\n\n%-*s %*s %*s %*s\n", net, external_versions(), c->n,
	       (unsigned long long)c->seed, p->dim, p->nblobs, (long long)p->n[SPLIT_TRAIN],
	       (long long)p->n[SPLIT_TEST], PROBLEM_TOLERANCE, NAME_WIDTH, "", ERROR_WIDTH,
	       "parameters", ERROR_WIDTH, "norm", ERROR_WIDTH, "error");
	for (size_t b = 0; b < p->nblobs; b++) {
		printf("%-*s %*zu %*.3g", NAME_WIDTH, p->blobs[b].name, ERROR_WIDTH,
		       p->blobs[b].count, ERROR_WIDTH, c->blobs[b].norm);
		print_error(c->blobs[b].error, PROBLEM_TOLERANCE, PROBLEM_TOLERANCE);
		putchar('\n');
	}
	printf("%-*s %*zu %*s", NAME_WIDTH, "all parameters", ERROR_WIDTH, p->dim, ERROR_WIDTH, "");
	print_error(c->whole, PROBLEM_TOLERANCE, PROBLEM_TOLERANCE);
	printf("\n%-*s %*s\n%-*s %*s\n", NAME_WIDTH, "the same gradient twice", ERROR_WIDTH,
	       c->repeats ? "identical" : "DIFFERS", NAME_WIDTH, "verdict", ERROR_WIDTH,
	       c->holds ? "holds" : "FAILS");
}

static cJSON *external_json(const struct problem_check *c, const char *net)
{
	const struct problem *p = c->problem;
	cJSON *blobs = cJSON_CreateArray();

	for (size_t b = 0; b < p->nblobs; b++)
		list_add(blobs, OBJECT(j_text("name", p->blobs[b].name),
				       j_number("parameters", (double)p->blobs[b].count),
				       j_number("norm", c->blobs[b].norm),
				       j_error("error", c->blobs[b].error)));
	return OBJECT(j_text("net", net), j_number("batch", (double)c->n),
		      j_number("seed", (double)c->seed), j_number("parameters", (double)p->dim),
		      j_number("loss", c->loss), j_number("tolerance", PROBLEM_TOLERANCE),
		      j_json("blobs", blobs), j_error("all", c->whole),
		      j_bool("repeats", c->repeats), j_bool("holds", c->holds));
}

static int check_external(const char *net, const struct conf *conf)
{
	struct problem_check c = { .n = (size_t)conf->batch, .seed = (uint64_t)conf->seed };
	struct problem *p;
	int code = EXIT_BAD;

	if (conf->data || conf->export || conf->input || conf->optim)
		return error("%s reads data of its own, and is not exported. Leave out --data, "
			     "--export, --input and --optim", net), EXIT_BAD;
	signals_at_once(true);
	p = external_open(net);
	if (!p)
		return EXIT_BAD;
	c.problem = p;
	if (problem_check(&c) == 0) {
		if (conf->json)
			json_print_own(external_json(&c, net));
		else
			print_external(&c, net);
		code = c.holds ? EXIT_OK : EXIT_BAD;
	}
	problem_check_release(&c);
	p->ops->close(p);
	return code;
}

static int check_net(const struct args *a)
{
	const struct conf *conf = a->conf;
	struct check c = {
		.seed = (uint64_t)conf->seed, .full = conf->full,
		.exported = conf->export != NULL,
		.threads = conf->threads ? (int)conf->threads : cores_allowed(),
	};
	struct check_export export = {
		.path = conf->export, .precision = (enum precision)conf->precision,
		.steps = (size_t)conf->steps, .lr = conf->lr,
	};
	int code = EXIT_BAD;

	if (external_chosen(a->words[1]))
		return check_external(a->words[1], conf);
	/* what is exported is read before anything is loaded */
	export.backend = conf->backend ? backend_find(conf->backend) : NULL;
	if ((conf->backend && !export.backend) || bf16_wish() < 0)
		return EXIT_BAD;
	if (export.backend == &backend_openblas && export.precision == PRECISION_BF16)
		return error("--precision: openblas computes in f32 only; bf16 needs onednn"),
		       EXIT_BAD;
	signals_at_once(true);
	if (conf->data && conf->input)
		error("--input cannot resize the images of a data set. Leave it out.");
	else if (conf->data)
		c.data = dataset_open_text(conf->data);
	if ((c.data || !conf->data) &&
	    !check_open(&c, a->words[1], conf->input, (size_t)conf->batch) &&
	    (!conf->reference || !check_fits(&c))) {
		progress_start(&c.progress, 1, conf->quiet);
		if (conf->reference) {
			check_reference(&c);
			check_differences(&c);
		}
		if (check_backends(&c) == 0) {
			progress_end(&c.progress);
			signals_at_once(false);
			if (conf->json)
				json_print_own(check_json(&c));
			else
				print_check(&c);
			if ((!conf->export || check_export(&c, &export) == 0) && check_holds(&c))
				code = EXIT_OK;
		}
	}
	check_close(&c);
	return code;
}

/* ---- an algorithm ---- */

static const char *const algo_words[] = {
	[ALGO_HOLDS] = "holds", [ALGO_FAILS] = "FAILS", [ALGO_SKIPPED] = "skipped",
};

static void print_algo(const struct algo_check *c)
{
	say("%s: quadratic, lr %g, %d gradients, seed %llu\n\n", c->algo, c->lr, ALGO_GRADIENTS,
	    (unsigned long long)c->seed);
	for (int i = 0; i < c->n; i++) {
		printf("%-21s %-8s ", c->rows[i].name, algo_words[c->rows[i].verdict]);
		say_line(c->rows[i].why, 31, 31, stdout);
	}
	printf("%-21s %s\n", "verdict", algo_words[c->holds ? ALGO_HOLDS : ALGO_FAILS]);
}

static cJSON *algo_json(const struct algo_check *c)
{
	cJSON *list = cJSON_CreateArray();

	for (int i = 0; i < c->n; i++)
		list_add(list, OBJECT(j_text("name", c->rows[i].name),
				      j_text("verdict", algo_words[c->rows[i].verdict]),
				      j_text("found", c->rows[i].why)));
	return OBJECT(j_text("algo", c->algo), j_number("lr", c->lr),
		      j_number("seed", (double)c->seed), j_bool("holds", c->holds),
		      j_json("checks", list));
}

static int check_algo(const char *algo, const struct conf *conf)
{
	struct algo_check c = { .algo = algo, .lr = conf->lr, .seed = (uint64_t)conf->seed,
				.optim = conf->optim };
	struct choice choice = { 0 };
	int code = EXIT_BAD;

	if (conf->data || conf->export || conf->input || conf->backend || conf->full ||
	    conf->steps || !conf->reference)
		return error("check algo: only --lr, --optim, --seed, --json and --quiet are "
			     "for algorithms"), EXIT_BAD;
	/* What a compiler says of a file is shown here, once. */
	if (choice_parse(&choice, algo_table, "algorithm", algo) < 0)
		return EXIT_BAD;
	c.shared = ((const struct algo *)choice.plugin)->shared != NULL;
	choice_release(&choice);
	if (algo_check(&c) == 0) {
		if (conf->json)
			json_print_own(algo_json(&c));
		else
			print_algo(&c);
		code = c.holds ? EXIT_OK : EXIT_BAD;
	}
	algo_check_release(&c);
	return code;
}

static int check_dispatch(const struct args *a)
{
	if (a->nwords == 2 && strcmp(a->words[0], "algo") == 0)
		return check_algo(a->words[1], a->conf);
	if (a->nwords == 2 && strcmp(a->words[0], "net") == 0)
		return check_net(a);
	return args_usage(a, "expected 'net' or 'algo', and the name of one");
}

const struct syntax cmd_check = {
	.opts = opts, .conf_size = sizeof(struct conf), .code = true,
	.usage = "check net|algo NAME [OPTIONS]",
	.about = about, .run = check_dispatch,
};
