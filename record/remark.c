/* Notes below tables: runs that sent nothing, made no step, or are too short to time. */
#include "record/measure.h"

#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED = 6 };             /* runs, at most */

/* "diloco, 16": its values of the grid, but for the seed. The caller frees. */
static char *remark_name(const cJSON *run)
{
	char *name = NULL;
	const cJSON *value;

	cJSON_ArrayForEach(value, json_get(run, "point"))
		if (strcmp(value->string, "seed") != 0)
			xappend_own(&name, ", ", value_text(value));
	return name ? name : xstrdup(json_word(run, "algo"));
}

/* The runs from `first` on that have its remark. */
static char *remark_note(const cJSON *first)
{
	const char *remark = json_string(first, "remark");
	char *names = NULL, *last = NULL, *note;
	int named = 0;

	for (const cJSON *run = first; run; run = run->next) {
		const char *own = json_string(run, "remark");
		char *name = own && strcmp(own, remark) == 0 ? remark_name(run) : NULL;

		if (!name || (last && strcmp(name, last) == 0)) {
			free(name);
			continue;
		}
		free(last);
		last = name;
		if (named++ < NAMED)
			xappend_own(&names, "; ", xstrdup(name));
	}
	note = named > NAMED ? xasprintf("%s: %s; and %d more", remark, names, named - NAMED)
			     : xasprintf("%s: %s", remark, names);
	free(names);
	free(last);
	return note;
}

static bool remark_is_new(const cJSON *runs, const cJSON *run)
{
	const char *remark = json_string(run, "remark");

	for (const cJSON *before = runs->child; remark && before != run; before = before->next) {
		const char *own = json_string(before, "remark");

		if (own && strcmp(own, remark) == 0)
			return false;
	}
	return remark;
}

cJSON *remark_notes(const cJSON *runs)
{
	cJSON *notes = cJSON_CreateArray();
	const cJSON *run;

	cJSON_ArrayForEach(run, runs)
		if (remark_is_new(runs, run)) {
			char *note = remark_note(run);

			cJSON_AddItemToArray(notes, cJSON_CreateString(note));
			free(note);
		}
	return notes;
}
