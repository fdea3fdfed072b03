/* Resolves the setting link. */
#ifndef PLAN_MACHINE_LINK_H
#define PLAN_MACHINE_LINK_H

#include "plan/resolve/setup.h"

/*
 * Reads the text of a link, given or the machine's, into su->sim; where it is given, its source
 * names what it leaves to the model's defaults. 0 or error().
 */
int link_read(struct setup *su, const char *text);

#endif
