/* Checks the messages that a parameter server or a worker, scripted in a test, sends. */
#include "tests/support/served.h"

#include "algos/algos.h"
#include "algos/common/server/serve.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

void served_model(struct script *s, int to, int64_t stamp, float v0, float v1)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.tag, SERVE_MODEL);
	assert_int_equal(a->msg.stamp, stamp);
	assert_true(a->vec[0] == v0 && a->vec[1] == v1);
}

void served_again(struct script *s, int to)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.tag, SERVE_AGAIN);
	assert_int_equal(a->msg.n, 0);
}

void served_nothing(struct script *s)
{
	assert_int_equal(script_next(s)->what, ASK_NONE);
}

void works_at(struct script *s, float v0, float v1)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_GRAD);
	assert_true(a->vec[0] == v0 && a->vec[1] == v1);
}

void works_sends(struct script *s, int64_t stamp, float g0)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, SERVER);
	assert_int_equal(a->msg.stamp, stamp);
	assert_true(a->msg.codes);
	assert_true(a->vec[0] == g0);
}

void refuses(const char *algo, int workers, const char *message)
{
	struct choice c = { 0 };
	struct run run = { .workers = workers, .epochs = 1, .samples = 1000, .batch = 1 };

	assert_int_equal(choice_parse(&c, algo_table, "algorithm", algo), 0);
	run.algo = (const struct algo *)c.plugin;
	run.algo_conf = c.conf;
	capture_start();
	assert_int_equal(run_check(&run), message ? -1 : 0);
	assert_string_equal(capture_text(), message ? message : "");
	capture_stop();
	choice_release(&c);
}
