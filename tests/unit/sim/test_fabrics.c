/* Links of single nodes and pairs, nodes of several workers, and what all-reduces have of them. */
#include "core/node.h"
#include "sim/allreduce/collective.h"
#include "sim/link/flows.h"
#include "sim/link/network.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void clauses_round_trip(void **state)
{
	static const struct {
		const char *in, *out;
	} all[] = {
		{ "nic", "" },
		{ "nic:latency_s=1", "" },
		{ "nic; 0-7: bandwidth_GBps=1 ;server:latency_s=1e-5,message_s=0",
		  "; 0-7: bandwidth_GBps=1; server: latency_s=1e-5,message_s=0" },
		{ "fair;0,4-5<>server : bandwidth_GBps=2; 1>2,3: background_GBps=0.5",
		  "; 0,4-5<>server: bandwidth_GBps=2; 1>2,3: background_GBps=0.5" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct link_clauses c, again;
		char *text, *back;

		assert_int_equal(clauses_parse(&c, all[i].in, 8), 0);
		text = clauses_format(&c);
		assert_string_equal(text, all[i].out);
		assert_int_equal(clauses_parse(&again, text, 8), 0);
		back = clauses_format(&again);
		assert_string_equal(back, text);
		free(back);
		free(text);
		clauses_release(&again);
		clauses_release(&c);
	}
	assert_int_equal(clauses_model("nic:latency_s=1 ; 0: latency_s=2"), 15);
}

/* A worker alone has no others. */
static void one_worker_keeps_its_own(void **state)
{
	struct link_clauses c;
	char *text;

	assert_int_equal(clauses_parse(&c, "nic; 0-3: latency_s=1; 5: latency_s=2; 0>9: "
				       "latency_s=1", 1), 0);
	text = clauses_format(&c);
	assert_string_equal(text, "; 0: latency_s=1");
	free(text);
	clauses_release(&c);
}

static void refuse_clauses(const char *text, const char *why)
{
	struct link_clauses c;

	capture_start();
	assert_int_equal(clauses_parse(&c, text, 8), -1);
	assert_non_null(strstr(capture_text(), why));
	capture_stop();
	clauses_release(&c);
}

static void refuses_clauses(void **state)
{
	refuse_clauses("nic; 0-3: latency_s=1; 2: message_s=1", "two clauses name rank 2");
	refuse_clauses("nic; server: latency_s=1; 1,server: message_s=1", "name the server");
	refuse_clauses("nic; 0,0: latency_s=1", "names rank 0 twice");
	refuse_clauses("nic; 0>1: latency_s=1; 0-3<>1: latency_s=1", "the same pair");
	refuse_clauses("nic; 1>0: latency_s=1; 0<>1: latency_s=1", "the same pair");
	refuse_clauses("nic; 8: latency_s=1", "there is no rank 8 among 8 workers");
	refuse_clauses("nic; 3-1: latency_s=1", "did you mean 1-3?");
	refuse_clauses("nic; 0: latency_s=-1e-6", "latency_s must be a number of seconds, from 0");
	refuse_clauses("nic; 0: latency_s=1e9", "latency_s must be a number of seconds");
	refuse_clauses("nic; 0: bandwidth_GBps=0", "bandwidth_GBps must be");
	refuse_clauses("nic; 0: bandwith_GBps=1", "bandwidth_GBps");
	refuse_clauses("nic; 0: ", "without settings");
	refuse_clauses("nic; 0 latency_s=1", "expected ':'");
	refuse_clauses("nic; first: latency_s=1", "expected ranks or server");
	refuse_clauses("nic; 0>1: node_GBps=1", "belong to workers");
	refuse_clauses("fair; 0: background_GBps=1", "goes from one node to another");
}

/* A link of so many workers and one machine of a server. */
struct fabric_case {
	struct choice link;
	struct link_clauses own;
	struct network net;
};

static const struct link *fabric_open(struct fabric_case *f, const char *text, int workers)
{
	char model[300] = "";
	const struct link *l;
	struct fabric fabric;

	*f = (struct fabric_case){ 0 };
	memcpy(model, text, clauses_model(text));
	assert_int_equal(choice_parse(&f->link, link_table, "link", model), 0);
	assert_int_equal(clauses_parse(&f->own, text, workers), 0);
	l = (const struct link *)f->link.plugin;
	assert_int_equal(network_check(l, f->link.conf, &f->own, workers), 0);
	fabric = l->fabric(f->link.conf);
	network_open(&f->net, &fabric, &f->own, workers, workers + 1);
	return l;
}

static void fabric_close(struct fabric_case *f)
{
	network_release(&f->net);
	clauses_release(&f->own);
	choice_release(&f->link);
}

static void wires_by_hand(void **state)
{
	struct fabric_case f;
	struct wire w;

	fabric_open(&f, "nic:latency_s=4,bandwidth_GBps=8,node=2,node_GBps=32,node_latency_s=1; "
		    "2,3: latency_s=6,bandwidth_GBps=2,message_s=3; 1<>4: latency_s=9,"
		    "bandwidth_GBps=4; server: bandwidth_GBps=16", 6);
	w = network_wire(&f.net, 0, 2);
	assert_near(w.latency_s, 5.0, 1e-12);
	assert_near(w.out_rate, 8e9, 1.0);
	assert_near(w.in_rate, 2e9, 1.0);
	assert_near(w.out_message, 0.0, 0.0);
	assert_near(w.in_message, 3.0, 0.0);
	w = network_wire(&f.net, 0, 1);
	assert_near(w.latency_s, 1.0, 1e-12);
	assert_near(w.out_rate, 32e9, 1.0);
	w = network_wire(&f.net, 4, 1);
	assert_near(w.latency_s, 9.0, 1e-12);
	assert_near(w.out_rate, 4e9, 1.0);
	assert_near(w.in_rate, 4e9, 1.0);
	w = network_wire(&f.net, 6, 0);
	assert_near(w.latency_s, 4.0, 1e-12);
	assert_near(w.out_rate, 16e9, 1.0);
	fabric_close(&f);
}

/* Two nodes of 8 with 3 NICs: workers 0-2 have NIC 0, 3-5 NIC 1, 6-7 NIC 2. */
static void nics_are_divided_in_order(void **state)
{
	static const int of[] = { 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 6 };
	struct fabric_case f;

	fabric_open(&f, "fair:node=8,nics=3", 16);
	assert_int_equal(network_nics(&f.net), 7);
	for (int i = 0; i <= 16; i++)
		assert_int_equal(network_nic(&f.net, i), of[i]);
	assert_true(network_inside(&f.net, 0, 7));
	assert_false(network_inside(&f.net, 7, 8));
	assert_false(network_inside(&f.net, 16, 16));
	fabric_close(&f);
}

static void refuse_fabric(const char *text, int workers, const char *why)
{
	struct fabric_case f = { 0 };
	char model[300] = "";
	const struct link *l;

	memcpy(model, text, clauses_model(text));
	assert_int_equal(choice_parse(&f.link, link_table, "link", model), 0);
	assert_int_equal(clauses_parse(&f.own, text, workers), 0);
	l = (const struct link *)f.link.plugin;
	capture_start();
	assert_int_equal(network_check(l, f.link.conf, &f.own, workers), -1);
	assert_non_null(strstr(capture_text(), why));
	capture_stop();
	fabric_close(&f);
}

static void refuses_fabrics(void **state)
{
	refuse_fabric("nic:node=8", 12, "workers = 12 do not fill nodes of node = 8");
	refuse_fabric("fair:node=8,rack=12", 16, "rack = 12 workers are not whole nodes of node");
	refuse_fabric("fair:node=2,nics=4", 16, "nics=2 and 2 times the bandwidth_GBps");
	refuse_fabric("nic:nics=2", 16, "node = 1 (expected nics of at most 1)");
	refuse_fabric("ideal; 0: latency_s=1", 16, "all nodes are alike");
	refuse_fabric("measured; 0: latency_s=1", 16, "all nodes are alike");
	refuse_fabric("nic; 0: node_GBps=1", 16, "Give node=WORKERS");
	refuse_fabric("nic; 0>1: background_GBps=1", 16, "Use link model fair");
	refuse_fabric("fair:collective=tree; 0>1: background_GBps=1", 16, "Give collective=ring");
	refuse_fabric("fair:collective=nccl,rack=4,uplink_GBps=1,background_GBps=1", 16,
		      "Give collective=ring");
	refuse_fabric("fair:node=4; 0-2: bandwidth_GBps=1; 3: bandwidth_GBps=2", 8,
		      "ranks 2 and 3 share a NIC");
	refuse_fabric("fair; 0-999<>1000-1999: background_GBps=1", 2000, "at most 100000");
}

/* A line of 12 with two flows, one of at most 2; a flow without lines is never held up. */
static void flows_have_caps(void **state)
{
	struct line line = { .capacity = 12.0 };
	struct share a = { .nlines = 1, .cap = 2.0 }, b = { .nlines = 1, .cap = 20.0 };
	struct share c = { .nlines = 1 }, none = { 0 }, *all[] = { &a, &b, &none, &c };

	share_fairly(&line, all, 4);
	assert_near(a.rate, 2.0, 1e-12);
	assert_near(b.rate, 5.0, 1e-12);
	assert_near(c.rate, 5.0, 1e-12);
	assert_true(isinf(none.rate));
}

/* Seconds of an all-reduce of 16 bytes over that many workers, at GB/s of 1e-9. */
static double allreduce_s(const char *text, int workers)
{
	struct fabric_case f;
	const struct link *l = fabric_open(&f, text, workers);
	int location[64];
	struct members m;
	double s;

	for (int i = 0; i < workers; i++)
		location[i] = i;
	m = members_of(&f.net, location, workers, l->shares);
	s = link_collective_s(l, f.link.conf, &m, false, 16);
	members_release(&m);
	fabric_close(&f);
	return s;
}

static void both_models(const char *settings, int workers, double seconds)
{
	char text[400];

	snprintf(text, sizeof(text), "nic:latency_s=0.5,bandwidth_GBps=1e-9,%s", settings);
	assert_near(allreduce_s(text, workers), seconds, 1e-9);
	snprintf(text, sizeof(text), "fair:latency_s=0.5,bandwidth_GBps=1e-9,%s", settings);
	assert_near(allreduce_s(text, workers), seconds, 1e-9);
}

/* Rings of 8: 14 steps of 2 bytes. A step takes what its slowest sender takes. */
static void rings_wait_for_the_slowest(void **state)
{
	both_models("group=4", 8, 14 * (0.5 + 2));
	both_models("message_s=0.25", 8, 14 * (0.5 + 0.25 + 2));
	both_models("group=4; 3: bandwidth_GBps=0.5e-9", 8, 14 * (0.5 + 4));
	both_models("group=4; 3: latency_s=2.5", 8, 14 * (1.5 + 2));
	both_models("group=4; 3: latency_s=2.5; 6: bandwidth_GBps=0.8e-9", 8, 14 * (1.5 + 2));
	both_models("group=4; 3: message_s=1", 8, 14 * (0.5 + 1 + 2));
	both_models("group=4; 3>4: bandwidth_GBps=0.25e-9,latency_s=0", 8, 14 * 8);
	both_models("group=4; 4>3: bandwidth_GBps=0.25e-9", 8, 14 * (0.5 + 2));
	both_models("node=4,node_GBps=4e-9,node_latency_s=0.25", 8, 14 * (0.5 + 2));
	both_models("node=4,node_GBps=0.5e-9,node_latency_s=0.25", 8, 14 * (0.25 + 4));
	both_models("node=8,node_GBps=4e-9,node_latency_s=0.25", 8, 14 * (0.25 + 0.5));
	both_models("node=4,nics=2; 4-7: bandwidth_GBps=0.5e-9", 8, 14 * (0.5 + 4));
}

/* Two nodes of 4: two steps of doubling inside, the third shares the NICs. */
static void other_kinds_have_two_rates(void **state)
{
	const double in = 0.25 + 16.0 / 4, out = 0.5 + 16.0 * 4, half = 0.5 + 16.0 * 2;

#define NODES "node=4,node_GBps=4e-9,node_latency_s=0.25,collective="
	both_models(NODES "doubling", 8, 2 * in + out);
	both_models(NODES "doubling,nics=2", 8, 2 * in + half);
	both_models(NODES "rabenseifner", 8, 2 * (0.25 + 2 + 0.25 + 1 + 0.5 + 2 * 4));
	both_models(NODES "tree", 8, 4 * in + 2 * (0.5 + 16));
	both_models(NODES "hierarchical", 8, 4 * in + 2 * (0.5 + 8));
	both_models(NODES "hierarchical", 4, 4 * in);
	/* A node may be slower than the network. */
	both_models("node=4,node_GBps=0.125e-9,node_latency_s=2,collective=doubling", 8,
		    2 * (2 + 16 / 0.125) + out);
}

/* 16 bytes at 1 B/s over 8: alone in nodes, and in two nodes of 4 with 4 B/s inside. */
static void kinds_of_libraries(void **state)
{
	/* A node of two has one neighbour in each tree; of three, one has two in one of them. */
	both_models("collective=double-tree", 2, 2 * 0.5 + 16);
	both_models("collective=double-tree", 3, 4 * 0.5 + 1.5 * 16);
	both_models("collective=double-tree", 4, 4 * 0.5 + 2 * 16);
	both_models("collective=double-tree", 8, 6 * 0.5 + 2 * 16);
	both_models("collective=double-tree,message_s=0.25", 8, 6 * 0.75 + 2 * 16);
	both_models("collective=in-switch", 8, 0.5 + 16);
	both_models("collective=two-level", 8, 14 * (0.5 + 2));
	both_models(NODES "two-level", 8, 6 * (0.25 + 1) + 2 * (0.5 + 2 * 4));
	both_models(NODES "two-level,nics=2", 8, 6 * (0.25 + 1) + 2 * (0.5 + 2 * 2));
	both_models(NODES "two-level,nics=3", 8, 6 * (0.25 + 1) + 2 * (0.5 + 2 * 2));
	both_models(NODES "two-level,nics=4", 8, 6 * (0.25 + 1) + 2 * (0.5 + 2));
	both_models(NODES "two-level", 4, 6 * (0.25 + 1));
	both_models(NODES "in-switch,nics=2", 8, 6 * (0.25 + 1) + 0.5 + 4 * 2);
	both_models(NODES "in-switch", 4, 0.25 + 4);
	both_models(NODES "double-tree,nics=2", 8, 2 * (3 * 0.25 + 0.5) + 16 / 2.0);
	both_models(NODES "double-tree", 8, 2 * (3 * 0.25 + 0.5) + 16);
	both_models(NODES "double-tree,nics=4", 8, 2 * (3 * 0.25 + 0.5) + 2 * 16 / 4.0);
	both_models(NODES "double-tree,nics=2", 12, 2 * (3 * 0.25 + 2 * 0.5) + 1.5 * 16 / 2.0);
	both_models(NODES "double-tree,nics=2", 16, 2 * (3 * 0.25 + 2 * 0.5) + 2 * 16 / 2.0);
	both_models("node=2,node_GBps=4e-9,node_latency_s=0.25,collective=double-tree", 2,
		    2 * 0.25 + 16 / 4.0);
	both_models(NODES "double-tree", 4, 2 * 3 * 0.25 + 2 * 16 / 4.0);
	/* racks of two nodes: four nodes' shards share an uplink of 0.5 B/s */
	assert_near(allreduce_s("fair:latency_s=0.5,bandwidth_GBps=1e-9,rack=8,uplink_GBps="
				"0.5e-9," NODES "two-level,nics=4", 16),
		    6 * (0.25 + 1) + 6 * (0.5 + 1 / 0.125), 1e-9);
	assert_near(allreduce_s("fair:latency_s=0.5,bandwidth_GBps=1e-9,rack=4,uplink_GBps=1e-9,"
				"collective=doubling", 16), 2 * 16.5 + 2 * (0.5 + 16 * 4), 1e-9);
}

/* What Open MPI's table says of ranks and bytes. */
static void open_mpi_chooses_by_its_table(void **state)
{
	static const struct {
		int n;
		double bytes;
		enum collective_kind kind;
	} all[] = {
		{ 2, 65535, COLLECTIVE_DOUBLING }, { 3, 65536, COLLECTIVE_RING },
		{ 3, 262144, COLLECTIVE_RABENSEIFNER }, { 4, 8191, COLLECTIVE_DOUBLING },
		{ 15, 8192, COLLECTIVE_RABENSEIFNER }, { 16, 4095, COLLECTIVE_DOUBLING },
		{ 31, 4096, COLLECTIVE_RABENSEIFNER }, { 32, 127, COLLECTIVE_DOUBLING },
		{ 63, 128, COLLECTIVE_RABENSEIFNER }, { 64, 262143, COLLECTIVE_DOUBLING },
		{ 127, 262144, COLLECTIVE_RABENSEIFNER }, { 128, 131071, COLLECTIVE_TREE },
		{ 128, 131072, COLLECTIVE_DOUBLING }, { 4096, 1e9, COLLECTIVE_RABENSEIFNER },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(library_openmpi(all[i].n, all[i].bytes), all[i].kind);
	both_models("collective=openmpi", 8, 3 * 16.5);
}

static enum collective_kind nccl_of(int n, int nodes, double bytes)
{
	const struct library_case c = { .n = n, .nodes = nodes, .inside = 230e9, .across = 25e9,
					.channels = 2, .bytes = bytes };

	return library_nccl(&c);
}

/*
 * A ring for much and few nodes, trees for little and many. By hand: 2 ranks in 2 nodes, 64 bytes
 * by LL: ring 6.6 + 2 x 5 us, tree 6.8 + 2 x 5; 512 ranks in 64 nodes: ring 6.6 + 896 x 0.6 +
 * 126 x 2.7 = 884 us, tree 6.8 + 2 (7 x 0.6 + 6 x 5) = 75 us.
 */
static void nccl_chooses_by_its_model(void **state)
{
	assert_int_equal(nccl_of(2, 2, 64), COLLECTIVE_RING);
	assert_int_equal(nccl_of(512, 64, 64), COLLECTIVE_DOUBLE_TREE);
	assert_int_equal(nccl_of(512, 64, 4e9), COLLECTIVE_RING);
	assert_int_equal(nccl_of(16, 2, 1e9), COLLECTIVE_RING);
	assert_int_equal(nccl_of(64, 64, 1e5), COLLECTIVE_DOUBLE_TREE);
	assert_int_equal(nccl_of(8, 1, 1e9), COLLECTIVE_RING);
	/* simple: ring 1.4 x 126 x 14 us + 3.15 ms = 5.6 ms, tree 0.2 + 5.0; without the 1.4 4.9 */
	assert_int_equal(library_nccl(&(struct library_case){
		.n = 64, .nodes = 64, .across = 12.5e9, .channels = 2, .bytes = 2e7 }),
			 COLLECTIVE_DOUBLE_TREE);
	/* priced by the fabric: so many rings as NICs, or the double tree */
	both_models(NODES "nccl,nics=2", 4, 6 * (0.25 + 1));
}

/* What other jobs leave: with more than half of a line, half. */
static void other_traffic_slows_rings(void **state)
{
#define UPLINKS "fair:latency_s=0.5,bandwidth_GBps=1e-9,rack=4,uplink_GBps=1e-9,background_GBps="
	assert_near(allreduce_s(UPLINKS "0.2e-9", 8), 14 * (0.5 + 2 / 0.8), 1e-9);
	assert_near(allreduce_s(UPLINKS "0.9e-9", 8), 14 * (0.5 + 2 / 0.5), 1e-9);
	assert_near(allreduce_s("fair:latency_s=0.5,bandwidth_GBps=1e-9; 0>4: "
				"background_GBps=0.2e-9", 8), 14 * (0.5 + 2 / 0.8), 1e-9);
	assert_near(allreduce_s("fair:latency_s=0.5,bandwidth_GBps=1e-9; 0>server: "
				"background_GBps=0.9e-9", 8), 14 * (0.5 + 2 / 0.5), 1e-9);
}

RUN_ALL(clauses_round_trip, one_worker_keeps_its_own, refuses_clauses, wires_by_hand,
	nics_are_divided_in_order, refuses_fabrics, flows_have_caps, rings_wait_for_the_slowest,
	other_kinds_have_two_rates, kinds_of_libraries, open_mpi_chooses_by_its_table,
	nccl_chooses_by_its_model, other_traffic_slows_rings)
