#include "tests/support/netcase.h"

#include "core/json.h"
#include "core/mem.h"
#include "core/paths.h"
#include "core/rng.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#define END "\"globalpool\", {\"layer\": \"dense\", \"out\": \"$classes\"}]}"

#define CONV(name, in) "{\"layer\": \"conv\", \"name\": \"" name "\", \"in\": \"" in "\"," \
	"\"out\": 6, \"kernel\": 3, \"pad\": 1, \"bias\": false},"
#define UNIT "{\"layers\": [" CONV("a", "input") "\"bn\", {\"layer\": \"relu\", \"name\": \"u\"},"
#define BRANCH(kind) "{\"layers\": [" CONV("a", "input") "{\"layer\": \"bn\", \"name\": \"b\"}," \
	CONV("c", "input") "{\"layer\": \"" kind "\", \"name\": \"v\"}," \
	"{\"layer\": \"add\", \"in\": [\"b\", \"v\"]}," END

const struct netcase netcases[] = {
	{ "conv", { 7, 6, 3 }, 4, 3,
	  "{\"layers\": ["
	  "{\"layer\": \"conv\", \"out\": 5, \"kernel\": 3, \"pad\": 1}, \"relu\","
	  "{\"layer\": \"conv\", \"out\": 6, \"kernel\": 3, \"stride\": 2, \"pad\": 1},"
	  "{\"layer\": \"conv\", \"out\": 3, \"kernel\": 2, \"bias\": false}," END },
	{ "conv-odd-windows", { 11, 9, 2 }, 3, 2,
	  "{\"layers\": ["
	  "{\"layer\": \"conv\", \"out\": 4, \"kernel\": 5, \"stride\": 3, \"pad\": 4},"
	  "{\"layer\": \"conv\", \"out\": 4, \"kernel\": 4, \"pad\": 2}," END },
	{ "conv-groups", { 6, 5, 4 }, 3, 3,
	  "{\"layers\": ["
	  "{\"layer\": \"conv\", \"out\": 6, \"kernel\": 3, \"pad\": 1, \"groups\": 2}, \"relu\","
	  "{\"layer\": \"conv\", \"out\": 6, \"kernel\": 3, \"pad\": 1, \"groups\": 6},"
	  "{\"layer\": \"conv\", \"out\": 3, \"kernel\": 1, \"groups\": 3}," END },
	{ "conv-pointwise", { 5, 4, 3 }, 3, 3,
	  "{\"layers\": [{\"layer\": \"conv\", \"out\": 7, \"kernel\": 1}, \"relu\","
	  "{\"layer\": \"conv\", \"out\": 5, \"kernel\": 1, \"bias\": false},"
	  "{\"layer\": \"conv\", \"out\": 4, \"kernel\": 1, \"stride\": 2}," END },
	{ "conv-wide", { 34, 40, 3 }, 3, 2,
	  "{\"layers\": [{\"layer\": \"conv\", \"out\": 33, \"kernel\": 3, \"pad\": 1}, \"bn\","
	  "\"relu\", {\"layer\": \"conv\", \"out\": 17, \"kernel\": 3, \"pad\": 1}, \"bn\","
	  "\"relu\"," END },
	{ "bn", { 5, 5, 3 }, 4, 6,
	  "{\"defaults\": {\"conv\": {\"kernel\": 3}}, \"layers\": [\"bn\","
	  "{\"layer\": \"conv\", \"out\": 5, \"bias\": false}, {\"layer\": \"bn\", \"eps\": 0.01},"
	  "{\"layer\": \"conv\", \"out\": 4}, \"bn\", \"relu\","
	  "{\"layer\": \"dense\", \"out\": 6}, \"bn\", \"relu\","
	  "{\"layer\": \"dense\", \"out\": \"$classes\"}]}" },
	{ "maxpool", { 9, 8, 3 }, 3, 3,
	  "{\"layers\": [{\"layer\": \"conv\", \"out\": 4, \"kernel\": 1},"
	  "{\"layer\": \"maxpool\", \"kernel\": 3, \"stride\": 2, \"ceil\": true},"
	  "{\"layer\": \"maxpool\", \"kernel\": 3, \"stride\": 1, \"pad\": 1},"
	  "{\"layer\": \"maxpool\", \"kernel\": 2}," END },
	{ "avgpool", { 9, 8, 3 }, 3, 3,
	  "{\"layers\": [{\"layer\": \"conv\", \"out\": 4, \"kernel\": 1},"
	  "{\"layer\": \"avgpool\", \"kernel\": 3, \"stride\": 2, \"ceil\": true},"
	  "{\"layer\": \"avgpool\", \"kernel\": 3, \"stride\": 1, \"pad\": 1},"
	  "{\"layer\": \"avgpool\", \"kernel\": 2}," END },
	{ "pool-input", { 8, 8, 2 }, 3, 2,
	  "{\"layers\": [{\"layer\": \"maxpool\", \"kernel\": 2}, {\"layer\": \"avgpool\","
	  "\"kernel\": 2}, \"relu\", {\"layer\": \"dense\", \"out\": \"$classes\"}]}" },
	{ "dropout", { 6, 6, 3 }, 3, 4,
	  "{\"layers\": [{\"layer\": \"dropout\", \"rate\": 0.2},"
	  "{\"layer\": \"conv\", \"out\": 6, \"kernel\": 3}, \"relu\","
	  "{\"layer\": \"dropout\", \"rate\": 0.4}, {\"layer\": \"dense\", \"out\": 9},"
	  "\"dropout\", {\"layer\": \"dropout\", \"rate\": 0},"
	  "{\"layer\": \"dense\", \"out\": \"$classes\"}]}" },
	{ "shortcut", { 7, 6, 3 }, 3, 4,
	  "{\"layers\": [{\"layer\": \"conv\", \"out\": 4, \"kernel\": 3, \"pad\": 1}, \"relu\","
	  "{\"layer\": \"conv\", \"out\": 7, \"kernel\": 3, \"pad\": 1, \"stride\": 2}, \"bn\","
	  "{\"layer\": \"shortcut\", \"in\": \"relu1\", \"out\": 7, \"stride\": 2},"
	  "{\"layer\": \"add\", \"in\": [\"bn1\", \"shortcut1\"]}, \"relu\","
	  "{\"layer\": \"shortcut\", \"in\": \"input\", \"out\": 7, \"stride\": 2},"
	  "{\"layer\": \"add\", \"in\": [\"shortcut2\", \"relu2\"]}," END },
	/* An add over a relu whose backward still needs its signs; one layer added to itself. */
	{ "add", { 5, 5, 4 }, 3, 3,
	  "{\"layers\": [{\"layer\": \"conv\", \"out\": 4, \"kernel\": 3, \"pad\": 1}, \"relu\","
	  "{\"layer\": \"conv\", \"in\": \"input\", \"out\": 4, \"kernel\": 1},"
	  "{\"layer\": \"add\", \"in\": [\"relu1\", \"conv2\"]}, \"relu\","
	  "{\"layer\": \"add\", \"in\": [\"relu2\", \"relu2\"]}, \"bn\", \"relu\","
	  "{\"layer\": \"dropout\", \"rate\": 0.3},"
	  "{\"layer\": \"add\", \"in\": [\"dropout1\", \"add2\"]}," END },
	/* One layer that every kind reads: each adds to a gradient that others have begun. */
	{ "fan-out", { 4, 5, 3 }, 4, 5,
	  "{\"layers\": [{\"layer\": \"conv\", \"name\": \"x\", \"out\": 4, \"kernel\": 1},"
	  "{\"layer\": \"relu\", \"in\": \"x\"}, {\"layer\": \"bn\", \"in\": \"x\"},"
	  "{\"layer\": \"dropout\", \"in\": \"x\"},"
	  "{\"layer\": \"maxpool\", \"in\": \"x\", \"kernel\": 3, \"stride\": 1, \"pad\": 1},"
	  "{\"layer\": \"avgpool\", \"in\": \"x\", \"kernel\": 3, \"stride\": 1, \"pad\": 1},"
	  "{\"layer\": \"conv\", \"in\": \"x\", \"out\": 4, \"kernel\": 3, \"pad\": 1},"
	  "{\"layer\": \"conv\", \"in\": \"x\", \"out\": 4, \"kernel\": 1},"
	  "{\"layer\": \"shortcut\", \"in\": \"x\", \"out\": 6},"
	  "{\"layer\": \"globalpool\", \"in\": \"x\"},"
	  "{\"layer\": \"dense\", \"in\": \"x\", \"out\": 4},"
	  "{\"layer\": \"add\", \"in\": [\"x\", \"relu1\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add1\", \"bn1\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add2\", \"dropout1\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add3\", \"maxpool1\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add4\", \"avgpool1\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add5\", \"conv1\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add6\", \"conv2\"]},"
	  "{\"layer\": \"globalpool\", \"in\": \"add7\"},"
	  "{\"layer\": \"add\", \"in\": [\"globalpool2\", \"globalpool1\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add8\", \"dense1\"]},"
	  "{\"layer\": \"globalpool\", \"in\": \"shortcut1\"}, {\"layer\": \"dense\", \"out\": 4},"
	  "{\"layer\": \"add\", \"in\": [\"add9\", \"dense2\"]},"
	  "{\"layer\": \"add\", \"name\": \"logits\", \"in\": [\"add10\", \"dense1\"]}]}" },
	/* A normalisation plus what changes the gradient it is handed, before the second pass. */
	{ "bn-plus-relu", { 6, 6, 3 }, 3, 4, BRANCH("relu") },
	{ "bn-plus-dropout", { 6, 6, 3 }, 3, 4, BRANCH("dropout") },
	/* Convolutions, none of which can add to a gradient, share an input. */
	{ "three-convs", { 6, 6, 3 }, 3, 4, UNIT
	  CONV("c1", "u") CONV("c2", "u") CONV("c3", "u")
	  "{\"layer\": \"add\", \"in\": [\"c1\", \"c2\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add1\", \"c3\"]}," END },
	{ "two-convs-and-identity", { 6, 6, 3 }, 3, 4, UNIT
	  CONV("c1", "u") CONV("c2", "u")
	  "{\"layer\": \"add\", \"in\": [\"c1\", \"c2\"]},"
	  "{\"layer\": \"add\", \"in\": [\"add1\", \"u\"]}," END },
	{ "mlp", { 6, 5, 2 }, 10, 4, NULL },
	{ "lenet", { 28, 28, 1 }, 10, 2, NULL },
	{ "resnet20", { 16, 16, 3 }, 10, 4, NULL },
	{ "vgg", { 32, 32, 3 }, 10, 8, NULL },
	{ .name = NULL }
};

/* Divides every number called "out" that is at least `from` by 16. */
static void narrow(cJSON *node, double from)
{
	for (cJSON *v = node->child; v; v = v->next) {
		if (cJSON_IsNumber(v) && v->string && !strcmp(v->string, "out")
		    && v->valuedouble >= from)
			cJSON_SetNumberValue(v, v->valuedouble / 16);
		narrow(v, from);
	}
}

static struct graph *small_zoo(const struct netcase *c)
{
	char *path = path_find("nets/zoo", c->name), *text;
	cJSON *root, *params;
	struct graph *g;

	assert_non_null(path);
	root = json_load(path);
	assert_non_null(root);
	if (!strcmp(c->name, "vgg"))
		narrow(root, 64);
	params = cJSON_GetObjectItem(root, "params");
	if (params)
		cJSON_SetNumberValue(cJSON_GetObjectItem(params, "blocks"), 1);
	text = cJSON_Print(root);
	g = graph_parse(text, c->name, c->input, c->classes);
	cJSON_free(text);
	cJSON_Delete(root);
	free(path);
	return g;
}

struct graph *netcase_load(const struct netcase *c)
{
	struct graph *g = c->json ? graph_parse(c->json, c->name, c->input, c->classes)
				  : small_zoo(c);

	assert_non_null(g);
	return g;
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
	t->imagesd = doubles(pixels, t->images);
	t->labels = xcalloc(c->n, sizeof(*t->labels));
	t->use = xcalloc(c->n, sizeof(*t->use));
	for (size_t i = 0; i < c->n; i++) {
		t->labels[i] = (int32_t)((i * 7 + 2) % (size_t)c->classes);
		t->use[i] = 1000 + 3 * i;
	}
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
