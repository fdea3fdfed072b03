/* auto.c - finds the fastest type of lowering for a convolution. */
#include "nets/openblas/openblas.h"

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/file/paths.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file of choices ---- */

/*
 * The file of measured choices has lines
 *
 *     SUM FORWARD BACKWARD KEY
 *
 * with types 1 to 3, and the FNV-1a checksum of the rest. Lines with another checksum are ignored
 * with a note.
 */

enum { LINE = 1024 };           /* bytes of a line, at most */

char *ob_cache_path(void)
{
	return path_cached("lowering");
}

/* Parses a line without its newline; returns the key, or NULL. */
static const char *line_parse(const char *line, struct ob_choice *c)
{
	int at = 0, key = 0, forward, backward;
	uint64_t sum;

	if (sscanf(line, "%16" SCNx64 " %n%d %d %n", &sum, &at, &forward, &backward, &key) != 3
	    || !key || fnv_text(FNV_START, line + at) != sum || forward < 1 || forward > 3
	    || backward < 1 || backward > 3)
		return NULL;
	*c = (struct ob_choice){ (enum lowering)(forward - 1), (enum lowering)(backward - 1) };
	return line + key;
}

/* Calls use() for every valid line; false when the file cannot be read. */
static bool each_line(const char *path, bool (*use)(const char *line, const char *key,
						    struct ob_choice c, void *arg), void *arg)
{
	FILE *f = file_open(path);
	char line[LINE];
	int bad = 0;

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		struct ob_choice c;
		const char *key;

		line[strcspn(line, "\n")] = '\0';
		key = line_parse(line, &c);
		bad += !key;
		if (key && use(line, key, c, arg))
			break;
	}
	fclose(f);
	if (bad)
		note("'%s' is damaged; lines that are left out: %d", path, bad);
	return true;
}

struct search {
	const char *key;
	struct ob_choice *choice;
	bool found;
};

static bool line_compare(const char *line, const char *key, struct ob_choice c, void *arg)
{
	struct search *s = arg;

	(void)line;
	s->found = !strcmp(key, s->key);
	if (s->found)
		*s->choice = c;
	return s->found;
}

bool ob_cache_find(const char *path, const char *key, struct ob_choice *choice)
{
	struct search s = { key, choice, false };

	each_line(path, line_compare, &s);
	return s.found;
}

struct copy {
	const char *but;                /* key that is left out */
	FILE *to;
};

static bool copy_line(const char *line, const char *key, struct ob_choice c, void *arg)
{
	struct copy *copy = arg;

	(void)c;
	if (strcmp(key, copy->but))
		fprintf(copy->to, "%s\n", line);
	return false;
}

/* Makes the file's folder and its parent. */
static void make_cache_folders(const char *path)
{
	scoped char *folder = xstrdup(path);

	*strrchr(folder, '/') = '\0';
	*strrchr(folder, '/') = '\0';
	mkdir(folder, 0700);
	folder[strlen(folder)] = '/';
	mkdir(folder, 0700);
}

/* Writes the file's valid lines, and the new one. */
static bool cache_write(FILE *f, const char *path, const char *key, struct ob_choice c)
{
	char line[LINE];
	struct copy copy = { key, f };
	int n = snprintf(line, sizeof(line), "%d %d %s", (int)c.forward + 1, (int)c.backward + 1,
			 key);

	each_line(path, copy_line, &copy);
	if (n > 0 && (size_t)n < sizeof(line) - 32)
		fprintf(f, "%016" PRIx64 " %s\n", fnv_text(FNV_START, line), line);
	return !ferror(f) && !fflush(f);
}

void ob_cache_add(const char *path, const char *key, struct ob_choice c)
{
	scoped char *temporary = xasprintf("%s.XXXXXX", path);
	FILE *f = NULL;
	bool done = false;
	int fd;

	make_cache_folders(path);
	fd = mkstemp(temporary);
	if (fd >= 0)
		f = fdopen(fd, "w");
	if (f)
		done = cache_write(f, path, key, c);
	if (f ? fclose(f) : fd >= 0 && close(fd))
		done = false;
	if (!done || rename(temporary, path)) {
		note("cannot keep what was measured in '%s': %s", path, strerror(errno));
		if (fd >= 0)
			unlink(temporary);
	}
}

/* ---- choosing ---- */

/*
 * The fastest type of lowering for a convolution on this machine.
 *
 * Each geometry is measured once, in a small net around it. The choice is kept for the process, and
 * in a file for later ones. It does not depend on the batch, so that two contexts never differ.
 */

enum { KEY = 512, TRIES = 3, SAMPLES = 16 };
static const int64_t MACS = 200 * 1000 * 1000;  /* of one measurement, about */

/* ---- choices of this process ---- */

struct known {
	char key[KEY];
	struct ob_choice choice;
	struct known *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *ways_known;         /* guarded by the lock; lives as long as the process */

/* The known choice for a key; NULL: none. */
static struct known *known_find(const char *key)
{
	struct known *k = ways_known;

	while (k && strcmp(k->key, key))
		k = k->next;
	return k;
}

/* ---- the key ---- */

static void way_key(const struct layer *l, char key[KEY])
{
	char cpu[128];

	processor_name(cpu, sizeof(cpu));
	snprintf(key, KEY, "%dx%dx%d out %d kernel %d stride %d pad %d groups %d%s; %s; "
		 "%.80s; %.32s", l->is.h, l->is.w, l->is.c, l->os.c, l->kernel, l->stride,
		 l->pad, l->groups, l->in[0] ? "" : " of images", cpu, ob_version(),
		 ob_kernels());
}

/* ---- measuring ---- */

struct trial {
	struct graph *g;
	size_t n;
	int conv;                       /* index of the layer that is measured */
	float *x, *grad, *images;
	int32_t *labels;
};

/* Makes a net with the layer; after a relu, unless it reads the images, so that it has a dx. */
static void trial_open(struct trial *t, const struct layer *l)
{
	const int64_t n = MACS / (l->macs + 1);
	char *text = xasprintf("{\"layers\": [%s{\"layer\": \"conv\", \"out\": %d, \"kernel\": %d,"
			       " \"stride\": %d, \"pad\": %d, \"groups\": %d}, \"globalpool\","
			       " {\"layer\": \"dense\", \"out\": 2}]}",
			       l->in[0] ? "\"relu\", " : "",
			       l->os.c, l->kernel, l->stride, l->pad, l->groups);
	size_t floats;

	t->g = graph_parse(text, "measuring", l->is, 2);
	free(text);
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

/* Least seconds of each pass in a few tries; in one, if it is much slower than `best`. */
static struct layer_time time_type(const struct trial *t, enum lowering type,
				   const struct layer_time *best)
{
	scoped struct layer_time *times = xcalloc((size_t)t->g->n, sizeof(*times));
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
	return least;
}

static struct ob_choice choice_measure(const struct layer *l)
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
	graph_free(t.g);
	free(t.x);
	free(t.grad);
	free(t.images);
	free(t.labels);
	return choice;
}

struct ob_choice ob_choose(const struct layer *l)
{
	char key[KEY], *path;
	struct known *known;
	struct ob_choice choice = { LOWERING_1, LOWERING_1 };

	if (l->kernel == 1 && l->stride == 1)   /* all three types are the same */
		return choice;
	way_key(l, key);
	pthread_mutex_lock(&lock);
	known = known_find(key);
	if (!known) {
		path = ob_cache_path();
		if (!path || !ob_cache_find(path, key, &choice)) {
			choice = choice_measure(l);
			if (path)
				ob_cache_add(path, key, choice);
		}
		free(path);
		known = xcalloc(1, sizeof(*known));
		known->choice = choice;
		known->next = ways_known;
		snprintf(known->key, sizeof(known->key), "%s", key);
		ways_known = known;
	}
	choice = known->choice;
	pthread_mutex_unlock(&lock);
	return choice;
}
