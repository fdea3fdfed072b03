/* The published sets: where they lie, and how they come here. */
#ifndef DATA_FETCH_GET_H
#define DATA_FETCH_GET_H

#include <stdbool.h>
#include <stdint.h>

struct get_file {
	const char *name;       /* after the address, and below the folder it is kept in */
	int64_t bytes;
	const char *sha256;
};

struct get_set {
	const char *name;       /* of the data set, "cifar10" */
	const char *const *urls;        /* the publishers' address and mirrors, NULL-ended */
	const struct get_file *files;   /* ended by a NULL name */
	/* Sub-folder that the loader looks in: where files go, or what an archive unpacks to. */
	const char *folder;
	const char *const *unpacked;    /* what an archive must hold, NULL-ended; NULL: none */
	bool flat;              /* the archive's files are in no folder; they go into that one */
	/* What --data is to be told, paths being below CONVOY_DATA; NULL: "name:dir=DIR". */
	const char *data;
};

/* The set of that name, or NULL after error() naming the nearest. */
const struct get_set *get_find(const char *name);

/* The name of the set whose folder the file is in, "wikitext-2/wiki.train.tokens"; NULL: none. */
const char *get_set_of(const char *file);

struct get_conf {
	const char *dir;        /* that is to hold the sub-folder; made when missing */
	const char *url;        /* instead of the publishers' addresses; NULL: those */
	/* The name and how far it is, of all of the set's bytes; nonzero stops. */
	int (*progress)(void *ctx, const char *name, int64_t done, int64_t bytes);
	void *ctx;
};

/*
 * Fetches what of a set is not there, checks, unpacks, and removes the archive.
 * 0; 1 when stopped: a further call goes on; -1 after error().
 */
int get_fetch(const struct get_set *set, const struct get_conf *conf);

/* ---- the publishers' archives, tar, plain or gzip, and zip, by libarchive ---- */

/*
 * Writes the regular files below `folder` ("cifar-10-batches-bin") in the archive
 * into DIR; flat: those that are in no folder, into DIR/FOLDER. Each is renamed when it is
 * whole and on disk; everything else in the archive is passed over. Nothing is written
 * outside of DIR/FOLDER. stop NULL, or asked between blocks. 0; -1 after error() naming the
 * archive and the file in it; 1 when stopped.
 */
int tar_unpack(const char *archive, const char *dir, const char *folder, bool flat,
	       int (*stop)(void *ctx), void *ctx);

#endif
