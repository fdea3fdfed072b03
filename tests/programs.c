/* The test programs of a folder, linked as one: the name that it is called by says which to run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM(name) int main_##name(void);
#include PROGRAMS
#undef PROGRAM

static const struct {
	const char *name;
	int (*run)(void);
} programs[] = {
#define PROGRAM(name) { #name, main_##name },
#include PROGRAMS
};

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
	for (size_t k = 0; k < sizeof(programs) / sizeof(programs[0]); k++)
		if (strcmp(programs[k].name, name) == 0)
			return programs[k].run();
	fprintf(stderr, "%s: no tests have this name; call a link whose name is that of a test\n",
		name);
	return EXIT_FAILURE;
}
