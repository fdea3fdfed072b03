/* Files and folders as values of options. */
#include "cmd/complete/complete.h"

#include "core/base/mem.h"
#include "core/file/paths.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

void offer_paths(struct stem s)
{
	const char *slash = strrchr(s.text, '/');
	const struct stem last = slash ? stem_after(s, slash) : s;
	char *folder = !slash ? xstrdup(".")
			      : xasprintf("%.*s", (int)(slash - s.text) + 1, s.text);
	struct dirent **names;
	const int n = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		char *path = xasprintf("%s%s%s", folder, slash ? "" : "/", name);

		/*
		 * Folders and files match as they are spelled: offer() takes '-' for '_'. What is
		 * not plain is left to the shell's own completion.
		 */
		if ((*name != '.' || *last.text == '.') && strcmp(name, ".") &&
		    strcmp(name, "..") && !strpbrk(name, "~,=") &&
		    strncmp(name, last.text, strlen(last.text)) == 0)
			offer(last, name, dir_exists(path) ? "/" : "", NULL);
		free(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	free(folder);
}
