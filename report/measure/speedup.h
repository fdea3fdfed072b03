/* A run's speedup against its baseline, and why one is above the number of workers. */
#ifndef REPORT_MEASURE_SPEEDUP_H
#define REPORT_MEASURE_SPEEDUP_H

#include <cjson/cJSON.h>

/*
 * Fills "speedup", the baseline's time_per_epoch_s / the run's own, and "baseline", the hash of
 * that; both null without a baseline.
 */
void result_speedup(cJSON *run, const cJSON *baseline);

/*
 * Notes of the runs whose speedup is above their number of workers, a text for each reason; the
 * baselines are those of their hashes. An array, maybe empty, that the caller frees.
 */
cJSON *speedup_notes(const cJSON *runs, const cJSON *baselines);

#endif
