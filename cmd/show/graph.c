/* Prints degree, symmetry, spectral gap and other properties of a communication graph. */
#include "cmd/show/show.h"

#include "algos/algos.h"
#include "core/base/error.h"
#include "core/graph.h"
#include "core/text/word.h"
#include "runner/results/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Seeds of `show` are those of a run that says nothing. */
enum { SEED = 1 };

struct facts {
	int fewest, most;       /* neighbours, or receivers */
	int edges;
	const char *weights;
	double second;          /* eigenvalue's modulus; NaN: not computed */
};

static struct facts facts_of(const struct topology *t)
{
	const int arcs = t->first[t->n];
	struct facts f = { .fewest = t->n, .edges = t->directed ? arcs : arcs / 2 };

	for (int i = 0; i < t->n; i++) {
		const int degree = topology_out(t, i).n;

		f.fewest = degree < f.fewest ? degree : f.fewest;
		f.most = degree > f.most ? degree : f.most;
	}
	f.weights = t->directed ? "columns sum to one: 1 / (1 + receivers)"
		    : t->regular ? "uniform: 1 / (1 + degree)"
				 : "Metropolis: 1 / (1 + the larger of two degrees)";
	f.second = topology_second(t);
	return f;
}

static const char *show_graph_yes(bool is)
{
	return is ? "yes" : "no";
}

static void show_graph_print(const char *text, const struct topology *t)
{
	const struct facts f = facts_of(t);

	printf("graph %s of %d worker%s\n", text, t->n, word_plural(t->n));
	if (f.fewest == f.most)
		printf("  degree             %d\n", f.most);
	else
		printf("  degree             %d to %d\n", f.fewest, f.most);
	printf("  %-18s %d\n", t->directed ? "arcs" : "edges", f.edges);
	printf("  symmetric          %s\n", show_graph_yes(!t->directed));
	printf("  connected          %s\n", show_graph_yes(t->connected));
	printf("  bipartite          %s\n", show_graph_yes(t->bipartite));
	printf("  weights            %s\n", f.weights);
	if (isnan(f.second)) {
		printf("  spectral gap       not computed for more than %d workers\n",
		       SPECTRUM_MAX);
		return;
	}
	printf("  second eigenvalue  %.6f (modulus)\n", f.second);
	printf("  spectral gap       %.6f\n", 1.0 - f.second);
}

static void show_graph_print_json(const char *text, const struct topology *t)
{
	const struct facts f = facts_of(t);
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "graph", text);
	cJSON_AddNumberToObject(json, "workers", t->n);
	cJSON_AddNumberToObject(json, "degree_min", f.fewest);
	cJSON_AddNumberToObject(json, "degree_max", f.most);
	cJSON_AddNumberToObject(json, "edges", f.edges);
	cJSON_AddBoolToObject(json, "symmetric", !t->directed);
	cJSON_AddBoolToObject(json, "connected", t->connected);
	cJSON_AddBoolToObject(json, "bipartite", t->bipartite);
	cJSON_AddStringToObject(json, "weights", f.weights);
	cJSON_AddNumberToObject(json, "second_eigenvalue", f.second);
	cJSON_AddNumberToObject(json, "spectral_gap", 1.0 - f.second);
	json_print(json);
	cJSON_Delete(json);
}

int show_graph(const char *text, int workers, bool as_json)
{
	struct choice graph = { 0 };
	struct topology t;
	char *canonical;

	if (choice_parse(&graph, graph_table, "graph", text) < 0)
		return EXIT_BAD;
	if (topology_make(&t, &graph, workers, SEED) < 0) {
		choice_release(&graph);
		return EXIT_BAD;
	}
	canonical = choice_format(&graph);
	if (as_json)
		show_graph_print_json(canonical, &t);
	else
		show_graph_print(canonical, &t);
	free(canonical);
	topology_free(&t);
	choice_release(&graph);
	return EXIT_OK;
}
