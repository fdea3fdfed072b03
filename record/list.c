/* Measures that a command line names. */
#include "record/list.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/opt.h"
#include "core/text/word.h"
#include "record/target.h"

#include <stdlib.h>
#include <string.h>

int measure_check(const char *option, const char *name)
{
	if (measure_known(name))
		return 0;
	if (target_named(name))
		return target_error("command line", option, name);
	word_unknown(option, "measure", name, measure_names);
	if (!nearest_word(name, measure_names))
		note("'convoy help measures' lists them");
	return -1;
}

char **measures_parse(const char *option, const char *text)
{
	char *copy = xstrdup(text), **names = xcalloc(strlen(text) + 2, sizeof(*names));
	size_t n = 0;
	int ret = 0;

	for (char *name = strtok(copy, ","); name && ret == 0; name = strtok(NULL, ",")) {
		names[n++] = xstrdup(name);
		ret = measure_check(option, name);
	}
	free(copy);
	if (n == 0)
		ret = error("%s: no measure is named", option);
	if (ret == 0)
		return names;
	path_list_free(names);
	return NULL;
}
