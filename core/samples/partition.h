/*
 * partition.h - which worker trains on which samples: by chance, by label, by document.
 *
 * Each way to divide the training samples is a plug-in. A worker shuffles its own part, and begins
 * again when it has used all of it (batch.h). All workers are evaluated on the same test samples.
 */
#ifndef CORE_SAMPLES_PARTITION_H
#define CORE_SAMPLES_PARTITION_H

#include "core/samples/batch.h"
#include "core/samples/dataset.h"
#include "core/text/opt.h"

struct partition {
	struct sample_part *part;       /* [workers], owned; NULL: all share all samples */
	int64_t *order;                 /* [samples], owned; NULL: parts are of the set itself */
};

struct division {               /* samples to divide */
	int64_t n;
	const int32_t *label;   /* [n] classes; NULL unless the type reads them */
	int classes, workers;
	uint64_t seed;
};

struct partition_type {         /* plug-in: one way to divide */
	struct plugin plugin;
	bool labels;            /* reads the samples' classes */
	enum parts_by by;       /* parts that the data set finds, which is a text */
	/* owner[n] <- worker of each sample. 0, or error(). NULL: nothing is divided here. */
	int (*divide)(const void *conf, const struct division *d, int32_t *owner);
};

extern const struct plugin *const partition_table[];    /* NULL-ended; the first: shared */

/*
 * 0, or error() where sets of that type cannot be divided so. type NULL: the net has no data set.
 */
int partition_check(const struct choice *choice, const struct dataset_type *type);

/*
 * *p <- parts of the training samples, drawn by the seed; a data set's own where the choice is
 * `shared` and the set's settings ask for them. ds NULL: the net has no data set. 0, or error().
 * The caller calls partition_release() in either case.
 */
int partition_open(struct partition *p, const struct choice *choice, const struct dataset *ds,
		   int workers, uint64_t seed);
void partition_release(struct partition *p);

/* counts[workers][classes] <- training samples of each class that each worker has. */
void partition_count(const struct partition *p, const struct dataset *ds, int workers,
		     int64_t *counts);

#endif
