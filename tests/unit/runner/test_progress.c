/* The line of progress: its rate and the time left. */
#include "runner/progress.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is shown so many seconds after the last call; the caller frees. */
static char *shown(struct progress *p, double seconds, size_t done, double fraction, double n)
{
	char *text = NULL;
	size_t size;
	FILE *all = stderr, *f = open_memstream(&text, &size);

	p->began -= seconds;
	p->shown -= 60;
	stderr = f;
	progress_show(p, done, fraction, n);
	stderr = all;
	fclose(f);
	return text;
}

static void shows(struct progress *p, double seconds, size_t done, double fraction, double n,
		  const char *line)
{
	char *text = shown(p, seconds, done, fraction, n);

	assert_string_equal(text, line);
	free(text);
}

static void the_first_unit_has_no_rate(void **state)
{
	struct progress p;

	(void)state;
	progress_start(&p, 1, false);
	p.tty = false;
	shows(&p, 50.5, 0, 0, 0, "convoy: 0 %, ? left\n");
	shows(&p, 50, 0, 0.01, 1, "convoy: 1 %, ? left\n");
	shows(&p, 10, 0, 0.11, 11, "convoy: 11 %, 1.0 gradients/s, 1:29 left\n");
	/* of several runs a whole one tells how long the others take */
	progress_start(&p, 2, false);
	p.tty = false;
	shows(&p, 60.5, 1, 0.5, 0, "convoy: run 2 of 2, 50 %, 1:00 left\n");
}

RUN_ALL(the_first_unit_has_no_rate)
