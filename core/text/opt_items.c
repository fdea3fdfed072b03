/* Takes options from a text such as "key=value,key=value". */
#include "core/base/mem.h"
#include "core/text/opt.h"

#include <stdlib.h>
#include <string.h>

/* Ends the item at its comma and takes the backslashes out; returns the next item or NULL. */
static char *cut_item(char *item)
{
	char *to = item;

	for (; *item && *item != ','; item++) {
		if (*item == '\\' && item[1])
			item++;
		*to++ = *item;
	}
	item = *item ? item + 1 : NULL;
	*to = '\0';
	return item;
}

int opt_parse(const struct opt *opts, void *conf, const char *text, const char *where)
{
	char *copy = xstrdup(text);
	int rc = 0;

	for (char *item = *copy ? copy : NULL, *next, *value; item && !rc; item = next) {
		next = cut_item(item);
		value = strchr(item, '=');
		if (value)
			*value++ = '\0';
		rc = opt_set(opts, conf, item, value, where);
	}
	free(copy);
	return rc;
}

bool opt_gives(const struct opt *opts, const char *text, const char *key)
{
	char *copy = xstrdup(text);
	bool gives = false;

	for (char *item = copy, *next; item && !gives; item = next) {
		next = cut_item(item);
		item[strcspn(item, "=")] = '\0';
		gives = opt_find(opts, item) == opt_find(opts, key);
	}
	free(copy);
	return gives;
}
