/* A new folder before each test, removed after it. */
#include "tests/support/folder.h"

#include <stdlib.h>

char *folder;

int folder_open(void **state)
{
	unsetenv("CONVOY_DATA");
	folder = folder_new();
	return 0;
}

int folder_close(void **state)
{
	folder_remove(folder);
	return 0;
}
