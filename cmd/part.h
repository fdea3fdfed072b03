/*
 * part.h - WHAT:KEY=VALUE,KEY=VALUE: those runs of a result that have these settings.
 */
#ifndef CMD_PART_H
#define CMD_PART_H

#include <cjson/cJSON.h>

struct part {                   /* both owned */
	char *what;             /* a path, or the name of an experiment */
	cJSON *wanted;          /* {setting: text}, empty where all are meant */
};

/*
 * Reads the text; a path that is there is all of it. A comma parts settings, but for those of an
 * algorithm, a net and the like it stands between their options: such a setting is the last. 0, or
 * error() naming the setting.
 */
int part_read(struct part *p, const char *text);

/*
 * Leaves in an array of run objects those that have the settings: in any notation of a number, and
 * with the options that are named. 0, or error() when there is none, with the nearest value.
 */
int part_keep(const struct part *p, cJSON *runs);

void part_release(struct part *p);

#endif
