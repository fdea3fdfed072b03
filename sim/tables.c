/* The table of link models, built from sim/list.h. */
#include "sim/link/link.h"

#define LINK(name) extern const struct link link_##name;
#include "sim/list.h"
#undef LINK

#define LINK(name) &link_##name.plugin,
const struct plugin *const link_table[] = {
#include "sim/list.h"
	NULL
};
#undef LINK
