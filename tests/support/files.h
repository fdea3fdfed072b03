/* Folders for tests that write files. */
#ifndef TESTS_SUPPORT_FILES_H
#define TESTS_SUPPORT_FILES_H

#include <stddef.h>

/* A fresh folder under $TMPDIR or /tmp; the caller gives it to folder_remove(), which frees it. */
char *folder_new(void);

/* Removes the folder with everything in it. */
void folder_remove(char *folder);

enum packing { PACK_PLAIN, PACK_GZ, PACK_XZ };

/* Writes n bytes to FOLDER/NAME, with .gz or .xz appended if packed so; makes sub-folders. */
void folder_write(const char *folder, const char *name, enum packing packing, const void *at,
		  size_t n);

/* Removes FOLDER/NAME. */
void folder_unlink(const char *folder, const char *name);

/* Cuts FOLDER/NAME down to n bytes. */
void folder_truncate(const char *folder, const char *name, size_t n);

#endif
