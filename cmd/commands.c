/* The tables of commands, and of the parts of `convoy data`. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/text/word.h"
#include "runner/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command command_table[] = {
	{ "run", &cmd_run, "run experiments: tables, plots and claims from their specs",
	  IN_ORDER, "sweep, start", false },
	{ "watch", &cmd_watch, "follow unfinished runs in the terminal", IN_ORDER,
	  "tensorboard, monitor", true },
	{ "sim", &cmd_sim, "simulate one run, or a table of runs, from options", IN_ORDER,
	  "simulate", false },
	{ "train", &cmd_train, "train on real ranks, over MPI", IN_ORDER, "launch, mpirun", false },
	{ "tune", &cmd_tune, "find compute groups, momentum, learning rate by Omnivore's method",
	  IN_ORDER, "search", false },
	{ "advise", &cmd_advise, "rank algorithms on a cluster; find where another one is faster",
	  IN_ORDER, NULL, false },
	{ "replay", &cmd_replay, "repeat a recorded run in one process: bit-identical",
	  IN_ORDER, NULL, false },
	{ "trace", &cmd_trace, "show a recorded run's events, or draw its timeline", AT_ONCE,
	  NULL, true },
	{ "calibrate", &cmd_calibrate, "measure real ranks; writes a cluster file",
	  IN_ORDER, NULL, false },
	{ "delay", &cmd_delay, "fit delay models to a log of step times", AT_ONCE, NULL, false },
	{ "predict", &cmd_predict, "compare simulated with real runs of the same settings",
	  IN_ORDER, NULL, false },
	{ "table", &cmd_table, "print an experiment's tables from finished runs", AT_ONCE,
	  NULL, true },
	{ "plot", &cmd_plot, "draw an experiment's plots from finished runs", AT_ONCE,
	  "figure, draw", true },
	{ "claims", &cmd_claims, "check an experiment's claims on finished runs", AT_ONCE,
	  NULL, true },
	{ "decide", &cmd_decide, "add seeds until the claims of experiments are decided", IN_ORDER,
	  NULL, false },
	{ "report", &cmd_report, "write an experiment as one page of HTML", AT_ONCE, NULL, true },
	{ "sample", &cmd_sample, "print text from a kept model of a net of tokens",
	  AT_ONCE, NULL, false },
	{ "compare", &cmd_compare, "compare two results", AT_ONCE, "diff", true },
	{ "check", &cmd_check, "check a net's gradients, or an algorithm by runs",
	  IN_ORDER, NULL, false },
	{ "bench", &cmd_bench, "measure gradients per second of nets", AT_ONCE, NULL, false },
	{ "verify", &cmd_verify, "compare the simulator with closed forms", AT_ONCE, NULL, false },
	{ "play", &cmd_play, "print the path of the page with the simulator, or open it", AT_ONCE,
	  "web, browser, demo", true },
	{ "new", &cmd_new, "write a first version of an algorithm of your own", AT_ONCE,
	  "init, create", true },
	{ "data", &cmd_data, "fetch, pack or inspect data sets", AT_ONCE,
	  "download=data get", true },
	{ "list", &cmd_list, "list experiments, algos, nets, data, clusters, ..., finished runs",
	  AT_ONCE, "ls", true },
	{ "show", &cmd_show, "show one of these: options, layers, sources", AT_ONCE,
	  "info, describe", true },
	{ "schema", &cmd_schema, "print the JSON Schema of a spec, a net or a cluster", AT_ONCE,
	  NULL, true },
	{ "completion", &cmd_completion, "print the completion script of bash, zsh or fish",
	  AT_ONCE, NULL, true },
	{ "doctor", &cmd_doctor, "check what is installed and what this machine can do",
	  AT_ONCE, NULL, false },
	{ "help", &cmd_help, "show help on a command, or on all settings", AT_ONCE, NULL, true },
	{ "version", &cmd_version, "show version and build facts", AT_ONCE, NULL, true },
	{ "complete", &cmd_complete, NULL, AT_ONCE, NULL, true },
	{ .name = NULL }
};

const struct command *command_find(const char *name, const char *const *pages)
{
	enum { COMMANDS = sizeof(command_table) / sizeof(command_table[0]) };
	const char *known[COMMANDS + HELP_PAGES] = { NULL };
	char *own = NULL;
	size_t n = 0;

	for (; command_table[n].name; n++) {
		const struct command *c = &command_table[n];

		if (strcmp(c->name, name) == 0)
			return c;
		known[n] = c->brief ? c->name : NULL;
		own = own ? own : foreign_name(c->also, c->name, name);
	}
	while (n && !known[n - 1])
		n--;
	for (size_t i = 0; pages && pages[i]; i++)
		known[n++] = pages[i];
	word_unknown_but(NULL, pages ? "command or page" : "command", name, known, own);
	free(own);
	return NULL;
}

int command_run(const struct command *c, int argc, char **argv)
{
	signals_at_once(c->end == AT_ONCE);
	return args_main(c->syntax, argc, argv);
}

/* ---- `convoy data PART` ---- */

const struct command data_parts[] = {
	{ "info", &cmd_data_info, "what a set holds, and whether it is as published", AT_ONCE,
	  NULL, false },
	{ "get", &cmd_data_get, "fetch images or a text from their publishers",
	  IN_ORDER, NULL, false },
	{ "partition", &cmd_data_partition, "which samples each worker has, drawn",
	  AT_ONCE, NULL, false },
	{ "pack", &cmd_data_pack, "pack a folder of photographs into one file",
	  IN_ORDER, NULL, false },
	{ .name = NULL }
};

static void data_print_help(FILE *out)
{
	fprintf(out, "usage: convoy data PART [ARGUMENTS]\n\n");
	for (const struct command *p = data_parts; p->name; p++)
		fprintf(out, "  %-9s %s\n", p->name, p->brief);
	fprintf(out, "\nOptions of each: convoy data PART --help\n"
		"\n"
		"Examples:\n"
		"  convoy data get cifar10 -o data\n"
		"  convoy data info cifar10:dir=data\n"
		"  convoy data pack imagenet -o imagenet.h5\n");
}

static int data_main(int argc, char **argv)
{
	const char *known[sizeof(data_parts) / sizeof(data_parts[0])] = { NULL };

	if (argc < 3) {
		data_print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0) {
		data_print_help(stdout);
		return EXIT_OK;
	}
	for (size_t i = 0; data_parts[i].name; i++) {
		known[i] = data_parts[i].name;
		if (strcmp(argv[2], known[i]) == 0)
			return command_run(&data_parts[i], argc - 1, argv + 1);
	}
	word_unknown("data", "part", argv[2], known);
	return EXIT_USAGE;
}

const struct syntax cmd_data = { .main = data_main };
