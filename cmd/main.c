/* Finds the command, and sees to it that what it printed was written. */
#include "cmd/cmd.h"

#include "algos/own/own.h"
#include "cmd/args.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/file/output.h"
#include "core/math/matrix.h"
#include "nets/external/external.h"
#include "plan/settings/settings.h"
#include "record/environ.h"
#include "report/filter/filter.h"
#include "report/plot/plot.h"
#include "runner/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A full disk or a closed stream must not pass for success. */
static void close_stdout(void)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) != 0 || failed)
		die("cannot write to standard output%s%s", errno ? ": " : "",
		    errno ? strerror(errno) : "");
}

/*
 * Opens the standard streams that are closed, so that no file or pipe gets their numbers and what
 * is printed; one cannot write to them, nor read, as before.
 */
static void hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_DIE);
}

static int main_dispatch(int argc, char **argv)
{
	char *name = argv[1];
	const struct command *c;

	/* `convoy cluster show NAME`, as one may say it, is `convoy show cluster NAME` */
	if (argc > 2 && kind_known(name) &&
	    (strcmp(argv[2], "show") == 0 || strcmp(argv[2], "list") == 0)) {
		argv[1] = argv[2];
		argv[2] = name;
		name = argv[1];
	}
	environ_set_command(argc, argv);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return args_main(&cmd_help, 2, argv);
	if (strcmp(name, "--version") == 0)
		return args_main(&cmd_version, 2, argv);
	if (name[0] == '-') {
		error("unknown option '%s'; 'convoy help' lists the commands", name);
		return EXIT_USAGE;
	}
	c = command_find(name, NULL);
	if (!c)
		return EXIT_USAGE;
	return command_run(c, argc, argv);
}

/* True if the arguments may lead to matrix products: those of commands that only read do not. */
static bool may_multiply(int argc, char **argv)
{
	const struct command *c = command_table;

	while (argc > 1 && c->name && strcmp(c->name, argv[1]) != 0)
		c++;
	return argc > 1 && argv[1][0] != '-' && c->name && !c->no_products;
}

int main(int argc, char **argv)
{
	/*
	 * With less address space, OpenBLAS waits for memory without end when a process forks or
	 * exits, and oneDNN ends by a signal: so nothing begins, and exit() is not called. Commands
	 * that multiply no matrices need not load OpenBLAS.
	 */
#ifdef CONVOY_LOADS_OPENBLAS
	const double least = may_multiply(argc, argv) ? 4.4e8 : 0;
#else
	const double least = 2e8;
#endif
	const double left = memory_address_space();
	int code;

	hold_streams();
	if (left < least)
		die("the limit of address space, 'ulimit -v', leaves %.2g GB, and the libraries "
		    "need %.2g GB. Raise it.", 1e-9 * fmax(left, 0), 1e-9 * least);
	if (may_multiply(argc, argv))   /* loading OpenBLAS, even twice, takes milliseconds */
		matrix_kernels(argv);
	if (argc < 2) {
		args_main(&cmd_help, 1, argv);
		code = EXIT_USAGE;
	} else {
		own_algorithms();
		signals_catch();
		own_stop_when(signals_caught);
		external_stop_when(signals_caught);
		gnuplot_stop_when(signals_caught);
		filter_stop_when(signals_caught);
		code = output_code(main_dispatch(argc, argv));
		if (code == EXIT_BAD && signals_caught())
			code = signals_exit_code();
		external_end();
	}
	close_stdout();
	return code;
}
