/* The parts of `convoy data`. argv[1] is the part's own name. */
#ifndef CMD_DATA_PARTS_H
#define CMD_DATA_PARTS_H

#include "cmd/cmd.h"

enum { DATA_PARTS = 3 };
extern const struct command data_parts[DATA_PARTS + 1];   /* ends with a NULL name */

int cmd_data_get(int argc, char **argv);
int cmd_data_info(int argc, char **argv);
int cmd_data_pack(int argc, char **argv);

#endif
