/*
 * known.h - figures of the runs that answers were drawn from, in one file of a results folder.
 *
 * The file OUT/advise.points is a text of lines: the hash of a run's settings, its figures, and a
 * checksum. A line that is damaged, or has figures of no run, is left out and its run made again.
 */
#ifndef STUDY_ADVISE_KNOWN_H
#define STUDY_ADVISE_KNOWN_H

#include "record/record.h"

#include <stddef.h>
#include <stdint.h>

struct known {
	char *path;             /* of the file; owned */
	struct known_run {
		uint64_t hash;
		struct record_figures figures;
	} *run;                 /* [n] by hash; owned */
	uint64_t program;       /* part of the keys: a program of uncommitted sources; 0: none */
	size_t n, sorted;       /* those from `sorted` on are new, in any order */
	size_t saved;           /* of them, those that are in the file; SIZE_MAX: it is damaged */
	double saved_s;         /* time of clock_s() when it was last written */
};

/* Reads the file of that folder, if there is one; a note says what is damaged. */
void known_open(struct known *k, const char *out);

/* The figures of the run with that hash, borrowed until the next call; NULL: it is not known. */
const struct record_figures *known_find(struct known *k, const char *hash);

void known_add(struct known *k, const char *hash, const struct record_figures *figures);

/*
 * Writes the file if there are new runs or it is damaged, with the runs that other processes have
 * added since. `soon`: only if the last time was some seconds ago. 0 or error().
 */
int known_save(struct known *k, bool soon);

void known_release(struct known *k);

#endif
