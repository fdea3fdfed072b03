/* All-reduces of so many pieces that an int cannot count them. */
#include "sim/world.h"

#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <limits.h>

enum { WORKERS = 1024, PARTS = 1100000 };       /* 2 (n - 1) pieces each: 2.25e9 */

static void more_pieces_than_an_int_counts(void **state)
{
	const int64_t pieces = 2 * INT64_C(1023) * PARTS;
	struct sim s;
	struct toy t;

	toy_timing(&t, "allreduce", WORKERS, 1, "nic:stepwise=true");
	t.run.dim = PARTS;
	t.sim.bucket = 1;
	sim_begin(&s, &t.sim, &t.run, NULL);
	assert_int_equal(s.allreduces.nbuckets, PARTS);
	for (int i = 0; i < WORKERS; i++) {
		s.rare[i].sum.ahead = 1.0;
		sim_allreduce_ask(&s, &s.nodes[i], NULL, PARTS, false);
	}
	assert_true(pieces > INT_MAX);
	for (int i = 0; i < WORKERS; i++) {
		assert_int_equal(s.nodes[i].ledger.messages, pieces);
		assert_true(s.rare[i].sum.ring.busy);
		assert_int_equal(s.rare[i].sum.ring.sent, 1);
	}
	/* With the last that it receives, and not before, a member's all-reduce is done. */
	s.rare[0].sum.ring.sent = pieces;
	s.rare[0].sum.ring.arrived = pieces;
	s.rare[0].sum.ring.received = pieces - 2;
	ring_received(&s, &s.nodes[0], packet_blank(&s.post.packets, 0));
	assert_true(s.rare[0].sum.ring.busy);
	ring_received(&s, &s.nodes[0], packet_blank(&s.post.packets, 0));
	assert_false(s.rare[0].sum.ring.busy);
	sim_close(&s);
	toy_close(&t);
}

RUN_ALL(more_pieces_than_an_int_counts)
