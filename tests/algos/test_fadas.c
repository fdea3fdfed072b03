/* FADAS: AMSGrad at the server, and its smaller steps for late updates. */
#include "tests/support/check.h"
#include "tests/support/script.h"

#include <math.h>

#define PLAIN "fadas:buffer=1,outer_lr=1,beta1=0.5,beta2=0.75,eps=0"

/* Updates are X - x, so those of a worker that moves up are negative. */
static void sends_up(struct script *s, int from, int64_t stamp, float up, double x)
{
	script_msg(s, from, 0, stamp, -up, 0.0f);
	assert_near((double)s->nd.x[0], x, 1e-6);
}

/* The largest mean square counts: after -8 it is the latest, 21.25. */
static void steps_are_adaptive(void **state)
{
	struct script s;

	script_open(&s, PLAIN, 3, SERVER, 1.0, 0.0f, 0.0f);
	sends_up(&s, 0, 0, 4.0f, 1);
	sends_up(&s, 1, 1, 4.0f, 2.133893);
	sends_up(&s, 2, 2, -8.0f, 1.591567);
	assert_near((double)s.nd.x[1], 0, 0);
	script_close(&s);
}

/* Squares that fall do not make steps larger: m 2, 1; v 4, 3; w 4. */
static void the_largest_square_stays(void **state)
{
	struct script s;

	script_open(&s, PLAIN, 3, SERVER, 1.0, 0.0f, 0.0f);
	sends_up(&s, 0, 0, 4.0f, 1);
	sends_up(&s, 0, 1, 0.0f, 1.5);
	script_close(&s);
}

/* Of two updates the one 2 steps late halves the step; one step late is usual. */
static void late_updates_make_small_steps(void **state)
{
	struct script s;

	script_open(&s, "fadas:buffer=2,outer_lr=1,beta1=0.5,beta2=0.75,eps=0", 3, SERVER, 1.0,
		    0.0f, 0.0f);
	for (int i = 0; i < 2; i++)
		sends_up(&s, i, 0, 4.0f, i);
	sends_up(&s, 0, 1, 4.0f, 1);
	sends_up(&s, 1, 0, 4.0f, 2.133893);
	sends_up(&s, 2, 0, -8.0f, 2.133893);
	sends_up(&s, 0, 2, -8.0f, 2.133893 - 0.542326 / 2);
	/* the next two are in time: m is (2.5 + 8) / 2, v is w = (3 * 21.25 + 64) / 4 */
	sends_up(&s, 1, 3, -8.0f, 1.862730);
	sends_up(&s, 2, 3, -8.0f, 1.862730 - 5.25 / sqrt(31.9375));
	script_close(&s);
	script_open(&s, PLAIN ",adaptive=false", 3, SERVER, 1.0, 0.0f, 0.0f);
	sends_up(&s, 0, 0, 4.0f, 1);
	sends_up(&s, 1, 0, 4.0f, 2.133893);
	sends_up(&s, 2, 0, -8.0f, 1.591567);
	script_close(&s);
}

RUN_ALL(steps_are_adaptive, the_largest_square_stays, late_updates_make_small_steps)
