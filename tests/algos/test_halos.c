/* HALoS by hand: a region's server, the global one, and a failure of the first worker. */
#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/served.h"
#include "tests/support/toy.h"

#define PLAIN "halos:regions=2,local_lr=1,local_momentum=0,local_buffer=1,every=2,alpha=0.5,"      \
	      "global_lr=1,global_momentum=0,global_buffer=1"

/* Asserts that the next request sends a vector of that first component. */
static void sends(struct script *s, int to, int64_t stamp, double x0)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.stamp, stamp);
	assert_near((double)a->vec[0], x0, 1e-6);
}

static void open_region(struct script *s, int rank)
{
	script_open(s, PLAIN, 4, rank, 1.0, 0.0f, 0.0f);
	script_grads(s, 0.0, 0.0);
}

/* Region A receives 2, 4, and later 2, 2; region B -2, -2. What each sends is the other's trace. */
static void regions_merge_with_the_global_model(void **state)
{
	struct script a, b, z;

	open_region(&a, 0);
	script_msg(&a, 1, 0, 0, 2.0f, 0.0f);
	sends(&a, 1, 1, -2);
	script_msg(&a, 1, 0, 1, 4.0f, 0.0f);
	sends(&a, SERVER, 0, 6);
	sends(&a, 1, 2, -6);
	script_open(&z, PLAIN, 4, SERVER, 1.0, 0.0f, 0.0f);
	script_msg(&z, 0, 0, 0, 6.0f, 0.0f);
	sends(&z, 0, 1, -6);
	script_msg(&a, SERVER, 8, 1, -6.0f, 0.0f);              /* A is -6 */

	open_region(&b, 2);
	script_msg(&b, 3, 0, 0, -2.0f, 0.0f);
	sends(&b, 3, 1, 2);
	script_msg(&b, 3, 0, 1, -2.0f, 0.0f);
	sends(&b, SERVER, 0, -4);
	sends(&b, 3, 2, 4);
	script_msg(&z, 2, 0, 0, -4.0f, 0.0f);
	sends(&z, 2, 2, -2);
	script_msg(&b, SERVER, 8, 2, -2.0f, 0.0f);              /* B is 1 */
	script_msg(&b, 3, 0, 2, 0.0f, 0.0f);
	sends(&b, 3, 3, 1);

	script_msg(&a, 1, 0, 2, 2.0f, 0.0f);
	sends(&a, 1, 3, -8);
	script_msg(&a, 1, 0, 3, 2.0f, 0.0f);
	sends(&a, SERVER, 1, 4);
	sends(&a, 1, 4, -10);
	script_msg(&a, 1, 0, 4, 1.0f, 0.0f);                    /* sends G once */
	sends(&a, 1, 5, -11);
	script_msg(&z, 0, 0, 1, 4.0f, 0.0f);
	sends(&z, 0, 3, -6);
	script_msg(&a, SERVER, 8, 3, -5.0f, 0.0f);              /* A is -8 */
	script_msg(&a, 1, 0, 4, 0.0f, 0.0f);
	sends(&a, 1, 6, -8);
	assert_int_equal(script_next(&a)->what, ASK_NONE);
	script_close(&a);
	script_close(&b);
	script_close(&z);
}

/* Its own update takes no message; it continues from its region's model, of which it knows all. */
static void the_first_worker_answers_itself(void **state)
{
	struct script s;

	script_open(&s, PLAIN ",period=2", 4, 0, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_grad(&s, 1.0f, 0.0f);
	script_grads(&s, -1.0, 0.0);
	script_msg(&s, 1, 0, 0, 4.0f, 0.0f);
	sends(&s, 1, 1, -4);
	script_grad(&s, 1.0f, 0.0f);
	sends(&s, SERVER, 0, 6);
	script_grads(&s, -6.0, 0.0);
	script_close(&s);
	script_open(&s, PLAIN, 4, 1, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	for (int i = 0; i < 8; i++)
		script_grad(&s, 1.0f, 0.0f);
	for (int i = 1; i < 8; i++)
		script_grads(&s, -i, 0.0);
	sends(&s, 0, 0, 8);
	script_close(&s);
}

/* With its old model the region continues, but what it sent is not sent twice. */
static void a_region_continues_with_its_server(void **state)
{
	const float fresh[SCRIPT_DIM] = { 5.0f, 0.0f };
	struct script s;

	open_region(&s, 0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);
	sends(&s, 1, 1, -2);
	script_msg(&s, 1, 0, 1, 4.0f, 0.0f);
	sends(&s, SERVER, 0, 6);
	sends(&s, 1, 2, -6);
	s.nd.role->back(&s.nd, NULL);
	sends(&s, 1, 2, -6);
	script_grads(&s, 0.0, 0.0);
	script_msg(&s, 1, 0, 2, 1.0f, 0.0f);
	sends(&s, 1, 3, -7);
	script_msg(&s, 1, 0, 3, 1.0f, 0.0f);
	sends(&s, SERVER, 0, 2);
	sends(&s, 1, 4, -8);
	s.nd.role->back(&s.nd, &(struct msg){ .tag = 8, .from = SERVER, .stamp = 9, .vec = fresh,
					      .n = SCRIPT_DIM });
	sends(&s, 1, 4, 5);
	script_grads(&s, 5.0, 0.0);
	script_msg(&s, 1, 0, 4, 1.0f, 0.0f);
	sends(&s, 1, 5, 4);
	script_msg(&s, 1, 0, 4, 1.0f, 0.0f);
	sends(&s, SERVER, 9, 2);
	script_close(&s);
}

/*
 * Two updates d, e make m their mean plus half the old m, and move X by -d - e - m. With the global
 * model, 5, the region begins as it did from 0: m of before is lost, and the third update, 8.
 */
static void a_region_with_the_global_model_has_no_past(void **state)
{
	const float fresh[SCRIPT_DIM] = { 5.0f, 0.0f };
	struct script s;

	script_open(&s, "halos:regions=2,local_lr=1,local_momentum=0.5,local_buffer=2,every=100", 4,
		    0, 1.0, 0.0f, 0.0f);
	script_grads(&s, 0.0, 0.0);
	script_msg(&s, 1, 0, 0, 2.0f, 0.0f);
	sends(&s, 1, 1, -2);
	script_msg(&s, 1, 0, 1, 4.0f, 0.0f);
	sends(&s, 1, 2, -2 - 4 - 3);
	script_msg(&s, 1, 0, 2, 8.0f, 0.0f);
	sends(&s, 1, 3, -9 - 8);
	s.nd.role->back(&s.nd, &(struct msg){ .tag = 8, .from = SERVER, .stamp = 9, .vec = fresh,
					      .n = SCRIPT_DIM });
	sends(&s, 1, 3, 5);
	script_grads(&s, 5.0, 0.0);
	script_msg(&s, 1, 0, 3, 2.0f, 0.0f);
	sends(&s, 1, 4, 5 - 2);
	script_msg(&s, 1, 0, 4, 4.0f, 0.0f);
	sends(&s, 1, 5, 5 - 2 - 4 - 3);
	script_close(&s);
}

/* Passes on what region 0 and the global server send each other, until neither sends any more. */
static void pass_on(struct script *a, struct script *z)
{
	const struct asked *q;

	while ((q = script_next(a))->what != ASK_NONE) {
		if (q->what != ASK_SEND || q->to != SERVER)
			continue;
		script_msg(z, 0, 0, q->msg.stamp, q->vec[0], q->vec[1]);
		q = script_next(z);
		script_msg(a, SERVER, 8, q->msg.stamp, q->vec[0], q->vec[1]);
	}
	a->n = a->read = z->n = z->read = 0;
}

/* Displacement of the global model by an update of 1, which zeros follow. */
static double displaced(const char *algo)
{
	struct script a, z;
	double x;

	script_open(&a, algo, 4, 0, 1.0, 0.0f, 0.0f);
	script_open(&z, algo, 4, SERVER, 1.0, 0.0f, 0.0f);
	for (int i = 0; i < 4000; i++) {
		script_msg(&a, 1, 0, a.nd.step, i == 0 ? 1.0f : 0.0f, 0.0f);
		pass_on(&a, &z);
	}
	x = (double)z.nd.x[0];
	script_close(&a);
	script_close(&z);
	return -x;
}

/* The product of both layers' gains: 0.2 / (1 - 0.9) times 0.15 / (1 - 0.5). */
static void both_layers_multiply_the_gain(void **state)
{
	assert_near(displaced("halos:regions=2"), 0.6, 1e-5);
	assert_near(displaced("halos:regions=2,local_buffer=2,every=1,alpha=0.5"), 0.6, 1e-5);
	assert_near(displaced("halos:regions=2,local_lr=0.4,local_momentum=0.5,every=3,"
			      "global_lr=0.3,global_momentum=0.75,global_buffer=3"), 0.96, 1e-5);
}

static void run(struct toy *t, const char *algo)
{
	toy_open(t, algo, 6, "sgd:momentum=0,weight_decay=0");
	toy_delay(t, "gamma:cv=0.5");
	t->run.epochs = 3;
	toy_run(t);
}

/* One region that always merges all is async-local-sgd; here both divide by 4, so N eta is 1/2. */
static void one_region_is_async_local_sgd(void **state)
{
	struct toy a, b;

	run(&a, "halos:period=3,regions=1,every=1,alpha=1,local_lr=0.125,local_momentum=0.5,"
		"local_buffer=4,global_lr=1,global_momentum=0,global_buffer=1");
	run(&b, "async-local-sgd:period=3,outer_lr=0.5,outer_momentum=0.5,buffer=4");
	assert_true(vec_dist(5, a.model, b.model) < 1e-5);
	assert_int_equal(a.nodes[6].step, b.nodes[6].step);
	toy_close(&a);
	toy_close(&b);
}

/* With alpha = 0 the global server changes nothing; it receives an update for every K. */
static void regions_may_be_alone(void **state)
{
	struct toy a, b;

	run(&a, "halos:period=2,dynamic=false,sizes=2/4,every=5,alpha=0");
	run(&b, "halos:period=2,dynamic=false,sizes=2/4,every=5,alpha=0,global_lr=1");
	for (int i = 0; i < 6; i++)
		assert_memory_equal(a.xs[i], b.xs[i], 5 * sizeof(float));
	assert_memory_not_equal(a.model, b.model, 5 * sizeof(float));
	assert_true(a.nodes[6].step >= 17 && a.nodes[6].step <= 3 * 64 / 2 / 5);
	assert_int_equal(a.nodes[6].ledger.messages, a.nodes[6].step);
	for (int i = 0; i < 6; i++)     /* others than the first send their updates alone */
		if (i != 0 && i != 2)
			assert_int_equal(a.nodes[i].ledger.messages,
					 a.nodes[i].ledger.steps / 2);
	toy_close(&a);
	toy_close(&b);
}

static void regions_cover_the_workers(void **state)
{
	refuses("halos", 7, NULL);
	refuses("halos:regions=7", 7, NULL);
	refuses("halos:sizes=3/1/3", 7, NULL);
	refuses("halos:regions=8", 7, "error: halos: 8 regions of 7 workers: at most regions=7\n");
	refuses("halos:regions=2", 7, "error: halos: 2 regions of 7 workers cannot be equal. Give "
				      "the workers of each by sizes=A/B/..., which add up to 7, "
				      "instead of regions.\n");
	refuses("halos:sizes=3/3", 7, "error: halos: sizes: the regions have 6 workers together, "
				      "and the run has 7 (expected as many)\n");
	refuses("halos:sizes=3.5/3.5", 7, "error: halos: sizes: a region cannot have 3.5 workers "
					  "(expected whole numbers)\n");
	refuses("halos:regions=2,sizes=3/4", 7, "error: halos: regions=2 and sizes: give one of "
						"both\n");
}

RUN_ALL(regions_merge_with_the_global_model, the_first_worker_answers_itself,
	a_region_continues_with_its_server,
	a_region_with_the_global_model_has_no_past, both_layers_multiply_the_gain,
	one_region_is_async_local_sgd, regions_may_be_alone, regions_cover_the_workers)
