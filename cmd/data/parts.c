/* The table of the subcommands of `convoy data`. */
#include "cmd/data/parts.h"

#include <stddef.h>

const struct command data_parts[DATA_PARTS + 1] = {
	{ "info", cmd_data_info, "what a set holds, and whether it is as published", AT_ONCE },
	{ "get", cmd_data_get, "fetch images or a text from their publishers", IN_ORDER },
	{ "pack", cmd_data_pack, "pack a folder of photographs into one file", IN_ORDER },
	{ NULL, NULL, NULL, AT_ONCE }
};
