/* The table of delay models, built from delays/list.h. */
#include "delays/delay.h"

#define DELAY(name) extern const struct delay delay_##name;
#include "delays/list.h"
#undef DELAY

#define DELAY(name) &delay_##name.plugin,
const struct plugin *const delay_table[] = {
#include "delays/list.h"
	NULL
};
#undef DELAY
