/* One layer of a net's file: its settings, its shape, its offset. */
#include "nets/graph/unroll.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"

#include <string.h>

enum layer_kind layer_find(const char *name)
{
	for (int k = LAYER_INPUT + 1; k < LAYER_KINDS; k++)
		if (!strcmp(layer_types[k].name, name))
			return (enum layer_kind)k;
	return LAYER_INPUT;
}

static int set_value(const struct layer_type *type, struct layer_conf *conf, const cJSON *v,
		     const char *where)
{
	char number[32];
	const char *text = number;

	if (cJSON_IsString(v))
		text = v->valuestring;
	else if (cJSON_IsBool(v))
		text = cJSON_IsTrue(v) ? "true" : "false";
	else if (cJSON_IsNumber(v))
		snprintf(number, sizeof(number), "%.17g", v->valuedouble);
	else
		return error("%s: \"%s\" is a number, true, false, or a word", where, v->string);
	if (!type->opts)
		return error("%s: unknown key '%s': a %s has no settings", where, v->string,
			     type->name);
	return opt_set(type->opts, conf, v->string, text, where);
}

static bool is_item_key(const char *key)
{
	for (int i = 0; net_item_keys[i].name; i++)
		if (!strcmp(net_item_keys[i].name, key))
			return true;
	return false;
}

static int read_conf(const struct builder *b, const struct layer_type *type, const cJSON *item,
		     struct layer_conf *conf, const char *where)
{
	const cJSON *v, *own = json_get(b->defaults, type->name);

	*conf = (struct layer_conf){ .stride = 1, .groups = 1, .div = 1, .bias_decay = true };
	if (type->opts)
		opt_init(type->opts, conf);
	cJSON_ArrayForEach(v, own)
		if (set_value(type, conf, v, where))
			return -1;
	cJSON_ArrayForEach(v, item)
		if (!is_item_key(v->string) && set_value(type, conf, v, where))
			return -1;
	return 0;
}

static struct layer *graph_add(struct builder *b)
{
	struct graph *g = b->g;

	if (g->n == b->capacity) {
		b->capacity *= 2;
		g->layers = xrealloc(g->layers, (size_t)b->capacity, sizeof(*g->layers));
	}
	return &g->layers[g->n++];
}

/* A shortcut that changes nothing is no layer: what it reads takes its name. */
static bool changes_nothing(const struct layer *l)
{
	return l->kind == LAYER_SHORTCUT && l->stride == 1 && l->os.c == l->is.c;
}

static int check_add(const struct graph *g, const struct layer *l, const char *where)
{
	struct shape a, b;

	if (l->kind != LAYER_ADD)
		return 0;
	a = g->layers[l->in[0]].os;
	b = g->layers[l->in[1]].os;
	if (a.h == b.h && a.w == b.w && a.c == b.c)
		return 0;
	return error("%s: cannot add %dx%dx%d of '%s' and %dx%dx%d of '%s'", where, a.h, a.w, a.c,
		     g->layers[l->in[0]].name, b.h, b.w, b.c, g->layers[l->in[1]].name);
}

/* A concatenation's channels are those of both inputs, whose pixels agree. */
static int widen_concat(const struct graph *g, struct layer *l, const char *where)
{
	struct shape a, b;

	if (l->kind != LAYER_CONCAT)
		return 0;
	a = g->layers[l->in[0]].os;
	b = g->layers[l->in[1]].os;
	if (a.h != b.h || a.w != b.w)
		return error("%s: cannot concatenate %dx%dx%d of '%s' with %dx%dx%d of '%s'", where,
			     a.h, a.w, a.c, g->layers[l->in[0]].name, b.h, b.w, b.c,
			     g->layers[l->in[1]].name);
	l->os.c = a.c + b.c;
	return shape_check(a.h, a.w, l->os.c, where);
}

/* The net reads either tokens, by a first layer that embeds them, or pixels. */
static int check_tokens(struct graph *g, const struct layer *l, const char *where)
{
	if (l->kind == LAYER_EMBED && l->in[0] != 0)
		return error("%s: reads tokens, and only the net's input is tokens", where);
	if (g->n == 1)
		g->tokens = l->kind == LAYER_EMBED;
	if (g->tokens && (!layer_takes_tokens(l) || (l->kind != LAYER_EMBED && l->in[0] == 0)))
		return error("%s: a %s cannot be in a net of tokens, which begins with \"embed\"",
			     where, layer_types[l->kind].name);
	if (!g->tokens && layer_takes_tokens(l) && l->kind > LAYER_CONCAT)
		return error("%s: is for nets of tokens, whose first layer is \"embed\"", where);
	return 0;
}

/* The layer's output and work; with a hint where the data set's images may be too small. */
static int infer_shape(const struct builder *b, const struct layer_type *type, struct layer *l,
		       const struct layer_conf *conf, const char *where)
{
	const struct shape in = b->g->input;
	int ret = type->shape(l, conf, where);

	if (ret == TOO_SMALL && (in.h < b->height || in.w < b->width))
		note("%s is made for images of %dx%d; those of %dx%d are too small for it",
		     b->path, b->height, b->width, in.h, in.w);
	ret = ret ? ret : widen_concat(b->g, l, where);
	return ret ? ret : layer_tie(b->g, l, where);
}

int layer_add(struct builder *b, struct scope *s, enum layer_kind kind, const cJSON *item,
	      const char *name, const char *where)
{
	const struct layer_type *type = &layer_types[kind];
	struct layer l = { .kind = kind };
	struct layer_conf conf;

	if (b->g->n >= LAYERS_MAX)
		return error("%s: more than %d layers", where, LAYERS_MAX);
	if (read_conf(b, type, item, &conf, where)
	    || scope_inputs(s, item, type->ins, l.in, where) || check_add(b->g, &l, where)
	    || check_tokens(b->g, &l, where))
		return -1;
	snprintf(l.name, sizeof(l.name), "%.*s%s", (int)sizeof(l.name) - 1, s->prefix, name);
	l.is = b->g->layers[l.in[0]].os;
	l.kernel = (int)conf.kernel;
	l.stride = (int)conf.stride;
	l.pad = (int)conf.pad;
	l.groups = (int)conf.groups;
	l.bias = conf.bias;
	l.ceil = conf.ceil;
	l.decay = conf.decay;
	l.bias_decay = conf.bias_decay;
	l.init = (enum init)conf.init;
	l.bias_init = (enum init)conf.bias_init;
	l.init_value = conf.init_value;
	l.bias_value = conf.bias_value;
	l.alpha = conf.alpha;
	l.power = conf.power;
	l.k = conf.k;
	l.eps = conf.eps;
	l.rate = conf.rate;
	l.heads = (int)conf.heads;
	l.positions = (int)conf.positions;
	l.vocabulary = b->g->classes;
	for (int k = 0; k < CLUSTERS_MAX; k++)
		l.cutoffs[k] = (int)conf.cutoffs[k];
	l.div = (int)conf.div;
	l.projection_value = conf.projection_value;
	l.tanh = conf.form;
	l.scaled = conf.scaled;
	l.memory = (int)conf.memory;
	l.test_memory = (int)conf.test_memory;
	l.test_clamp = (int)conf.test_clamp;
	l.test_same_length = conf.test_same_length;
	l.untied = conf.untied;
	l.position_rate = conf.position_rate;
	if (infer_shape(b, type, &l, &conf, where))
		return -1;
	if (changes_nothing(&l)) {
		scope_add(s, name, l.in[0]);
		return 0;
	}
	*graph_add(b) = l;
	scope_add(s, name, b->g->n - 1);
	return 0;
}
