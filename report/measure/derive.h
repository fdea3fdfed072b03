/*
 * derive.h - numbers of a run object that follow from others of it: measures for tables and claims.
 *
 * What is unknown, in files of before it was kept or of a problem without layers, is null.
 */
#ifndef REPORT_MEASURE_DERIVE_H
#define REPORT_MEASURE_DERIVE_H

#include <cjson/cJSON.h>

/*
 * Adds "batch" (samples of a minibatch), "parameters" (floats of the model), "forward_flop" (2 x
 * multiply-accumulates of a sample) and their ratio "flop_per_parameter". 0: unknown.
 */
void derive_model(cJSON *run, double dim, double macs, double batch);

/*
 * Adds "iterations" (gradients / workers), "messages" (sent by all nodes) and
 * "communication_share" (of the workers' time); run has its "nodes".
 */
void derive_totals(cJSON *run);

/*
 * Adds what the loss per token of a text means, at the end and to "eval": "test_perplexity", its
 * exponential, and "test_bits", in bits.
 */
void derive_tokens(cJSON *run);

/*
 * Adds what a gradient of so many real seconds means: "gradient_wall_s", "samples_per_wall_s",
 * "gflop_per_wall_s" (a gradient is three forward passes); after derive_model().
 */
void derive_rates(cJSON *run, double seconds);

#endif
