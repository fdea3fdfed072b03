/*
 * devices.c - published training rates of nets on accelerators, as compute times.
 *
 * Only figures that were read in their sources are here. A net with one rate takes time in
 * proportion to the batch.
 */
#include "plan/compute/kinds.h"

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
