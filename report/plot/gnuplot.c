/*
 * gnuplot.c - text inside a script of gnuplot, and running it with a limit on its time.
 */
#include "report/plot/plot.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- text ---- */

/*
 * Between single quotes nothing but the quote means anything; gnuplot misreads a doubled one at
 * the beginning, so a text that has any stands between double quotes, escaped. So does a text of
 * several lines.
 */
static void put_quoted(const char *text, char twice, FILE *out)
{
	const bool escape = strpbrk(text, "'\n") != NULL;
	const char quote = escape ? '"' : '\'';

	putc(quote, out);
	for (; *text; text++) {
		if (*text == twice)
			putc(*text, out);
		if (*text == '\n' && !twice)
			fputs("\\n", out);
		else if (escape && (*text == '"' || *text == '\\' || *text == '`'))
			fprintf(out, "\\%03o", (unsigned char)*text);
		else
			putc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, out);
	}
	putc(quote, out);
}

void gnuplot_string(const char *text, FILE *out)
{
	put_quoted(text, '\0', out);
}

void gnuplot_tic(const char *text, FILE *out)
{
	put_quoted(text, '%', out);
}

void gnuplot_path(const char *name, const char *suffix, FILE *out)
{
	char *path = xasprintf("%s%s%s", isalnum((unsigned char)*name) ? "" : "./", name, suffix);

	put_quoted(path, '\0', out);
	free(path);
}

void gnuplot_head(const char *name, FILE *out)
{
	char *line = xasprintf("# Edit, and run in this folder: gnuplot %s.gp", name);

	for (char *c = line; *c; c++)
		putc((unsigned char)*c < ' ' || *c == 127 ? ' ' : *c, out);
	fputs("\nset encoding utf8\n", out);
	free(line);
}

/* ---- the run ---- */

enum { LIMIT_MS = 60000, TICK_MS = 5, NOT_FOUND = 127 };

static _Noreturn void child(const char *script, const char *dir, int out, int complaints)
{
	int nothing = open("/dev/null", O_RDWR);

	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);          /* Ctrl-C leaves it to finish its file */
	if (dir && chdir(dir) < 0)
		_exit(NOT_FOUND - 1);
	dup2(nothing, 0);
	dup2(out >= 0 ? out : nothing, 1);
	dup2(complaints, 2);
	execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
	_exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

static bool (*stop_asked)(void);

void gnuplot_stop_when(bool (*stop)(void))
{
	stop_asked = stop;
}

bool gnuplot_stopped(void)
{
	return stop_asked && stop_asked();
}

/* Waits for the child at most LIMIT_MS; its wait status, or -1 when it had to be killed. */
static int await(pid_t pid)
{
	int status;

	for (int ms = 0; ms < LIMIT_MS && !gnuplot_stopped(); ms += TICK_MS) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
		clock_sleep(1e-3 * TICK_MS);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* The first line of complaint that says something. */
static void first_line(FILE *complaints, char why[256])
{
	rewind(complaints);
	while (fgets(why, 256, complaints)) {
		why[strcspn(why, "\n")] = 0;
		if (why[strspn(why, " \t^")])
			return;
	}
	strcpy(why, "gnuplot failed");
}

static int judge(int status, FILE *complaints, char why[256])
{
	if (status < 0) {
		strcpy(why, gnuplot_stopped() ? "interrupted" : "gnuplot took too long");
		return -1;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return 1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	first_line(complaints, why);
	return -1;
}

int gnuplot_run(const char *script, const char *dir, FILE *out, char why[256])
{
	FILE *complaints = tmpfile();
	pid_t pid;
	int rc;

	if (!complaints) {
		strcpy(why, "no temporary file can be made");
		return -1;
	}
	pid = fork();
	if (pid == 0)
		child(script, dir, out ? fileno(out) : -1, fileno(complaints));
	if (pid < 0) {
		strcpy(why, strerror(errno));
		rc = -1;
	} else {
		rc = judge(await(pid), complaints, why);
	}
	fclose(complaints);
	return rc;
}
