/* list.h - the simulator's plug-ins, a line each. */
#ifdef DELAY
DELAY(constant)
DELAY(cvb)
DELAY(empirical)
DELAY(exponential)
DELAY(gamma)
DELAY(lognormal)
DELAY(markov)
DELAY(measured)
DELAY(normal)
DELAY(pareto)
DELAY(periodic)
DELAY(profile)
DELAY(rack)
DELAY(uniform)
DELAY(weibull)
#endif
#ifdef LINK
LINK(fair)
LINK(ideal)
LINK(measured)
LINK(nic)
#endif
