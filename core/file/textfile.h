/*
 * textfile.h - reads texts that users write: numbers, logs, tables, lists, JSON.
 *
 * All editors, spreadsheets and systems are accepted: a byte order mark is skipped, and a line may
 * end in LF, CR LF or CR. A zero byte is an error, since it would silently end a C string.
 */
#ifndef CORE_FILE_TEXTFILE_H
#define CORE_FILE_TEXTFILE_H

#include <stddef.h>

/*
 * Content of a file with lines ended by '\n', followed by a NUL; the caller frees. NULL after
 * error() that names the file, and the line and offset of a zero byte, or the encoding if the text
 * is neither UTF-8 nor ASCII.
 */
char *textfile_read(const char *path);

/* textfile_read(), but a file of more than `most` bytes is an error. */
char *textfile_read_most(const char *path, size_t most);

/*
 * Converts in place, as textfile_read() does, n bytes already read that are followed by a NUL. 0 or
 * error().
 */
int textfile_clean(const char *path, char *text, size_t n);

/*
 * Returns the first line of *text, and moves *text to the rest, or to NULL. NULL: no lines are
 * left.
 */
char *textfile_line(char **text);

#endif
