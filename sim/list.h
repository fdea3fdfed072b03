/* list.h - the simulator's plug-ins, a line each. */
#ifdef DELAY
DELAY(constant)
DELAY(gamma)
DELAY(measured)
#endif
#ifdef LINK
LINK(ideal)
LINK(measured)
LINK(nic)
#endif
