/* list.h - algorithms and optimisers, a line each: C name. */
#ifdef ALGO
ALGO(allreduce)
ALGO(asgd)
ALGO(d_psgd)
ALGO(ad_psgd)
#endif
#ifdef OPTIM
OPTIM(sgd)
#endif
