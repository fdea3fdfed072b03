/* samples_file.h - formats of files with the user's own samples: what they have in common. */
#ifndef DATA_SAMPLES_FILE_H
#define DATA_SAMPLES_FILE_H

#include "data/samples.h"

/* Settings of every such format; the first member of its conf. */
struct samples_file {
	char *file, *contents;
	struct samples_conf samples;
};

#define SAMPLES_FILE_OPT(conf, text)                                                               \
	{ "file", OPT_AT(STRING, conf, of.file), NULL,                                             \
	  text "; a relative path is looked for below $CONVOY_DATA too", "PATH", 0, 0, NULL,       \
	  OPT_NOHASH }
#define SAMPLES_CONTENTS_OPT(conf)                                                                 \
	{ "contents", OPT_AT(STRING, conf, of.contents), NULL,                                     \
	  "digest that the data must have; a run fills it in, and has it in its hash", "DIGEST",   \
	  0, 0, NULL, OPT_NOHASH }

/* A format. */
struct samples_format {
	const struct dataset_type *numbers, *pixels;    /* of opened sets; pixels NULL: no such */
	const char *expected;                           /* in "expected ...", of its files */
	/*
	 * Reads a file. 0, or error() naming the file and what is wrong; either way the caller
	 * calls samples_release().
	 */
	int (*read)(const char *path, const void *conf, struct samples_raw *raw);
};

/* Members of a struct dataset_type, for a conf that begins with a struct samples_file. */
struct dataset *samples_file_open(const struct samples_format *f, const void *conf);
int samples_file_shape(const struct samples_format *f, const void *conf,
		       struct dataset_shape *shape);
int samples_file_count(const struct samples_format *f, const void *conf, int64_t n[2]);
int samples_file_look(const struct samples_format *f, const void *conf);
int samples_file_complete(const struct samples_format *f, void *conf);
uint64_t samples_file_contents(const void *conf);

#endif
