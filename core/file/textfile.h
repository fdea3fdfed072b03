/*
 * textfile.h - the texts that users write: numbers, logs, tables, lists, JSON.
 *
 * All are read here, whatever editor, spreadsheet or system they are from: a byte order mark is
 * skipped, and a line may end in LF, CR LF or CR. A zero byte would silently end a text of C, so
 * it is an error.
 */
#ifndef CORE_FILE_TEXTFILE_H
#define CORE_FILE_TEXTFILE_H

#include <stddef.h>

/*
 * A whole file, its lines ended by '\n', with a NUL after; the caller frees. NULL after error()
 * that names the file, with the line and the offset of a zero byte, or the encoding of a text
 * that is not UTF-8 (or ASCII).
 */
char *textfile_read(const char *path);

/* The same of a file of so many bytes at most; a larger one is an error. */
char *textfile_read_most(const char *path, size_t most);

/* The same of n bytes that were read already, with a NUL after them, in place. 0 or error(). */
int textfile_clean(const char *path, char *text, size_t n);

/* Cuts the first line off *text, which then is the rest or NULL. NULL: there are no more lines. */
char *textfile_line(char **text);

#endif
