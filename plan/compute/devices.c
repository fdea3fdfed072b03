/*
 * devices.c - where compute times are from: tables, and published training rates of nets on
 * accelerators.
 *
 * Only figures that were read in their sources are here. A net with one rate takes time in
 * proportion to the batch.
 */
#include "plan/compute/kinds.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char tensorflow[] = "TensorFlow 1 benchmarks page (tensorflow/docs, "
				 "site/en/r1/guide/performance/benchmarks.md), synthetic images";
static const char examples[] = "NVIDIA DeepLearningExamples (729963d), ResNet-50 in TensorFlow";
static const char pollux[] = "artifact of Pollux, OSDI 2021 (petuum/adaptdl, branch "
			     "osdi21-artifact), one GPU";
static const char llmc[] = "llm.c (discussion 481): 1e10 tokens on 8 GPUs in 90 minutes; windows "
			   "of 1024 tokens";
static const char nanogpt[] = "modded-nanogpt, README: 1e10 tokens on 8 GPUs in 45 minutes; "
			      "windows of 1024 tokens";

/* Tokens a second of a GPU over the tokens of a sample. */
#define GPT2(tokens_s) (tokens_s) / 1024.0

static const struct device_rate k80[] = {
	{ "resnet50", 64, 51.9, tensorflow }, { "alexnet", 512, 656, tensorflow },
	{ "vgg16", 64, 35.4, tensorflow }, { 0 }
};
static const struct device_rate p100[] = {
	{ "resnet50", 64, 219, tensorflow }, { "alexnet", 512, 2987, tensorflow },
	{ "vgg16", 64, 154, tensorflow }, { 0 }
};
static const struct device_rate t4[] = {
	{ "resnet50", 20, 136, pollux }, { "resnet50", 81, 193, pollux },
	{ "resnet50", 200, 217, pollux }, { "resnet18-cifar", 32, 748, pollux },
	{ "resnet18-cifar", 129, 1242, pollux }, { "resnet18-cifar", 363, 1399, pollux }, { 0 }
};
static const struct device_rate v100[] = { { "resnet50", 128, 412, examples }, { 0 } };
static const struct device_rate v100_mixed[] = { { "resnet50", 256, 1270, examples }, { 0 } };
static const struct device_rate a100[] = { { "resnet50", 256, 909, examples }, { 0 } };
static const struct device_rate a100_mixed[] = {
	{ "resnet50", 256, 2375, examples }, { "gpt2", 0, GPT2(231000), llmc },
	{ "gpt2-124m", 0, GPT2(231000), llmc }, { 0 }
};
static const struct device_rate h100_mixed[] = {
	{ "gpt2", 0, GPT2(463000), nanogpt }, { "gpt2-124m", 0, GPT2(463000), nanogpt }, { 0 }
};

#define DEVICE(id, called, about, rates)                                                           \
	static const struct compute_kind device_##id = {                                           \
		.plugin = { .name = called, .brief = about }, .rate = rates }

DEVICE(k80, "k80", "half an NVIDIA K80, one of its two GPUs", k80);
DEVICE(p100, "p100", "NVIDIA P100", p100);
DEVICE(t4, "t4", "NVIDIA T4 in an EC2 g4dn.12xlarge", t4);
DEVICE(v100, "v100", "NVIDIA V100, 16 GB, in f32", v100);
DEVICE(v100_mixed, "v100-mixed", "NVIDIA V100, 16 GB, in mixed precision", v100_mixed);
DEVICE(a100, "a100", "NVIDIA A100, 40 GB, in TF32", a100);
DEVICE(a100_mixed, "a100-mixed", "NVIDIA A100 in mixed precision", a100_mixed);
DEVICE(h100_mixed, "h100-mixed", "NVIDIA H100 in mixed precision", h100_mixed);

extern const struct compute_kind compute_measured;

const struct plugin *const compute_table[] = {
	&compute_measured.plugin, &device_k80.plugin, &device_p100.plugin, &device_t4.plugin,
	&device_v100.plugin, &device_v100_mixed.plugin, &device_a100.plugin,
	&device_a100_mixed.plugin, &device_h100_mixed.plugin, NULL
};

/* ---- points of the settings, of a file, or of a device ---- */

struct table_conf {
	char *file;
	struct opt_doubles batch, seconds;
};

static const struct opt table_opts[] = {
	OPT_TEXT(struct table_conf, file, "text file of lines BATCH SECONDS, batches ascending",
		 "PATH"),
	{ "batch", OPT_AT(DOUBLES, struct table_conf, batch), NULL,
	  "samples of the measured minibatches, ascending", "A/B/...", 0, 0, NULL, 0 },
	{ "seconds", OPT_AT(DOUBLES, struct table_conf, seconds), NULL,
	  "seconds of each", "S/T/...", 0, 0, NULL, 0 },
	{ 0 }
};

const struct compute_kind compute_measured = {
	.plugin = { .name = "table",
		    .brief = "measured times: batch to seconds, with an affine fit beyond them",
		    .opts = table_opts, .conf_size = sizeof(struct table_conf) },
};

static int table_points(const struct table_conf *c, struct timetable *to, const char *where)
{
	if (c->file && (c->batch.n || c->seconds.n))
		return error("%s: file and batch or seconds are two tables. Give one of them",
			     where);
	if (c->file && timetable_read(to, c->file) < 0)
		return -1;
	if (c->batch.n != c->seconds.n)
		return error("%s: %zu batches, but %zu times (expected a time for each batch)",
			     where, c->batch.n, c->seconds.n);
	for (size_t i = 0; i < c->batch.n; i++)
		timetable_add(to, c->batch.v[i], c->seconds.v[i]);
	return 0;
}

/* "resnet50, alexnet": each net of the list once. The caller frees. */
static char *device_nets(const struct device_rate *rate)
{
	char *text = xstrdup(rate->net);

	for (const struct device_rate *r = rate + 1; r->net; r++) {
		char *longer = strcmp(r->net, r[-1].net) == 0 ? NULL
			: xasprintf("%s, %s", text, r->net);

		if (longer) {
			free(text);
			text = longer;
		}
	}
	return text;
}

static int device_points(const struct device_rate *rate, const char *net, struct timetable *to,
			 const char *where)
{
	char *nets;

	for (const struct device_rate *r = rate; net && r->net; r++) {
		const double batch = r->batch > 0.0 ? r->batch : 1.0;

		if (strcmp(r->net, net) == 0)
			timetable_add(to, batch, batch / r->samples_s);
	}
	if (to->batch.n)
		return 0;
	nets = device_nets(rate);
	error("%s: no published rate of net %s on it (expected %s). Give a table of your own: "
	      "table:batch=A/B/...,seconds=S/T/...", where, net ? net : "that is not built in",
	      nets);
	free(nets);
	return -1;
}

int compute_points(const struct compute_kind *kind, const void *conf, const char *net,
		   struct timetable *to, const char *where)
{
	*to = (struct timetable){ 0 };
	if (kind->rate ? device_points(kind->rate, net, to, where) < 0
		       : table_points(conf, to, where) < 0)
		return -1;
	return timetable_check(to, where);
}
