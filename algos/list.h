/* list.h - algorithms, optimisers and graphs, a line each: C name. */
#ifdef ALGO
ALGO(allreduce)
ALGO(asgd)
ALGO(staleness_aware)
ALGO(dynsgd)
ALGO(delay_adaptive)
ALGO(gap_aware)
ALGO(dc_asgd)
ALGO(nag_asgd)
ALGO(multi_asgd)
ALGO(dana)
ALGO(d_psgd)
ALGO(ad_psgd)
ALGO(gossip_pull)
ALGO(gossip_push)
ALGO(sgp)
ALGO(osgp)
#endif
#ifdef OPTIM
OPTIM(sgd)
#endif
#ifdef GRAPH
GRAPH(ring)
GRAPH(torus)
GRAPH(hypercube)
GRAPH(exponential)
GRAPH(directed_exponential)
GRAPH(bipartite_exponential)
GRAPH(complete)
GRAPH(bipartite_complete)
GRAPH(star)
GRAPH(random_regular)
GRAPH(file)
#endif
