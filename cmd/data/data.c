/* `convoy data PART`: what is about data sets, and about no run. */
#include "cmd/cmd.h"

#include "cmd/data/parts.h"
#include "core/base/error.h"
#include "core/text/word.h"

#include <stdio.h>
#include <string.h>

static void print_help(FILE *out)
{
	fprintf(out, "usage: convoy data PART [ARGUMENTS]\n\n");
	for (const struct command *p = data_parts; p->name; p++)
		fprintf(out, "  %-5s %s\n", p->name, p->brief);
	fprintf(out, "\nOptions of each: convoy data PART --help\n"
		"\n"
		"Examples:\n"
		"  convoy data get cifar10 -o data\n"
		"  convoy data info cifar10:dir=data\n"
		"  convoy data pack imagenet -o imagenet.h5\n");
}

static const struct command *find(const char *name)
{
	const char *known[DATA_PARTS + 1];
	size_t n = 0;

	for (; data_parts[n].name; n++) {
		if (strcmp(data_parts[n].name, name) == 0)
			return &data_parts[n];
		known[n] = data_parts[n].name;
	}
	known[n] = NULL;
	word_unknown("data", "part", name, known);
	return NULL;
}

int cmd_data(int argc, char **argv)
{
	const struct command *part;

	if (argc < 3) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0) {
		print_help(stdout);
		return EXIT_OK;
	}
	part = find(argv[2]);
	if (!part)
		return EXIT_USAGE;
	return command_run(part, argc - 1, argv + 1);
}
