/* Loads small nets, shrunk ones of the zoo included, with random weights and data. */
#include "tests/support/netcase.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/math/rng.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define END "'globalpool', {'layer': 'dense', 'out': '$classes'}]}"

#define CONV(name, in) "{'layer': 'conv', 'name': '" name "', 'in': '" in "'," \
	"'out': 6, 'kernel': 3, 'pad': 1, 'bias': false},"
#define UNIT "{'layers': [" CONV("a", "input") "'bn', {'layer': 'relu', 'name': 'u'},"
#define BRANCH(kind) "{'layers': [" CONV("a", "input") "{'layer': 'bn', 'name': 'b'}," \
	CONV("c", "input") "{'layer': '" kind "', 'name': 'v'}," \
	"{'layer': 'add', 'in': ['b', 'v']}," END

#define LRN(size, alpha, beta, k) "{'layer': 'lrn', 'size': " #size ", 'alpha': " alpha \
	", 'beta': " beta ", 'k': " k "},"
#define CEILPOOL "{'layer': 'maxpool', 'kernel': 3, 'stride': 2, 'ceil': true},"
#define BOTTLENECK(in, out, stride) \
	"{'layer': 'conv', 'in': '" in "', 'out': 4, 'kernel': 1}, 'bn', 'relu'," \
	"{'layer': 'conv', 'out': 4, 'kernel': 3, 'stride': " stride ", 'pad': 1}," \
	"'bn', 'relu', {'layer': 'conv', 'out': " #out ", 'kernel': 1}, 'bn',"

const struct netcase netcases[] = {
	{ "conv", { 7, 6, 3 }, 4, 3,
	  "{'layers': ["
	  "{'layer': 'conv', 'out': 5, 'kernel': 3, 'pad': 1}, 'relu',"
	  "{'layer': 'conv', 'out': 6, 'kernel': 3, 'stride': 2, 'pad': 1},"
	  "{'layer': 'conv', 'out': 3, 'kernel': 2, 'bias': false}," END },
	{ "conv-odd-windows", { 11, 9, 2 }, 3, 2,
	  "{'layers': ["
	  "{'layer': 'conv', 'out': 4, 'kernel': 5, 'stride': 3, 'pad': 4},"
	  "{'layer': 'conv', 'out': 4, 'kernel': 4, 'pad': 2}," END },
	{ "conv-groups", { 6, 5, 4 }, 3, 3,
	  "{'layers': ["
	  "{'layer': 'conv', 'out': 6, 'kernel': 3, 'pad': 1, 'groups': 2}, 'relu',"
	  "{'layer': 'conv', 'out': 6, 'kernel': 3, 'pad': 1, 'groups': 6},"
	  "{'layer': 'conv', 'out': 3, 'kernel': 1, 'groups': 3}," END },
	{ "conv-pointwise", { 5, 4, 3 }, 3, 3,
	  "{'layers': [{'layer': 'conv', 'out': 7, 'kernel': 1}, 'relu',"
	  "{'layer': 'conv', 'out': 5, 'kernel': 1, 'bias': false},"
	  "{'layer': 'conv', 'out': 4, 'kernel': 1, 'stride': 2}," END },
	{ "conv-wide", { 34, 40, 3 }, 3, 2,
	  "{'layers': [{'layer': 'conv', 'out': 33, 'kernel': 3, 'pad': 1}, 'bn',"
	  "'relu', {'layer': 'conv', 'out': 17, 'kernel': 3, 'pad': 1}, 'bn',"
	  "'relu'," END },
	{ "bn", { 5, 5, 3 }, 4, 6,
	  "{'defaults': {'conv': {'kernel': 3}}, 'layers': ['bn',"
	  "{'layer': 'conv', 'out': 5, 'bias': false}, {'layer': 'bn', 'eps': 0.01},"
	  "{'layer': 'conv', 'out': 4}, 'bn', 'relu',"
	  "{'layer': 'dense', 'out': 6}, 'bn', 'relu',"
	  "{'layer': 'dense', 'out': '$classes'}]}" },
	{ "maxpool", { 9, 8, 3 }, 3, 3,
	  "{'layers': [{'layer': 'conv', 'out': 4, 'kernel': 1},"
	  "{'layer': 'maxpool', 'kernel': 3, 'stride': 2, 'ceil': true},"
	  "{'layer': 'maxpool', 'kernel': 3, 'stride': 1, 'pad': 1},"
	  "{'layer': 'maxpool', 'kernel': 2}," END },
	{ "avgpool", { 9, 8, 3 }, 3, 3,
	  "{'layers': [{'layer': 'conv', 'out': 4, 'kernel': 1},"
	  "{'layer': 'avgpool', 'kernel': 3, 'stride': 2, 'ceil': true},"
	  "{'layer': 'avgpool', 'kernel': 3, 'stride': 1, 'pad': 1},"
	  "{'layer': 'avgpool', 'kernel': 2}," END },
	{ "pool-input", { 8, 8, 2 }, 3, 2,
	  "{'layers': [{'layer': 'maxpool', 'kernel': 2}, {'layer': 'avgpool',"
	  "'kernel': 2}, 'relu', {'layer': 'dense', 'out': '$classes'}]}" },
	/* One more than whole panels of outputs, and of inputs. */
	{ "dense-panels", { 4, 4, 3 }, 3, 4,
	  "{'layers': [{'layer': 'dense', 'out': 257}, 'relu', {'layer': 'dense', 'out': 513},"
	  "'relu', {'layer': 'dense', 'out': '$classes'}]}" },
	{ "dropout", { 6, 6, 3 }, 3, 4,
	  "{'layers': [{'layer': 'dropout', 'rate': 0.2},"
	  "{'layer': 'conv', 'out': 6, 'kernel': 3}, 'relu',"
	  "{'layer': 'dropout', 'rate': 0.4}, {'layer': 'dense', 'out': 9},"
	  "'dropout', {'layer': 'dropout', 'rate': 0},"
	  "{'layer': 'dense', 'out': '$classes'}]}" },
	{ "shortcut", { 7, 6, 3 }, 3, 4,
	  "{'layers': [{'layer': 'conv', 'out': 4, 'kernel': 3, 'pad': 1}, 'relu',"
	  "{'layer': 'conv', 'out': 7, 'kernel': 3, 'pad': 1, 'stride': 2}, 'bn',"
	  "{'layer': 'shortcut', 'in': 'relu1', 'out': 7, 'stride': 2},"
	  "{'layer': 'add', 'in': ['bn1', 'shortcut1']}, 'relu',"
	  "{'layer': 'shortcut', 'in': 'input', 'out': 7, 'stride': 2},"
	  "{'layer': 'add', 'in': ['shortcut2', 'relu2']}," END },
	/* An add over a relu whose backward still needs its signs; one layer added to itself. */
	{ "add", { 5, 5, 4 }, 3, 3,
	  "{'layers': [{'layer': 'conv', 'out': 4, 'kernel': 3, 'pad': 1}, 'relu',"
	  "{'layer': 'conv', 'in': 'input', 'out': 4, 'kernel': 1},"
	  "{'layer': 'add', 'in': ['relu1', 'conv2']}, 'relu',"
	  "{'layer': 'add', 'in': ['relu2', 'relu2']}, 'bn', 'relu',"
	  "{'layer': 'dropout', 'rate': 0.3},"
	  "{'layer': 'add', 'in': ['dropout1', 'add2']}," END },
	/* One layer that every kind reads: each adds to a gradient that others have begun. */
	{ "fan-out", { 4, 5, 3 }, 4, 5,
	  "{'layers': [{'layer': 'conv', 'name': 'x', 'out': 4, 'kernel': 1},"
	  "{'layer': 'relu', 'in': 'x'}, {'layer': 'bn', 'in': 'x'},"
	  "{'layer': 'dropout', 'in': 'x'},"
	  "{'layer': 'maxpool', 'in': 'x', 'kernel': 3, 'stride': 1, 'pad': 1},"
	  "{'layer': 'avgpool', 'in': 'x', 'kernel': 3, 'stride': 1, 'pad': 1},"
	  "{'layer': 'conv', 'in': 'x', 'out': 4, 'kernel': 3, 'pad': 1},"
	  "{'layer': 'conv', 'in': 'x', 'out': 4, 'kernel': 1},"
	  "{'layer': 'shortcut', 'in': 'x', 'out': 6},"
	  "{'layer': 'globalpool', 'in': 'x'},"
	  "{'layer': 'dense', 'in': 'x', 'out': 4},"
	  "{'layer': 'add', 'in': ['x', 'relu1']},"
	  "{'layer': 'add', 'in': ['add1', 'bn1']},"
	  "{'layer': 'add', 'in': ['add2', 'dropout1']},"
	  "{'layer': 'add', 'in': ['add3', 'maxpool1']},"
	  "{'layer': 'add', 'in': ['add4', 'avgpool1']},"
	  "{'layer': 'add', 'in': ['add5', 'conv1']},"
	  "{'layer': 'add', 'in': ['add6', 'conv2']},"
	  "{'layer': 'globalpool', 'in': 'add7'},"
	  "{'layer': 'add', 'in': ['globalpool2', 'globalpool1']},"
	  "{'layer': 'add', 'in': ['add8', 'dense1']},"
	  "{'layer': 'globalpool', 'in': 'shortcut1'}, {'layer': 'dense', 'out': 4},"
	  "{'layer': 'add', 'in': ['add9', 'dense2']},"
	  "{'layer': 'add', 'name': 'logits', 'in': ['add10', 'dense1']}]}" },
	/* A normalisation plus what changes the gradient it is handed, before the second pass. */
	{ "bn-plus-relu", { 6, 6, 3 }, 3, 4, BRANCH("relu") },
	{ "bn-plus-dropout", { 6, 6, 3 }, 3, 4, BRANCH("dropout") },
	/* Convolutions, none of which can add to a gradient, share an input. */
	{ "three-convs", { 6, 6, 3 }, 3, 4, UNIT
	  CONV("c1", "u") CONV("c2", "u") CONV("c3", "u")
	  "{'layer': 'add', 'in': ['c1', 'c2']},"
	  "{'layer': 'add', 'in': ['add1', 'c3']}," END },
	{ "two-convs-and-identity", { 6, 6, 3 }, 3, 4, UNIT
	  CONV("c1", "u") CONV("c2", "u")
	  "{'layer': 'add', 'in': ['c1', 'c2']},"
	  "{'layer': 'add', 'in': ['add1', 'u']}," END },
	/* Fewer channels than the window, as many, more; all normalised strongly. */
	{ "lrn", { 5, 4, 3 }, 3, 3,
	  "{'layers': [" LRN(5, "0.8", "0.75", "1")
	  "{'layer': 'conv', 'out': 5, 'kernel': 1}," LRN(5, "2", "0.5", "2")
	  "{'layer': 'conv', 'out': 9, 'kernel': 3}, 'relu'," LRN(3, "3", "1.5", "0.5")
	  LRN(1, "1", "0.75", "1") LRN(7, "1", "0", "1") END },
	{ "lrn-one-channel", { 6, 5, 1 }, 3, 3, "{'layers': [" LRN(5, "1", "0.75", "1") END },
	{ "lrn-wide", { 5, 5, 3 }, 3, 3,
	  "{'layers': [{'layer': 'conv', 'out': 37, 'kernel': 3}, 'relu',"
	  LRN(5, "1", "0.75", "1") "{'layer': 'conv', 'out': 16, 'kernel': 1},"
	  LRN(5, "1e-4", "0.75", "1") "'bn'," END },
	/* One layer that two normalisations, an add and a convolution read. */
	{ "lrn-fan-out", { 5, 5, 3 }, 3, 3,
	  "{'layers': [{'layer': 'conv', 'name': 'x', 'out': 6, 'kernel': 1},"
	  "{'layer': 'lrn', 'in': 'x', 'alpha': 1},"
	  "{'layer': 'lrn', 'in': 'x', 'alpha': 2, 'size': 3},"
	  CONV("y", "x") "{'layer': 'add', 'in': ['lrn1', 'lrn2']},"
	  "{'layer': 'add', 'in': ['add1', 'y']},"
	  "{'layer': 'add', 'in': ['add2', 'x']}," END },
	{ "concat", { 5, 6, 3 }, 4, 3,
	  "{'layers': [{'layer': 'conv', 'name': 'a', 'out': 5, 'kernel': 1}, 'relu',"
	  "{'layer': 'conv', 'name': 'b', 'in': 'input', 'out': 18, 'kernel': 3,"
	  "'pad': 1}, {'layer': 'concat', 'in': ['relu1', 'b']}, 'bn', 'relu',"
	  "{'layer': 'concat', 'in': ['relu2', 'input']},"
	  "{'layer': 'conv', 'out': 3, 'kernel': 3}," END },
	/* Read twice, made of one layer twice, and of a layer that an add reads too. */
	{ "concat-fan-out", { 5, 5, 3 }, 4, 3,
	  "{'layers': [{'layer': 'conv', 'name': 'x', 'out': 4, 'kernel': 1},"
	  "{'layer': 'relu', 'name': 'y'}, {'layer': 'concat', 'in': ['x', 'y']},"
	  CONV("c", "concat1") CONV("d", "concat1") "{'layer': 'concat', 'in': ['c', 'c']},"
	  "{'layer': 'conv', 'out': 6, 'kernel': 1},"
	  "{'layer': 'add', 'in': ['conv1', 'd']}, {'layer': 'concat',"
	  "'in': ['add1', 'x']}, {'layer': 'concat', 'in': ['concat3', 'concat1']},"
	  END },
	{ "concat-logits", { 3, 3, 2 }, 5, 3,
	  "{'layers': [{'layer': 'dense', 'out': 2}, {'layer': 'dense',"
	  "'in': 'input', 'out': 3}, {'layer': 'concat', 'in': ['dense1', 'dense2']}]}" },
	/* Blocks of the zoo's nets, small. */
	{ "groups-stride-lrn", { 27, 25, 4 }, 4, 3,
	  "{'layers': [{'layer': 'conv', 'out': 6, 'kernel': 5, 'stride': 2,"
	  "'groups': 2}, 'relu'," LRN(5, "1", "0.75", "1") CEILPOOL
	  "{'layer': 'conv', 'out': 8, 'kernel': 5, 'pad': 2, 'groups': 2}, 'relu',"
	  CEILPOOL LRN(5, "1", "0.75", "1") "{'layer': 'dense', 'out': 11}, 'relu', 'dropout',"
	  "{'layer': 'dense', 'out': '$classes'}]}" },
	{ "fire", { 6, 6, 5 }, 4, 3,
	  "{'layers': [{'layer': 'conv', 'out': 3, 'kernel': 1}, 'relu',"
	  "{'layer': 'conv', 'out': 7, 'kernel': 1}, 'relu',"
	  "{'layer': 'conv', 'in': 'relu1', 'out': 7, 'kernel': 3, 'pad': 1}, 'relu',"
	  "{'layer': 'concat', 'in': ['relu2', 'relu3']}, 'dropout',"
	  "{'layer': 'conv', 'out': '$classes', 'kernel': 1}, 'relu', 'globalpool']}" },
	{ "preactivation", { 8, 8, 3 }, 4, 4,
	  "{'layers': [" CONV("c", "input") "'bn', {'layer': 'relu', 'name': 'r'},"
	  "{'layer': 'conv', 'out': 8, 'kernel': 3, 'stride': 2, 'pad': 1}, 'bn', 'relu',"
	  "{'layer': 'conv', 'out': 8, 'kernel': 3, 'pad': 1},"
	  "{'layer': 'conv', 'in': 'r', 'out': 8, 'kernel': 1, 'stride': 2},"
	  "{'layer': 'add', 'in': ['conv2', 'conv3']}, 'bn', 'relu',"
	  "{'layer': 'conv', 'out': 8, 'kernel': 3, 'pad': 1}, 'bn', 'relu',"
	  "{'layer': 'conv', 'out': 8, 'kernel': 3, 'pad': 1},"
	  "{'layer': 'add', 'in': ['conv5', 'add1']}, 'bn', 'relu'," END },
	{ "bottleneck", { 8, 8, 6 }, 4, 4,
	  "{'defaults': {'conv': {'bias': false}}, 'layers': ["
	  BOTTLENECK("input", 8, "2") "{'layer': 'conv', 'name': 's', 'in': 'input',"
	  "'out': 8, 'kernel': 1, 'stride': 2}, {'layer': 'bn', 'name': 't'},"
	  "{'layer': 'add', 'in': ['bn3', 't']}, {'layer': 'relu', 'name': 'u'},"
	  BOTTLENECK("u", 8, "1") "{'layer': 'add', 'in': ['bn6', 'u']}, 'relu'," END },
	/* Functions of one value, first and last, on one input and after each other. */
	{ "curves", { 5, 4, 3 }, 4, 3,
	  "{'layers': ['tanh', {'layer': 'conv', 'name': 'x', 'out': 5, 'kernel': 3}, 'silu',"
	  "{'layer': 'sigmoid', 'in': 'x'}, {'layer': 'tanh', 'in': 'x'}, {'layer': 'gelu',"
	  "'in': 'x'}, {'layer': 'gelu', 'in': 'x', 'form': 'tanh'},"
	  "{'layer': 'add', 'in': ['silu1', 'sigmoid1']}, {'layer': 'add', 'in': ['add1', "
	  "'tanh2']}, {'layer': 'add', 'in': ['add2', 'gelu1']}, {'layer': 'add', 'in': ["
	  "'add3', 'gelu2']}, {'layer': 'add', 'in': ['add4', 'x']}, 'relu', 'tanh',"
	  "{'layer': 'dense', 'out': '$classes'}, 'silu']}" },
	{ "groupnorm", { 6, 5, 4 }, 4, 4,
	  "{'layers': [{'layer': 'groupnorm', 'groups': 2},"
	  "{'layer': 'conv', 'out': 6, 'kernel': 3, 'bias': false},"
	  "{'layer': 'groupnorm', 'groups': 3, 'bias': false, 'eps': 0.01}, 'relu',"
	  "{'layer': 'conv', 'out': 17, 'kernel': 1}, {'layer': 'groupnorm', 'groups': 17},"
	  "'silu', {'layer': 'groupnorm', 'groups': 1}," END },
	{ "groupnorm-fan-out", { 6, 6, 3 }, 3, 4,
	  "{'layers': [" CONV("x", "input") "{'layer': 'groupnorm', 'in': 'x', 'groups': 3},"
	  "{'layer': 'groupnorm', 'in': 'x', 'groups': 2},"
	  "{'layer': 'add', 'in': ['groupnorm1', 'groupnorm2']}, 'bn', 'relu',"
	  "{'layer': 'add', 'in': ['relu1', 'x']}," END },
	{ "bn-plus-silu", { 6, 6, 3 }, 3, 4, BRANCH("silu") },
	{ "lstm", { 7, 3, 2 }, 3, 4,
	  "{'layers': [{'layer': 'lstm', 'out': 5}, 'dropout',"
	  "{'layer': 'lstm', 'out': 4, 'last': true, 'bias': false},"
	  "{'layer': 'dense', 'out': '$classes'}]}" },
	/* Read by two lstm and an add; one step; logits. */
	{ "lstm-fan-out", { 5, 1, 4 }, 3, 3,
	  "{'layers': [{'layer': 'conv', 'name': 'x', 'out': 4, 'kernel': 1},"
	  "{'layer': 'lstm', 'in': 'x', 'out': 4}, {'layer': 'lstm', 'in': 'x', 'out': 4},"
	  "{'layer': 'add', 'in': ['lstm1', 'lstm2']}, {'layer': 'add', 'in': ['add1', 'x']},"
	  "'globalpool', {'layer': 'lstm', 'out': '$classes', 'last': true}]}" },
	{ "mlp", { 6, 5, 2 }, 10, 4, NULL },
	{ "lenet", { 28, 28, 1 }, 10, 2, NULL },
	{ "cifar-cnn", { 32, 32, 3 }, 10, 2, NULL },
	{ "cifar-small", { 32, 32, 3 }, 10, 2, NULL },
	{ "resnet20", { 16, 16, 3 }, 10, 4, NULL },
	{ "wrn-16-4", { 16, 16, 3 }, 10, 4, NULL },
	{ "vgg", { 32, 32, 3 }, 10, 8, NULL },
	{ "alexnet", { 67, 67, 3 }, 10, 2, NULL },
	{ "caffenet", { 67, 67, 3 }, 10, 2, NULL },
	{ "alexnet-bn", { 67, 67, 3 }, 10, 6, NULL },
	{ "squeezenet", { 47, 47, 3 }, 10, 3, NULL },
	{ "resnet18", { 64, 64, 3 }, 10, 6, NULL },
	{ "resnet50", { 64, 64, 3 }, 10, 6, NULL },
	{ .name = NULL }
};

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Numbers of channels above `from` a 16th of that, and stages of that many blocks. */
static void shrink(cJSON *node, double from, double blocks)
{
	static const char *const widths[] = { "out", "mid", "width", "squeeze", "expand" };

	for (cJSON *v = node->child; v; v = v->next) {
		shrink(v, from, blocks);
		if (!cJSON_IsNumber(v) || !v->string)
			continue;
		for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
			if (has_prefix(v->string, widths[i]) && v->valuedouble > from)
				cJSON_SetNumberValue(v, ceil(v->valuedouble / 16));
		if (has_prefix(v->string, "blocks"))
			cJSON_SetNumberValue(v, blocks);
	}
}

static struct graph *small_zoo(const struct netcase *c)
{
	char *path = path_find("nets/zoo", c->name), *text;
	struct graph *g;
	cJSON *root;

	assert_non_null(path);
	root = json_load(path);
	assert_non_null(root);
	if (!strcmp(c->name, "resnet20"))
		shrink(root, (double)INFINITY, 1);
	else if (strcmp(c->name, "mlp") && strcmp(c->name, "lenet"))
		shrink(root, 16, 2);
	text = cJSON_Print(root);
	g = graph_parse(text, c->name, c->input, c->classes);
	cJSON_free(text);
	cJSON_Delete(root);
	free(path);
	return g;
}

/* A text with ' for ", which C would have it escape; NULL after error(). */
static struct graph *netcase_parse(const char *quoted, const char *name, struct shape input,
				   int classes)
{
	char *text = xstrdup(quoted);
	struct graph *g;

	for (char *at = text; (at = strchr(at, '\''));)
		*at = '"';
	g = graph_parse(text, name, input, classes);
	free(text);
	return g;
}

struct graph *netcase_load(const struct netcase *c)
{
	struct graph *g = c->json ? netcase_parse(c->json, c->name, c->input, c->classes)
				  : small_zoo(c);

	assert_non_null(g);
	return g;
}

void netcase_refuses(const char *json, struct shape input, int classes, const char *why)
{
	capture_start();
	assert_null(netcase_parse(json, "bad.json", input, classes));
	capture_stop();
	if (!strstr(capture_text(), why))
		fail_msg("%s: %s", json, capture_text());
}

static float *randoms(uint32_t rank, size_t n, double dev, float *v)
{
	struct rng r;

	rng_at(&r, 99, RNG_DATA, rank, 0);
	for (size_t i = 0; i < n; i++)
		v[i] += (float)(dev * rng_normal(&r));
	return v;
}

static double *doubles(size_t n, const float *v)
{
	double *d = xcalloc(n, sizeof(*d));

	for (size_t i = 0; i < n; i++)
		d[i] = (double)v[i];
	return d;
}

void trial_open(struct trial *t, const struct netcase *c)
{
	size_t pixels = c->n * (size_t)(c->input.h * c->input.w * c->input.c);

	t->g = netcase_load(c);
	t->n = c->n;
	t->x = vec_new(t->g->dim);
	graph_init(t->g, 5, t->x);
	randoms(1, t->g->dim, 0.1, t->x);
	t->images = randoms(2, pixels, 1.0, vec_new(pixels));
	t->xd = doubles(t->g->dim, t->x);
	for (size_t i = 0; t->g->tokens && i < pixels; i++)
		t->images[i] = (float)((i * 5 + i / 3) % (size_t)c->classes);
	t->labels = xcalloc(c->n * (size_t)t->g->targets, sizeof(*t->labels));
	t->use = xcalloc(c->n, sizeof(*t->use));
	t->imagesd = doubles(pixels, t->images);
	for (size_t i = 0; i < c->n * (size_t)t->g->targets; i++)
		t->labels[i] = (int32_t)((i * 7 + 2) % (size_t)c->classes);
	for (size_t i = 0; i < c->n; i++)
		t->use[i] = 1000 + 3 * i;
}

void trial_close(struct trial *t)
{
	graph_free(t->g);
	free(t->x);
	free(t->images);
	free(t->xd);
	free(t->imagesd);
	free(t->labels);
	free(t->use);
}

void trial_step(struct trial *t, double lr, const float *g, const double *gd)
{
	for (size_t k = 0; k < t->g->dim; k++) {
		t->x[k] -= (float)lr * g[k];
		t->xd[k] -= lr * gd[k];
	}
}
