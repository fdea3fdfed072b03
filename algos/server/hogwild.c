/*
 * hogwild.c - lock-free asynchronous SGD on a model that all workers share.
 *
 *     worker:   x' <- x;   g <- gradient at x';   x <- x + (optimiser(x', g) - x')
 *
 *     x      ||||||||||||||||        one memory, which all workers read and write
 *               ^    |    ^
 *       worker 0     v    worker 2   coordinate by coordinate, without locks
 *                 worker 1
 *
 * No worker waits for another. While one worker reads x, another may be half way through writing
 * its step, so x' may be a model that never existed as a whole. Only coordinates are consistent: an
 * addition to one is atomic, and none is lost.
 *
 * Virtual time: a pass over x consists of blocks, each read or written in an instant. A worker
 * writes its step in one pass, of write_s seconds, and then reads its next x' in another, of
 * read_s. All passes go in the same direction, so that a faster reader overtakes a writer, and
 * reads parts of both models.
 *
 * Paper: Recht, Re, Wright, Niu 2011. There gradients are sparse, so that workers seldom
 * touch the same coordinates; here each touches all of them. An optimiser's state, such as
 * momentum, is the worker's own.
 */
#include "core/node.h"

struct hogwild_conf {
	int64_t blocks;
	double read_s, write_s;
};

static void hogwild_start(struct node *nd)
{
	node_grad(nd);
}

static void hogwild_grad(struct node *nd, const struct grad *g)
{
	node_step(nd, g->vec, 1.0f);
	node_grad(nd);
}

static void hogwild_back(struct node *nd, const struct msg *m)
{
	(void)m;
	node_grad(nd);
}

static const struct role hogwild_worker = {
	.start = hogwild_start, .grad = hogwild_grad, .back = hogwild_back,
};

static struct sharing hogwild_shared(const void *conf)
{
	const struct hogwild_conf *c = conf;

	return (struct sharing){ (int)c->blocks, c->read_s, c->write_s };
}

enum { MOST_BLOCKS = 512 };

static const struct opt hogwild_opts[] = {
	OPT_NUMBER(struct hogwild_conf, blocks, "16",
		   "simulator: pieces in which a pass over the model is made, each at once", "N", 1,
		   MOST_BLOCKS),
	OPT_NUMBER(struct hogwild_conf, read_s, "-1",
		   "simulator: seconds in which the model is read; -1: 2 floats a coordinate, at "
		   "the link's rate for handlers or else 10 GB a second",
		   "SECONDS", -1, 1e6),
	OPT_NUMBER(struct hogwild_conf, write_s, "-1",
		   "simulator: seconds in which a step is added to it; -1: the same with 4 floats",
		   "SECONDS", -1, 1e6),
	{ 0 }
};

const struct algo algo_hogwild = {
	.plugin = { .name = "hogwild",
		    .brief = "asynchronous: workers of one machine share a model without locks",
		    .also = "hogwild!, lock-free",
		    .cite = "Recht, Re, Wright, Niu 2011, arXiv 1106.5730",
		    .opts = hogwild_opts,
		    .conf_size = sizeof(struct hogwild_conf) },
	.facts = { .rule = "x_i <- x;  x <- x + (optimiser(x_i, g_i) - x_i), coordinate by "
			   "coordinate, without locks",
		   .departs = "gradients are dense. Each worker has a momentum of its own, if "
			      "the optimiser has one",
		   .waits = "no worker",
		   .staleness = "about n - 1; a worker may read the model while others write "
				"their steps",
		   .late = LATE_APART,
		   .messages = "none: the model is shared memory",
		   .memory = "- / 1",
		   .tolerates = "a worker that leaves: no worker waits for it; the part of a "
				"step that it had written stays in the model" },
	.worker = &hogwild_worker,
	.reads_clock = true,
	.shared = hogwild_shared,
};
