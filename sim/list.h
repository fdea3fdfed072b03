/* list.h - models of links between nodes, a line each. */
LINK(fair)
LINK(ideal)
LINK(measured)
LINK(nic)
