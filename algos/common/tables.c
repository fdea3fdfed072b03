/* The tables of algorithms, optimisers, graphs and codecs, built from algos/list.h. */
#include "algos/algos.h"

#define ALGO(name)  extern const struct algo algo_##name;
#define OPTIM(name) extern const struct optim optim_##name;
#define GRAPH(name) extern const struct graph_type graph_##name;
#define CODEC(name) extern const struct codec codec_##name;
#include "algos/list.h"
#undef ALGO
#undef OPTIM
#undef GRAPH
#undef CODEC

#define ALGO(name) &algo_##name.plugin,
const struct plugin *const algo_table[] = {
#include "algos/list.h"
	NULL
};
#undef ALGO

#define OPTIM(name) &optim_##name.plugin,
const struct plugin *const optim_table[] = {
#include "algos/list.h"
	NULL
};
#undef OPTIM

#define GRAPH(name) &graph_##name.plugin,
const struct plugin *const graph_table[] = {
#include "algos/list.h"
	NULL
};
#undef GRAPH

#define CODEC(name) &codec_##name.plugin,
const struct plugin *const codec_table[] = {
#include "algos/list.h"
	NULL
};
#undef CODEC
