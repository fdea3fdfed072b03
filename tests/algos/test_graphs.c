/* Communication graphs: their mixing matrices, known spectra, and what is refused. */
#include "algos/algos.h"
#include "core/run.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make(struct topology *t, const char *text, int workers)
{
	struct choice c = { 0 };
	int ret = choice_parse(&c, graph_table, "graph", text);

	assert_int_equal(ret, 0);
	ret = topology_make(t, &c, workers, 1);
	choice_release(&c);
	return ret;
}

static void open_graph(struct topology *t, const char *text, int workers)
{
	assert_int_equal(make(t, text, workers), 0);
}

static double row_sum(const struct topology *t, int i)
{
	const struct ranks in = topology_in(t, i);
	double sum = topology_weight(t, i, i);

	for (int k = 0; k < in.n; k++)
		sum += topology_weight(t, i, ranks_at(in, k));
	return sum;
}

static double column_sum(const struct topology *t, int j)
{
	const struct ranks out = topology_out(t, j);
	double sum = topology_weight(t, j, j);

	for (int k = 0; k < out.n; k++) {
		const double w = topology_weight(t, ranks_at(out, k), j);

		assert_true(w > 0.0);
		if (!t->directed)
			assert_true(w == topology_weight(t, j, ranks_at(out, k)));
		sum += w;
	}
	return sum;
}

static void check_matrix(const char *text, int workers)
{
	struct topology t;

	open_graph(&t, text, workers);
	assert_true(t.connected);
	for (int i = 0; i < workers; i++) {
		assert_true(topology_weight(&t, i, i) > -1e-12);
		assert_near(column_sum(&t, i), 1.0, 1e-12);
		if (!t.directed)
			assert_near(row_sum(&t, i), 1.0, 1e-12);
	}
	assert_true(workers == 1 || topology_second(&t) < 1.0 - 1e-6);
	topology_free(&t);
}

static void matrices_are_stochastic(void **state)
{
	static const char *const any[] = { "ring", "exponential", "directed-exponential",
					   "bipartite-exponential", "complete",
					   "bipartite-complete", "star", "torus:rows=1" };
	static const int workers[] = { 1, 2, 3, 5, 8, 12, 17 };

	for (size_t i = 0; i < sizeof(any) / sizeof(any[0]); i++)
		for (size_t k = 0; k < sizeof(workers) / sizeof(workers[0]); k++)
			check_matrix(any[i], workers[k]);
	for (int n = 1; n <= 64; n *= 2)
		check_matrix("hypercube", n);
	check_matrix("torus", 4);
	check_matrix("torus", 12);
	check_matrix("torus:rows=2", 10);
	check_matrix("random-regular:degree=3", 20);
	check_matrix("random-regular", 21);
	check_matrix("random-regular:degree=9,seed=5", 10);
}

static void expect_second(const char *text, int workers, double second)
{
	struct topology t;

	open_graph(&t, text, workers);
	assert_near(topology_second(&t), second, 1e-9);
	topology_free(&t);
}

/* Eigenvalues of circulant, product and star graphs, as textbooks have them. */
static void spectra_are_the_known_ones(void **state)
{
	const double pi = acos(-1.0);

	expect_second("ring", 16, (1 + 2 * cos(2 * pi / 16)) / 3);
	expect_second("ring", 5, (1 + 2 * cos(2 * pi / 5)) / 3);
	expect_second("torus", 16, (1 + 2 + 2 * cos(2 * pi / 4)) / 5);
	expect_second("hypercube", 16, (1 + 4 - 2) / 5.0);
	expect_second("complete", 9, 0.0);
	expect_second("star", 5, 1 - 1 / 5.0);
	expect_second("bipartite-complete", 8, 3 / 5.0);
	/* hops 1, 2, 4, 8 of 16: the eigenvector that turns once has 1 + w + w^2 + w^4 + w^8 */
	expect_second("directed-exponential", 16, 0.6);
	expect_second("directed-exponential", 3, 0.0);
	expect_second("ring", 1, 0.0);
}

static void random_graphs_are_regular_and_follow_the_seed(void **state)
{
	struct choice c = { 0 };
	struct topology t[3];

	assert_int_equal(choice_parse(&c, graph_table, "graph", "random-regular:degree=5"), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(topology_make(&t[i], &c, 30, i == 2 ? 8 : 7), 0);
	choice_release(&c);
	assert_true(t[0].digest == t[1].digest);
	assert_true(t[0].digest != t[2].digest);
	for (int i = 0; i < 30; i++)
		assert_int_equal(topology_out(&t[2], i).n, 5);
	/* A circle of the nearest would have a second eigenvalue near one. */
	assert_true(topology_second(&t[2]) < 0.9);
	for (int i = 0; i < 3; i++)
		topology_free(&t[i]);
}

static void sides_are_those_of_bipartite_graphs(void **state)
{
	static const struct {
		const char *text;
		int workers;
		bool bipartite;
	} all[] = { { "ring", 8, true }, { "ring", 7, false }, { "hypercube", 8, true },
		    { "star", 6, true }, { "complete", 3, false }, { "torus", 16, true },
		    { "torus", 9, false }, { "bipartite-exponential", 7, true },
		    { "exponential", 8, false }, { "directed-exponential", 8, false } };
	struct topology t;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		open_graph(&t, all[i].text, all[i].workers);
		assert_int_equal(t.bipartite, all[i].bipartite);
		assert_int_equal(t.side[0], 0);
		topology_free(&t);
	}
}

/* ---- hops ---- */

struct hops_conf {
	int n, hop[3];
	bool listed;            /* every arc on its own */
};

static int hops_make(const void *conf, struct topology *t, uint64_t seed)
{
	const struct hops_conf *c = conf;

	for (int k = 0; k < c->n && !c->listed; k++)
		topology_hop(t, c->hop[k]);
	for (int i = 0; i < t->n && c->listed; i++)
		for (int k = 0; k < c->n; k++)
			topology_arc(t, i, ((i + c->hop[k]) % t->n + t->n) % t->n);
	return 0;
}

static void open_hops(struct topology *t, struct hops_conf *c, int workers, bool listed)
{
	static const struct graph_type hops = { .plugin = { .name = "hops" }, .make = hops_make };

	c->listed = listed;
	assert_int_equal(topology_make(t, &(struct choice){ .plugin = &hops.plugin, .conf = c },
				       workers, 1), 0);
}

static void expect_same_arcs(const struct topology *a, const struct topology *b, int i)
{
	const struct ranks in = topology_in(a, i), listed = topology_in(b, i);

	assert_int_equal(in.n, listed.n);
	for (int k = 0; k < in.n; k++) {
		const int from = ranks_at(listed, k);

		assert_int_equal(ranks_at(in, k), from);
		assert_int_equal(topology_sender(a, i, from), k);
		assert_int_equal(topology_receiver(a, from, i), topology_receiver(b, from, i));
		assert_true(topology_weight(a, i, from) == topology_weight(b, i, from));
	}
	for (int from = 0; from < a->n; from++)
		assert_int_equal(topology_has(a, from, i), topology_has(b, from, i));
}

static void hops_are_the_arcs_that_they_stand_for(void **state)
{
	struct topology a, b;

	for (int workers = 1; workers <= 12; workers++)
		for (int x = 0; x < 12 * 12 * 12; x++) {
			struct hops_conf c = {
				.n = x % 4, .hop = { x % 12 - 4, x / 12 % 12, x / 144 }
			};

			open_hops(&a, &c, workers, false);
			open_hops(&b, &c, workers, true);
			assert_int_equal(a.arcs, b.arcs);
			assert_true(a.digest == b.digest);
			assert_int_equal(a.directed, b.directed);
			assert_int_equal(a.regular, b.regular);
			assert_int_equal(a.connected, b.connected);
			assert_int_equal(a.bipartite, b.bipartite);
			for (int i = 0; i < workers; i++)
				expect_same_arcs(&a, &b, i);
			if (a.bipartite)
				assert_memory_equal(a.side, b.side,
						    sizeof(*a.side) * (size_t)workers);
			topology_free(&a);
			topology_free(&b);
		}
}

static void expect_refused(const char *text, int workers, const char *says)
{
	struct topology t;

	capture_start();
	assert_int_equal(make(&t, text, workers), -1);
	if (!strstr(capture_text(), says))
		fail_msg("%s: '%s' does not say '%s'", text, capture_text(), says);
	capture_stop();
}

static void impossible_graphs_are_refused(void **state)
{
	expect_refused("hypercube", 12, "graph hypercube: 12 workers are no power of two");
	expect_refused("torus", 7, "7 workers, a prime number");
	expect_refused("torus:rows=3", 16, "16 workers do not fill 3 rows");
	expect_refused("random-regular:degree=8", 8, "no worker of 8 can have 8 neighbours");
	expect_refused("random-regular:degree=3", 9, "one of the two numbers must be even");
	expect_refused("complete", 100000, "more than");
	expect_refused("file", 4, "file:path=PATH");
}

/* ---- files ---- */

static const char *graph_file(const char *text)
{
	static char choice[4096];

	folder_write(folder, "edges.txt", PACK_PLAIN, text, strlen(text));
	snprintf(choice, sizeof(choice), "file:path=%s/edges.txt", folder);
	return choice;
}

static void files_are_read(void **state)
{
	struct topology t;
	char text[4200];

	open_graph(&t, graph_file("# a path\n0,1\n 1\t2 # and on\r\n\n2 ; 3"), 4);
	assert_false(t.directed || t.regular);
	assert_true(t.connected && t.bipartite);
	assert_int_equal(topology_out(&t, 1).n, 2);
	assert_near(topology_weight(&t, 0, 0), 2 / 3.0, 1e-12);
	assert_near(topology_weight(&t, 1, 1), 1 / 3.0, 1e-12);
	topology_free(&t);

	snprintf(text, sizeof(text), "%s,directed=true", graph_file("0 1\n1 2\n2 0\n"));
	open_graph(&t, text, 3);
	assert_true(t.directed && t.regular && t.connected);
	assert_int_equal(ranks_at(topology_in(&t, 0), 0), 2);
	assert_near(topology_second(&t), 0.5, 1e-9);
	topology_free(&t);
}

static void wrong_files_are_named_with_the_line(void **state)
{
	expect_refused(graph_file("0 1\n1 4\n"), 4,
		       "edges.txt:2: rank 4: the ranks of 4 workers are 0 to 3");
	expect_refused(graph_file("0 1\n\n1\n"), 4, "edges.txt:3: expected two ranks");
	expect_refused(graph_file("0 x\n"), 4, "edges.txt:1: expected two ranks");
	expect_refused(graph_file("0 1x\n"), 4, "edges.txt:1: expected two ranks");
	expect_refused(graph_file("0,,1\n"), 4, "edges.txt:1: expected two ranks");
	expect_refused(graph_file("0,1,2\n"), 4, "edges.txt:1: expected two ranks");
	expect_refused(graph_file("0 1 2\n"), 4, "edges.txt:1: more than two ranks");
	expect_refused(graph_file("1 1\n"), 4, "edges.txt:1: an edge from rank 1 to itself");
	expect_refused(graph_file("-1 1\n"), 4, "edges.txt:1: rank -1");
	expect_refused(graph_file("99999999999999999999 1\n"), 4, "edges.txt:1: expected two");
	expect_refused("file:path=/no/such/file", 4, "/no/such/file");
}

/* ---- what algorithms refuse ---- */

static void expect_verdict(const char *algo, const char *text, int workers, const char *says)
{
	struct choice c = { 0 };
	struct topology t;
	struct run run;

	assert_int_equal(choice_parse(&c, algo_table, "algorithm", algo), 0);
	open_graph(&t, text, workers);
	run = (struct run){ .algo = (const struct algo *)c.plugin, .algo_conf = c.conf,
			    .workers = workers, .graph = &t };
	capture_start();
	assert_int_equal(run.algo->check(&run), says ? -1 : 0);
	if (says && !strstr(capture_text(), says))
		fail_msg("%s: '%s' does not say '%s'", algo, capture_text(), says);
	capture_stop();
	topology_free(&t);
	choice_release(&c);
}

static void algorithms_refuse_what_they_cannot_use(void **state)
{
	expect_verdict("ad-psgd", "complete", 4, "graph complete of 4 workers is not bipartite");
	expect_verdict("ad-psgd", "ring", 5, "not bipartite");
	expect_verdict("ad-psgd", "ring", 6, NULL);
	expect_verdict("ad-psgd", "directed-exponential", 6, "directed");
	expect_verdict("d-psgd", "directed-exponential", 8, "directed-exponential is directed");
	expect_verdict("d-psgd", "exponential", 8, NULL);
	expect_verdict("d-psgd", graph_file("0 1\n2 3\n"), 4, "is not connected");
	expect_verdict("gossip-pull", graph_file("0 1\n2 3\n"), 4, "is not connected");
	expect_verdict("gossip-push", "directed-exponential", 8, NULL);
	expect_verdict("sgp", graph_file("0 1\n"), 3, "is not connected");
	expect_verdict("osgp", "star", 7, NULL);
}

RUN_WITH(folder_open, folder_close, matrices_are_stochastic, spectra_are_the_known_ones,
	random_graphs_are_regular_and_follow_the_seed, sides_are_those_of_bipartite_graphs,
	hops_are_the_arcs_that_they_stand_for,
	impossible_graphs_are_refused, files_are_read, wrong_files_are_named_with_the_line,
	algorithms_refuse_what_they_cannot_use)
