/* The program `convoy` of a wheel: starts the one with MPI where Open MPI is installed, else the other. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

int main(int argc, char **argv)
{
	char path[PATH_MAX + 16];
	const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	const char *name = dlopen("libmpi.so.40", RTLD_LAZY) ? "convoy-mpi" : "convoy-alone";
	char *slash;

	(void)argc;
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		strcpy(slash + 1, name);
	execv(path, argv);
	fprintf(stderr, "convoy: error: %s: %s\n", path, strerror(errno));
	return 128;
}
