/*
 * print.h - what came of an experiment, on stdout.
 */
#ifndef CMD_RUN_PRINT_H
#define CMD_RUN_PRINT_H

#include "runner/results/outcome.h"

/* {"experiment","scale","runs","baseline","tuning","tables","claims","plots": paths}. */
void run_print_json(const struct plan *p, const struct outcome *o, const cJSON *plots);

/* Tables, or its runs where the spec has none; claims; the paths of pictures. */
void run_print_text(const struct plan *p, const struct outcome *o, const cJSON *plots);

#endif
