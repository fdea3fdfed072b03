/* Names that `convoy list` and the completion show, each with what it is. */
#ifndef CMD_LISTING_H
#define CMD_LISTING_H

#include <cjson/cJSON.h>
#include <stddef.h>

struct listed {
	char *name, *brief;             /* owned, as are the next; NULL: the file does not say */
	char *paper, *figure;           /* of an experiment */
	struct listed_scale {
		char *name, *time, *about;
	} *scales;                      /* [nscales] of an experiment */
	size_t nscales;
};

struct listing {
	struct listed *v;               /* [n], owned */
	size_t n;
};

/* Adds a name, which is copied; the rest of the struct is taken over. */
void listing_add(struct listing *list, const char *name, struct listed rest);

/* All built-in experiments. One that cannot be read is an error() and left out. */
struct listing listing_experiments(void);

/* Sets the scales to those of a spec. */
void listed_read_scales(struct listed *l, const cJSON *spec);

void listed_release(struct listed *l);
void listing_release(struct listing *l);

#endif
