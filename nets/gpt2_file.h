/*
 * gpt2_file.h - a GPT-2 model in a checkpoint file of llm.c.
 *
 * The file is 256 words of 32 bits, the first eight 20240326, 3 (all numbers are f32), positions,
 * vocabulary, layers, heads, channels and rows of the token table, and then 16 tensors, each of
 * all layers together: wte wpe ln1w ln1b qkvw qkvb attprojw attprojb ln2w ln2b fcw fcb fcprojw
 * fcprojb lnfw lnfb. All of it is little-endian. The table has rows that no token uses, at its end.
 */
#ifndef NETS_GPT2_FILE_H
#define NETS_GPT2_FILE_H

#include "nets/graph/graph.h"

/* True of a file that begins as llm.c's checkpoints do. */
bool gpt2_file_is(const char *path);

/*
 * The model x[g->dim], owned by the caller. NULL after error(): the net is no GPT-2 or of other
 * sizes, the file is not whole or has numbers that are not f32.
 */
float *gpt2_file_read(const char *path, const struct graph *g);

#endif
