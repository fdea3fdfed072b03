/* list.h - the simulator's plug-ins, a line each. */
#ifdef DELAY
DELAY(constant)
DELAY(gamma)
#endif
#ifdef LINK
LINK(ideal)
LINK(nic)
#endif
