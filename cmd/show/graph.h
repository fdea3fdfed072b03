/* `convoy show graph NAME --workers N`: what a graph of so many workers is like. */
#ifndef CMD_SHOW_GRAPH_H
#define CMD_SHOW_GRAPH_H

#include <stdbool.h>

/*
 * Prints degrees, edges, what holds of the graph, and how fast it mixes. `text` is a graph with
 * its options, as --graph takes it. Exit code.
 */
int show_graph(const char *text, int workers, bool as_json);

#endif
