/* The server of momentum look-ahead by hand: both forms, and the largest stable contraction. */
#include "algos/algos.h"
#include "tests/support/ahead.h"
#include "tests/support/check.h"
#include "tests/support/script.h"

static const float updates[3] = { 4.0f, 4.0f, -2.0f };

/* eta = 1, mu = 1/2; m is 2, 3, 1/2. */
static void coded(void **state)
{
	static const double x[3] = { -5.0, -10.5, -8.75 };
	struct script s;

	script_open(&s, "mla:outer_lr=1,outer_momentum=0.5", 1, SERVER, 1.0, 0.0f, 0.0f);
	for (int i = 0; i < 3; i++) {
		script_msg(&s, 0, 0, i, updates[i], 0.0f);
		assert_int_equal(s.asked[s.n - 1].msg.tag, 20);
		script_sends(&s, 0, i + 1, x[i], 0.0);
		assert_near((double)s.nd.x[0], x[i], 1e-6);
	}
	script_close(&s);
}

static void printed_sends_the_same_models(void **state)
{
	static const double x[3] = { -4.0, -9.0, -8.5 }, ahead[3] = { -5.0, -10.5, -8.75 };
	struct script s;

	script_open(&s, "mla:form=printed,outer_lr=1,outer_momentum=0.5", 1, SERVER, 1.0, 0.0f,
		    0.0f);
	for (int i = 0; i < 3; i++) {
		script_msg(&s, 0, 0, i, updates[i], 0.0f);
		script_sends(&s, 0, i + 1, ahead[i], 0.0);
		assert_near((double)s.nd.x[0], x[i], 1e-6);
	}
	script_close(&s);
}

/* What algo.gain and algo.gain_limit say at the outer learning rate of these settings. */
static double gain_said(const char *text, int workers)
{
	struct choice c = { 0 };
	const struct algo *algo;
	double gain;

	assert_int_equal(choice_parse(&c, algo_table, "algorithm", text), 0);
	algo = (const struct algo *)c.plugin;
	gain = algo->gain(c.conf, workers) *
	       *(const double *)((const char *)c.conf +
				 opt_find(algo->plugin.opts, algo->outer)->offset);
	gain = 1.0 / (1.0 / gain + 1.0 / algo_gain_limit(algo, c.conf, workers));
	choice_release(&c);
	return gain;
}

/* An update of 1 and then zeros: eta (1 + mu), and of Nesterov's momentum eta / (1 - mu). */
static void displaces_by_its_gain(void **state)
{
	static const struct {
		const char *algo;
		int workers;
		double gain;
	} all[] = {
		{ "mla", 3, 0.7 * 1.9 },
		{ "mla:form=printed", 3, 0.7 * 1.9 },
		{ "heloco:correct=none", 5, 0.7 * 1.9 / 2.2360680 },
		{ "heloco:correct=none,rho=0.5,shift=false", 5, 0.7 * 1.9 / 2.0 },
		{ "async-local-sgd:buffer=1", 3, 7.0 },
		{ "async-local-sgd:buffer=4", 3, 1.75 },
		{ "async-local-sgd:buffer=4,share=0.25", 3, 1.75 },
		{ "async-local-sgd", 5, 1.4 },
		{ "fedbuff:buffer=1,discount=false,outer_lr=0.7,outer_momentum=0.9", 3, 7.0 },
		{ "fedbuff:buffer=4,discount=false,outer_lr=0.7,outer_nesterov=false,"
		  "outer_momentum=0.5", 3, 0.35 },
		{ "ca2fl:buffer=2,outer_lr=0.7,outer_momentum=0.5", 4, 0.7 },
		{ "ca2fl", 4, 0.25 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_near(gain_of(all[i].algo, all[i].workers), all[i].gain, 1e-4);
		assert_near(gain_said(all[i].algo, all[i].workers), all[i].gain, 1e-6);
	}
}

/* Of five workers; in rounds of all an update is a fifth of the mean. */
static void rounds_say_their_gain(void **state)
{
	assert_near(gain_said("diloco", 5), 1.4, 1e-9);
	assert_near(gain_said("decoupled-diloco", 5), 1.4, 1e-9);
	assert_near(gain_said("palsgd", 5), 0.2, 1e-9);
	assert_near(gain_said("noloco", 4), 0.35, 1e-9);
	assert_near(gain_said("sparseloco:outer_lr=0.65", 5), 0.13, 1e-9);
	assert_near(gain_said("halos", 4), 0.6, 1e-9);
}

/* With alpha a merge leaves a part of an update to be sent again: a / (n (1 - alpha + alpha a)). */
static void rounds_displace_by_their_gain(void **state)
{
	static const struct {
		const char *algo;
		double gain;
	} all[] = {
		{ "diloco:period=1", 1.4 },
		{ "eager-diloco:period=2,outer_momentum=0", 0.08 },
		{ "slowmo:period=2,alpha=0.5,beta=0.75", 0.4 },
		{ "streaming-diloco:period=2,fragments=1,delay=0,alpha=0", 0.8 },
		{ "streaming-diloco:period=2,fragments=1", 0.32 },
		{ "streaming-diloco:period=1,fragments=1,delay=0,alpha=0.9,outer_lr=0.2",
		  2.0 / 9.5 },
		{ "streaming-diloco:period=1,fragments=1,delay=0,alpha=1", 0.2 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_near(gain_of_rounds(all[i].algo, 5), all[i].gain, 1e-4);
		assert_near(gain_said(all[i].algo, 5), all[i].gain, 1e-9);
	}
}

/*
 * Workers in turn, whose local steps remove the part a of the error. The largest stable a are
 * 0.500, 0.362, 2.7279; of Nesterov's momentum 0.662, 0.466, with a tenth of that at the tenfold
 * rate, and (2 + 2 mu) / ((1 + 2 mu) eta) = 1.93878 of one worker; of the second look-ahead 0.352,
 * 0.788.
 */
static void is_stable_up_to_its_limit(void **state)
{
	static const struct {
		const char *algo;
		int workers;
		double stable, unstable;
	} all[] = {
		{ "mla", 4, 0.499, 0.5005 },
		{ "mla", 5, 0.3615, 0.363 },
		{ "mla:form=printed", 5, 0.3615, 0.363 },
		{ "mla", 1, 2.7275, 2.7283 },
		{ "async-local-sgd:buffer=1,outer_lr=0.07", 4, 0.66, 0.665 },
		{ "async-local-sgd:buffer=1,outer_lr=0.07", 5, 0.4655, 0.4675 },
		{ "async-local-sgd:buffer=1", 4, 0.066, 0.0665 },
		{ "async-local-sgd:buffer=1", 5, 0.0464, 0.047 },
		{ "async-local-sgd:buffer=1", 1, 1.9383, 1.9393 },
		/* a buffer of N divides the gain by N; at outer_lr 0.7 N / 4 gains are equal */
		{ "async-local-sgd:buffer=4", 4, 1.083, 1.085 },
		{ "async-local-sgd:buffer=8", 4, 3.22, 3.24 },
		{ "async-local-sgd:buffer=1,outer_lr=0.175", 4, 0.264, 0.266 },
		{ "async-local-sgd:buffer=8,outer_lr=1.4", 4, 1.615, 1.617 },
		{ "async-local-sgd:buffer=16,outer_lr=2.8", 4, 2.25, 2.27 },
		{ "heloco:correct=none,rho=1", 5, 0.3515, 0.353 },
		{ "heloco:correct=none", 5, 0.787, 0.789 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!is_stable(all[i].algo, all[i].workers, all[i].stable))
			fail_msg("%s of %d is not stable", all[i].algo, all[i].workers);
		if (is_stable(all[i].algo, all[i].workers, all[i].unstable))
			fail_msg("%s of %d is stable", all[i].algo, all[i].workers);
	}
}

RUN_ALL(coded, printed_sends_the_same_models, displaces_by_its_gain, rounds_say_their_gain,
	rounds_displace_by_their_gain,
	is_stable_up_to_its_limit)
