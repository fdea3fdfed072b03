/* Files of hosts, in the form of one launcher or another. */
#ifndef RUNNER_LAUNCH_HOSTS_H
#define RUNNER_LAUNCH_HOSTS_H

#include <stdbool.h>

/*
 * Writes a temporary file of hosts with `separator` as of struct launcher: from a list
 * such as "a:2,b:2". Returns its path, or NULL after error(). The caller removes it, and
 * frees the path.
 */
char *hosts_write_list(const char *hosts, char separator);

/* The same from a file in either form; "#" begins a comment. */
char *hosts_write_file(const char *path, char separator);

/* True when the file counts ranks in the other form. */
bool hosts_file_differs(const char *path, char separator);

#endif
