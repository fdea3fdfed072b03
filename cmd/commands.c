/* The command table, and `convoy help`. */
#include "cmd/cmd.h"

#include "cmd/help_text.h"
#include "core/base/error.h"
#include "core/text/word.h"
#include "runner/signals.h"

#include <stdio.h>
#include <string.h>

const struct command command_table[] = {
	{ "run", cmd_run, "run experiments: tables, plots and claims from their specs", IN_ORDER },
	{ "watch", cmd_watch, "follow unfinished runs in the terminal", IN_ORDER },
	{ "sim", cmd_sim, "simulate one run, or a table of runs, from options", IN_ORDER },
	{ "train", cmd_train, "train on real ranks, over MPI", IN_ORDER },
	{ "tune", cmd_tune, "find compute groups, momentum, learning rate by Omnivore's method",
	  IN_ORDER },
	{ "advise", cmd_advise, "find from which slowdown or bandwidth on an algorithm is faster",
	  IN_ORDER },
	{ "replay", cmd_replay, "repeat a recorded run in one process: bit-identical",
	  IN_ORDER },
	{ "trace", cmd_trace, "show a recorded run's events, or draw its timeline", AT_ONCE },
	{ "calibrate", cmd_calibrate, "measure real ranks; writes a cluster file",
	  IN_ORDER },
	{ "delay", cmd_delay, "fit delay models to a log of step times", AT_ONCE },
	{ "predict", cmd_predict, "compare simulated with real runs of the same settings",
	  IN_ORDER },
	{ "table", cmd_table, "print an experiment's tables from finished runs", AT_ONCE },
	{ "plot", cmd_plot, "draw an experiment's plots from finished runs", AT_ONCE },
	{ "claims", cmd_claims, "check an experiment's claims on finished runs", AT_ONCE },
	{ "report", cmd_report, "write an experiment as one page of HTML", AT_ONCE },
	{ "sample", cmd_sample, "print text from a kept model of a net of tokens", AT_ONCE },
	{ "compare", cmd_compare, "compare two results", AT_ONCE },
	{ "check", cmd_check, "check a net's gradients", IN_ORDER },
	{ "bench", cmd_bench, "measure gradients per second of nets", AT_ONCE },
	{ "verify", cmd_verify, "compare the simulator with closed forms", AT_ONCE },
	{ "data", cmd_data, "fetch, pack or inspect data sets", AT_ONCE },
	{ "list", cmd_list, "list experiments, algos, nets, data, clusters, ..., finished runs",
	  AT_ONCE },
	{ "show", cmd_show, "show one of these: options, layers, sources", AT_ONCE },
	{ "schema", cmd_schema, "print the JSON Schema of a spec, a net or a cluster", AT_ONCE },
	{ "completion", cmd_completion, "print the completion script of bash, zsh or fish",
	  AT_ONCE },
	{ "doctor", cmd_doctor, "check what is installed and what this machine can do",
	  AT_ONCE },
	{ "help", cmd_help, "show help on a command, or on all settings", AT_ONCE },
	{ "version", cmd_version, "show version and build facts", AT_ONCE },
	{ "complete", cmd_complete, NULL, AT_ONCE },
	{ NULL, NULL, NULL, AT_ONCE }
};

static void print_commands(void)
{
	printf("usage: convoy COMMAND [ARGUMENTS]\n"
	       "\n"
	       "A convoy moves at the speed of its slowest ship: convoy trains networks with\n"
	       "synchronous and asynchronous SGD on simulated workers, in virtual time.\n"
	       "\n");
	for (const struct command *c = command_table; c->brief; c++)
		printf("  %-10s %s\n", c->name, c->brief);
	printf("\n"
	       "Examples:\n"
	       "  convoy run slow-worker               a paper's table: measured and published\n"
	       "  convoy sim --algo ad-psgd --timing --samples 50000 --slow 0:10\n"
	       "  convoy list experiments\n"
	       "  convoy help run                      usage, examples, options\n"
	       "  convoy help settings                 all settings of a run\n"
	       "  convoy help defaults                 which defaults depend on which settings\n"
	       "  convoy help measures                 what tables and plots can show of a run\n"
	       "\n"
	       "Exit codes: 0 done, 1 a run failed or an input is wrong, 128 the machine failed,\n"
	       "129 wrong command line, 130 and 143 ended by Ctrl-C or SIGTERM.\n");
}

const struct command *command_find(const char *name)
{
	const char *known[sizeof(command_table) / sizeof(command_table[0])];
	size_t n = 0;

	for (; command_table[n].name; n++) {
		if (strcmp(command_table[n].name, name) == 0)
			return &command_table[n];
		known[n] = command_table[n].brief ? command_table[n].name : NULL;
	}
	known[n] = NULL;
	word_unknown(NULL, "command", name, known);
	return NULL;
}

int command_run(const struct command *c, int argc, char **argv)
{
	signals_at_once(c->end == AT_ONCE);
	return c->main(argc, argv);
}

int cmd_help(int argc, char **argv)
{
	char help[] = "--help";
	const struct command *c;

	if (argc < 3 || strcmp(argv[2], help) == 0 || strcmp(argv[2], "-h") == 0) {
		print_commands();
		return EXIT_OK;
	}
	if (strcmp(argv[2], "--man") == 0 && argc == 4)
		return manual_print(argv[3]);
	if (strcmp(argv[2], "settings") == 0) {
		help_settings();
		return EXIT_OK;
	}
	if (strcmp(argv[2], "defaults") == 0) {
		help_defaults();
		return EXIT_OK;
	}
	if (strcmp(argv[2], "measures") == 0) {
		help_measures();
		return EXIT_OK;
	}
	c = command_find(argv[2]);
	if (!c)
		return EXIT_USAGE;
	if (c->main == cmd_help) {
		print_commands();
		return EXIT_OK;
	}
	return c->main(3, (char *[]){ argv[0], argv[2], help, NULL });
}
