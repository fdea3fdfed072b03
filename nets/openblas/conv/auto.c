/*
 * auto.c - which type lowers a convolution fastest on this machine.
 *
 * Each geometry is measured once, in a small net around it; the choice is kept for the
 * process, and in a file for the next. It does not depend on the batch, so that two
 * contexts never differ.
 */
#include "core/base/error.h"
#include "nets/openblas/openblas.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { KEY = 512, TRIES = 3, SAMPLES = 16 };
static const int64_t MACS = 200 * 1000 * 1000;  /* of one measurement, about */

/* ---- what this process knows ---- */

struct known {
	char key[KEY];
	struct ob_choice choice;
	struct known *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *all_known;         /* under the lock; lives as long as the process */

static const struct known *find_known(const char *key)
{
	const struct known *k = all_known;

	while (k && strcmp(k->key, key))
		k = k->next;
	return k;
}

static void openblas_auto_remember(const char *key, struct ob_choice choice)
{
	struct known *k = xcalloc(1, sizeof(*k));

	snprintf(k->key, sizeof(k->key), "%s", key);
	k->choice = choice;
	k->next = all_known;
	all_known = k;
}

/* ---- the key ---- */

/* What the system calls the processor. */
static void openblas_auto_processor(char *name, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	struct utsname u;
	char line[256];

	snprintf(name, size, "%s", uname(&u) ? "unknown" : u.machine);
	while (f && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !colon)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
		break;
	}
	if (f)
		fclose(f);
}

static void key_of(const struct layer *l, char key[KEY])
{
	char cpu[128];

	openblas_auto_processor(cpu, sizeof(cpu));
	snprintf(key, KEY, "%dx%dx%d out %d kernel %d stride %d pad %d groups %d%s; %s; "
		 "%.80s; %.32s", l->is.h, l->is.w, l->is.c, l->os.c, l->kernel, l->stride,
		 l->pad, l->groups, l->in[0] ? "" : " of images", cpu, ob_version(),
		 ob_kernels());
}

/* ---- measuring ---- */

/* The layer in a net; after a relu, unless it reads the images, so that it has a dx. */
static struct graph *openblas_auto_around(const struct layer *l)
{
	char *text = xasprintf("{\"layers\": [%s{\"layer\": \"conv\", \"out\": %d, \"kernel\": %d,"
			       " \"stride\": %d, \"pad\": %d, \"groups\": %d}, \"globalpool\","
			       " {\"layer\": \"dense\", \"out\": 2}]}",
			       l->in[0] ? "\"relu\", " : "",
			       l->os.c, l->kernel, l->stride, l->pad, l->groups);
	struct graph *g = graph_parse(text, "measuring", l->is, 2);

	free(text);
	return g;
}

struct trial {
	struct graph *g;
	size_t n;
	int conv;                       /* the layer in question */
	float *x, *grad, *images;
	int32_t *labels;
};

static void trial_open(struct trial *t, const struct layer *l)
{
	const int64_t n = MACS / (l->macs + 1);
	size_t floats;

	t->g = openblas_auto_around(l);
	if (!t->g)
		BUG("a net around a convolution of %dx%dx%d does not parse", l->is.h, l->is.w,
		    l->is.c);
	t->n = n < 1 ? 1 : n > SAMPLES ? SAMPLES : (size_t)n;
	t->conv = l->in[0] ? 2 : 1;
	floats = t->n * shape_count(l->is);
	t->x = vec_new(t->g->dim);
	t->grad = vec_new(t->g->dim);
	t->images = vec_new(floats);
	t->labels = xcalloc(t->n, sizeof(*t->labels));
	graph_init(t->g, 1, t->x);
	for (size_t k = 0; k < floats; k++)
		t->images[k] = (float)(k % 17) - 8.0f;
}

static void trial_close(struct trial *t)
{
	graph_free(t->g);
	free(t->x);
	free(t->grad);
	free(t->images);
	free(t->labels);
}

/* The least seconds of each pass in a few tries; one when it is hopeless compared with `best`. */
static struct layer_time time_type(const struct trial *t, enum lowering type,
				   const struct layer_time *best)
{
	struct layer_time *times = xcalloc((size_t)t->g->n, sizeof(*times));
	struct layer_time least = { 1e9, 1e9 };
	const struct layer_time *of = &times[t->conv];
	struct backend_conf conf = { .lowering = type, .partitions = 1, .times = times };
	void *ctx = backend_openblas.open(t->g, &conf, t->n, NULL);

	for (int k = 0; k <= TRIES; k++) {      /* the first one warms up */
		memset(times, 0, (size_t)t->g->n * sizeof(*times));
		backend_openblas.grad(ctx, t->x, t->n, t->images, t->labels, 1, NULL, t->grad,
				      NULL);
		if (of->forward < least.forward)
			least.forward = of->forward;
		if (of->backward < least.backward)
			least.backward = of->backward;
		if (of->forward > 4 * best->forward && of->backward > 4 * best->backward)
			break;
	}
	backend_openblas.close(ctx);
	free(times);
	return least;
}

static struct ob_choice openblas_auto_measure(const struct layer *l)
{
	struct ob_choice choice = { LOWERING_1, LOWERING_1 };
	struct layer_time best = { 1e9, 1e9 };
	struct trial t;

	trial_open(&t, l);
	for (enum lowering type = LOWERING_1; type <= LOWERING_3; type++) {
		const struct layer_time now = time_type(&t, type, &best);

		if (now.forward < best.forward)
			choice.forward = type, best.forward = now.forward;
		if (now.backward < best.backward)
			choice.backward = type, best.backward = now.backward;
	}
	trial_close(&t);
	return choice;
}

static struct ob_choice openblas_auto_choose(const struct layer *l)
{
	char key[KEY], *path;
	const struct known *known;
	struct ob_choice choice;

	key_of(l, key);
	known = find_known(key);
	if (known)
		return known->choice;
	path = ob_cache_path();
	if (!path || !ob_cache_find(path, key, &choice)) {
		choice = openblas_auto_measure(l);
		if (path)
			ob_cache_add(path, key, choice);
	}
	free(path);
	openblas_auto_remember(key, choice);
	return choice;
}

struct ob_choice ob_choose(const struct layer *l)
{
	struct ob_choice choice;

	if (l->kernel == 1 && l->stride == 1)   /* all three are one */
		return (struct ob_choice){ LOWERING_1, LOWERING_1 };
	pthread_mutex_lock(&lock);
	choice = openblas_auto_choose(l);
	pthread_mutex_unlock(&lock);
	return choice;
}
