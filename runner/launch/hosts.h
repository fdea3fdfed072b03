/* Lists and files of hosts: how many ranks they are for, and in the form of a launcher. */
#ifndef RUNNER_LAUNCH_HOSTS_H
#define RUNNER_LAUNCH_HOSTS_H

/*
 * Ranks of a list such as "a:2,b" (NULL: none), or else of a file of hosts (NULL: none), and 0
 * without both; -1 after error(). A host without a number has one rank, and one that comes again
 * has more. "#" begins a comment in a file.
 */
int hosts_ranks(const char *hosts, const char *file);

/* The list without spaces, tabs and empty entries. The caller frees. */
char *hosts_tidy(const char *hosts);

/*
 * Writes a temporary file of hosts with `separator` as of struct launcher: from a list
 * such as "a:2,b:2". Returns its path, or NULL after error(). The caller removes it, and
 * frees the path.
 */
char *hosts_write_list(const char *hosts, char separator);

/*
 * The same from a file where the launcher would read it otherwise than hosts_ranks(): ranks are
 * counted in the other form, or for Open MPI, which gives a host without a number one rank for each
 * core, and refuses a second number of a host. Else *path is NULL. 0 or error().
 */
int hosts_write_file(const char *file, char separator, char **path);

#endif
