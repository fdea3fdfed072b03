/*
 * pack.c - photographs from a folder into one file: some threads decode, one writes.
 *
 *	worker:  takes the next number i, waits for its slot i % WINDOW, decodes
 *	writer:  takes the slots in order, so the file has the order of the list
 */
#include "data/pack/pack.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/pack/writer.h"
#include "data/photo/photo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64 };           /* images under way at most */

struct item {
	bool ready;
	bool lost;              /* it cannot be read */
	uint8_t *at;            /* what to write; NULL: lost, or it cannot be decoded */
	size_t n;
	char why[JPEG_WHY];
};

struct packer {
	const struct pack_conf *conf;
	struct augment square;
	const struct photo_list *list;
	pthread_mutex_t lock;           /* guards all below */
	pthread_cond_t changed;
	size_t taken, written;          /* images */
	bool closing;
	struct item item[WINDOW];
};

/* ---- workers ---- */

/* The JPEG's own bytes, if it decodes; shrunk, because only its data matter. */
static bool check_jpeg(const struct item *it, char why[JPEG_WHY])
{
	struct picture p = { 0 };
	int height, width;
	struct jpeg *j = jpeg_open(it->at, it->n, &height, &width, why);
	bool ok = j && jpeg_read(j, 8, &p, why) == 0;

	jpeg_close(j);
	picture_release(&p);
	return ok;
}

static uint8_t *make_square(const struct packer *p, const struct item *it, char why[JPEG_WHY])
{
	const size_t n = (size_t)p->square.resize * (size_t)p->square.resize * 3;
	uint8_t *pixels = xcalloc(n, 1);

	if (photo_square(&p->square, it->at, it->n, pixels, why) == 0)
		return pixels;
	free(pixels);
	return NULL;
}

static void pack_prepare(const struct packer *p, size_t i, struct item *it)
{
	char *path = photo_path(p->list, i);
	uint8_t *pixels = NULL;
	const int r = photo_load(path, &it->at, &it->n, it->why);

	free(path);
	it->lost = r < 0;
	if (r == 0 && p->conf->jpeg && check_jpeg(it, it->why))
		return;
	if (r == 0 && !p->conf->jpeg)
		pixels = make_square(p, it, it->why);
	free(it->at);
	it->at = pixels;
	it->n = (size_t)p->square.resize * (size_t)p->square.resize * 3;
}

static void *worker_main(void *arg)
{
	struct packer *p = arg;

	pthread_mutex_lock(&p->lock);
	while (p->taken < p->list->n && !p->closing) {
		const size_t i = p->taken++;
		struct item it = { 0 };

		while (i >= p->written + WINDOW && !p->closing)
			pthread_cond_wait(&p->changed, &p->lock);
		if (p->closing)
			break;
		pthread_mutex_unlock(&p->lock);
		pack_prepare(p, i, &it);
		it.ready = true;
		pthread_mutex_lock(&p->lock);
		p->item[i % WINDOW] = it;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- the writer ---- */

static struct item pack_take(struct packer *p, size_t i)
{
	struct item *slot = &p->item[i % WINDOW], it;

	pthread_mutex_lock(&p->lock);
	while (!slot->ready)
		pthread_cond_wait(&p->changed, &p->lock);
	it = *slot;
	slot->ready = false;
	p->written++;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return it;
}

/* Without its bytes: skipped, or, where they cannot be read, error(). */
static int miss_item(const struct photo_list *l, size_t i, const struct item *it,
		     struct pack_result *result)
{
	char *path = photo_path(l, i);

	if (it->lost) {
		error("%s: %s", path, it->why);
	} else {
		warning("%s: %s; skipped", path, it->why);
		result->skipped++;
	}
	free(path);
	return it->lost ? -1 : 0;
}

static int write_item(struct packer *p, size_t i, const struct item *it, struct pack_file *f,
		      enum split split, struct pack_result *result)
{
	const struct photo_list *l = p->list;

	if (!it->at)
		return miss_item(l, i, it, result);
	result->n[split]++;
	return pack_file_add(f, it->at, it->n, l->label[i], l->names + l->name[i]);
}

static int write_items(struct packer *p, struct pack_file *f, enum split split, int64_t before,
		       int64_t all, struct pack_result *result)
{
	const struct pack_conf *conf = p->conf;
	int r = 0;

	for (size_t i = 0; i < p->list->n && r == 0; i++) {
		struct item it = pack_take(p, i);

		r = write_item(p, i, &it, f, split, result);
		free(it.at);
		if (r == 0 && conf->go_on &&
		    !conf->go_on(conf->ctx, before + (int64_t)i + 1, all)) {
			result->given_up = true;
			r = -1;
		}
	}
	return r;
}

static void close_workers(struct packer *p, pthread_t *thread, int n)
{
	pthread_mutex_lock(&p->lock);
	p->closing = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < WINDOW; i++)
		if (p->item[i].ready)
			free(p->item[i].at);
}

static int pack_split(const struct pack_conf *conf, const struct photo_list lists[2],
		      enum split split, struct pack_file *f, struct pack_result *result)
{
	struct packer p = { .conf = conf, .list = &lists[split],
			    .square = { conf->squeeze ? AUGMENT_CAFFE : AUGMENT_NONE,
					conf->resize, conf->resize } };
	pthread_t *thread = xcalloc((size_t)conf->threads, sizeof *thread);
	int64_t before = split == SPLIT_TEST ? (int64_t)lists[SPLIT_TRAIN].n : 0;
	int r, started = 0;

	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.changed, NULL);
	while (started < conf->threads &&
	       pthread_create(&thread[started], NULL, worker_main, &p) == 0)
		started++;
	r = started < conf->threads
		    ? error("cannot start thread %d of %d", started + 1, conf->threads)
		    : pack_file_split(f, split, p.list->n);
	if (r == 0)
		r = write_items(&p, f, split, before,
				(int64_t)(lists[0].n + lists[1].n), result);
	close_workers(&p, thread, started);
	pthread_cond_destroy(&p.changed);
	pthread_mutex_destroy(&p.lock);
	free(thread);
	return r;
}

/* ---- the whole ---- */

static int write_all(const struct pack_conf *conf, const struct photo_list lists[2],
		     const struct names *wnids, struct pack_result *result)
{
	struct pack_file *f = pack_file_new(conf->out, conf->jpeg ? 0 : conf->resize,
					    conf->squeeze);

	if (!f)
		return -1;
	if (pack_split(conf, lists, SPLIT_TRAIN, f, result) == 0 &&
	    pack_split(conf, lists, SPLIT_TEST, f, result) == 0) {
		if (result->n[SPLIT_TRAIN] > 0)
			return pack_file_finish(f, wnids, &result->bytes);
		error("%s: not one training image can be decoded", lists[SPLIT_TRAIN].root);
	}
	pack_file_drop(f);
	return -1;
}

int pack(const struct pack_conf *conf, struct pack_result *result)
{
	char *root = photo_root(conf->dir, true);
	struct photo_list lists[2] = { { 0 }, { 0 } };
	struct names wnids = { 0 };
	int r = -1;

	*result = (struct pack_result){ 0 };
	if (root && photo_classes(root, conf->synsets, &wnids) == 0 &&
	    photo_list_read(&lists[0], root, SPLIT_TRAIN, &wnids, NULL) == 0 &&
	    photo_list_thin(&lists[0], conf->train, "train") == 0 &&
	    photo_list_read(&lists[1], root, SPLIT_TEST, &wnids, conf->labels) == 0 &&
	    photo_list_thin(&lists[1], conf->test, "test") == 0)
		r = write_all(conf, lists, &wnids, result);
	photo_list_release(&lists[0]);
	photo_list_release(&lists[1]);
	names_release(&wnids);
	free(root);
	return r;
}
