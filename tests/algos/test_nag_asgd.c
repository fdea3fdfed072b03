/* A server with one Nesterov momentum, computed by hand. */
#include "tests/support/check.h"
#include "tests/support/script.h"

/* v = 1, 1.5; x <- x - (g + 0.5 v) */
static void all_feed_one_momentum(void **state)
{
	struct script s;

	script_open_with(&s, "nag-asgd", "sgd:momentum=0.5,weight_decay=0", 2, SERVER, 1.0, 0.0f,
			 0.0f);
	script_msg(&s, 0, 0, 0, 1.0f, 0.0f);
	script_sends(&s, 0, 1, -1.5, 0.0);
	script_msg(&s, 1, 0, 0, 1.0f, 2.0f);
	script_sends(&s, 1, 2, -1.5 - 1.75, -3.0);
	script_close(&s);
}

static void wants_an_optimiser_that_looks_ahead(void **state)
{
	const struct optim other = { .plugin = { .name = "other" } };
	struct script s;

	script_open_with(&s, "nag-asgd", "sgd:nesterov=false", 2, SERVER, 1.0, 0.0f, 0.0f);
	script_refuses(&s, "nesterov=true");
	s.run.optim = &other;
	script_refuses(&s, "expected --optim sgd, not 'other'");
	script_close(&s);
	script_open_with(&s, "nag-asgd", "sgd:nesterov=false,momentum=0", 2, SERVER, 1.0, 0.0f,
			 0.0f);
	assert_int_equal(s.run.algo->check(&s.run), 0);
	script_close(&s);
}

RUN_ALL(all_feed_one_momentum, wants_an_optimiser_that_looks_ahead)
