#include "sim/models.h"

#define DELAY(name) extern const struct delay delay_##name;
#define LINK(name)  extern const struct link link_##name;
#include "sim/list.h"
#undef DELAY
#undef LINK

#define DELAY(name) &delay_##name.plugin,
const struct plugin *const delay_table[] = {
#include "sim/list.h"
	NULL
};
#undef DELAY

#define LINK(name) &link_##name.plugin,
const struct plugin *const link_table[] = {
#include "sim/list.h"
	NULL
};
#undef LINK
