/* Loads a shared library and looks up its functions. */
#include "core/base/library.h"

#include "core/base/error.h"

#include <dlfcn.h>
#include <string.h>

void *library_load(const char *what, const char *file, const char *const *names, void *pointers,
		   size_t bytes)
{
	void *linked = dlopen(NULL, RTLD_LAZY), *library = linked;

	if (!linked || !dlsym(linked, names[0]))
		library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		die("%s cannot be loaded: %s. Install its package", what, dlerror());
	for (size_t i = 0; names[i]; i++) {
		void *const at = dlsym(library, names[i]);

		if (!at || (i + 1) * sizeof(at) > bytes)
			die("%s, '%s', has no '%s'", what, file, names[i]);
		memcpy((char *)pointers + i * sizeof(at), &at, sizeof(at));
	}
	return library;
}
