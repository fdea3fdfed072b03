/* Published data sets: addresses, checksums, download and unpacking. */
#ifndef DATA_FETCH_GET_H
#define DATA_FETCH_GET_H

#include <stdbool.h>
#include <stdint.h>

struct get_file {
	const char *name;       /* appended to the address and to the folder to store in */
	int64_t bytes;
	const char *sha256;
};

struct get_set {
	const char *name;       /* of the data set, "cifar10" */
	const char *const *urls;        /* the publishers' address and mirrors, NULL-ended */
	const struct get_file *files;   /* ended by a NULL name */
	/* Sub-folder in which the loader looks: for the files, or for an archive's content. */
	const char *folder;
	const char *const *unpacked;    /* what an archive must hold, NULL-ended; NULL: none */
	bool flat;              /* the archive's files are in no folder; unpacked into `folder` */
	/* Value of --data for the set, with paths below CONVOY_DATA; NULL: "name:dir=DIR". */
	const char *data;
};

/* The set of that name, or NULL after error() naming the nearest name. */
const struct get_set *get_find(const char *name);

/* Name of the set that has a file, such as "wikitext-2/wiki.train.tokens"; NULL: none. */
const char *get_set_of(const char *file);

struct get_conf {
	const char *dir;        /* parent of the sub-folder; made if it is missing */
	const char *url;        /* replaces the published addresses; NULL: not */
	/* Called with a file's name, and bytes received of the set's total; nonzero stops. */
	int (*progress)(void *ctx, const char *name, int64_t done, int64_t bytes);
	void *ctx;
};

/*
 * Fetches the missing files of a set, checks and unpacks them, and removes the archive. 0; 1 when
 * stopped: another call continues; -1 after error().
 */
int get_fetch(const struct get_set *set, const struct get_conf *conf);

/* ---- the publishers' archives, tar, plain or gzip, and zip, by libarchive ---- */

/*
 * Unpacks the regular files below `folder` ("cifar-10-batches-bin") of an archive into DIR; with
 * flat, those in no folder into DIR/FOLDER. Each is renamed when it is complete and on disk; all
 * other entries are ignored. Nothing is written outside DIR/FOLDER. stop() is called between
 * blocks; NULL: never. 0; -1 after error() naming the archive and the file in it; 1 when stopped.
 */
int tar_unpack(const char *archive, const char *dir, const char *folder, bool flat,
	       int (*stop)(void *ctx), void *ctx);

#endif
