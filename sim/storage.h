/* Shared storage from which workers read their samples. */
#ifndef SIM_STORAGE_H
#define SIM_STORAGE_H

#include "core/text/opt.h"

struct storage_conf {
	double samples_per_s;   /* of one storage; 0: given by GBps */
	double GBps, sample_bytes;      /* 1e9 bytes a second of one; bytes; 0: samples_per_s */
	int64_t workers;        /* workers that share one, in the order of ranks; 0: all */
	int64_t ahead;          /* minibatches that a worker reads in advance */
};

/* Choices of the setting storage: "none", "shared". */
extern const struct plugin *const storage_table[];      /* NULL-ended */

/* 0, or error() for a storage whose rate is not given, or given twice. */
int storage_check(const struct choice *storage);

#endif
