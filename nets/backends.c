/* The table of compute backends that are built in, and the search by name. */
#include "nets/backend.h"

#include "core/text/word.h"

#include <string.h>

const struct backend *const backend_table[] = {
#ifdef CONVOY_HAVE_ONEDNN
	&backend_onednn,
#endif
	&backend_openblas,
	NULL
};

enum { BACKENDS = sizeof(backend_table) / sizeof(backend_table[0]) };

const struct backend *backend_find(const char *name)
{
	const char *known[BACKENDS] = { NULL };

	for (size_t i = 0; backend_table[i]; i++) {
		if (!strcmp(backend_table[i]->name, name))
			return backend_table[i];
		known[i] = backend_table[i]->name;
	}
	word_unknown(NULL, "backend", name, known);
	return NULL;
}
