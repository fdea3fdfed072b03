/*
 * foreign.h - words of other programs (mpirun, SLURM, PyTorch, Horovod, Ray, ...) and what stands
 * for them here.
 */
#ifndef CORE_TEXT_FOREIGN_H
#define CORE_TEXT_FOREIGN_H

#include <stddef.h>

struct foreign {
	const char *word;       /* theirs, with '-' between its parts */
	const char *known;      /* ours, as lists of names have it */
	const char *text;       /* how ours is written where the name is not all; else NULL */
};

struct foreign_list {
	const char *among;      /* a name by which a list is known to be of this kind; NULL: any */
	const struct foreign *words;    /* the first that is known counts; ends with a NULL word */
};

/* Of options and settings, then of algorithms, schedules, ...; ends with NULL words. */
extern const struct foreign_list foreign_lists[];

/*
 * What stands for the word among the NULL-ended names, as it is written, or NULL. Case does not
 * count, and '_' is '-'.
 */
const char *foreign_find(const char *word, const char *const *names);

#endif
