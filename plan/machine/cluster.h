/* The machine that is simulated: sim/clusters/NAME.json. */
#ifndef PLAN_MACHINE_CLUSTER_H
#define PLAN_MACHINE_CLUSTER_H

#include "core/file/json_keys.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Floating-point operations per second of a worker, if a cluster does not say. */
#define CLUSTER_FLOPS 1e12

/* Bytes of a bucket, if a cluster does not say: as PyTorch's DistributedDataParallel. */
#define CLUSTER_BUCKET (25 << 20)

/* Workers of a run without a cluster. */
#define CLUSTER_WORKERS 16

struct net_times {              /* compute times of a net */
	const char *net;
	const char *text;       /* a value of the setting compute_s; NULL: seconds, in `at` */
	struct time_at {
		double workers; /* that compute at once; 0: any number */
		double seconds;
	} *at;                  /* [n], by workers ascending; owned */
	size_t n;
};

struct net_list {
	struct net_times *v;    /* [n], owned */
	size_t n;
};

struct cluster {
	cJSON *file;            /* owned; the texts below live in it */
	const char *device;             /* accelerator of a worker; NULL: not given */
	const char *delay, *link;       /* "constant", "ideal" where the file does not say */
	int64_t workers;        /* default of a run */
	double host_copy_s;     /* latency of a copy between device and host, seconds */
	double host_copy_GBps;  /* its bandwidth, 1e9 bytes a second; 0: bytes take no time */
	double update_s;        /* seconds of a server's step */
	bool overlap;           /* receive messages while computing */
	int64_t bucket_bytes;   /* an all-reduced gradient is sent in these; 0: as a whole */
	double flops;           /* floating-point operations per second of a worker */
	bool names_flops;       /* the file has flops; false: they are CLUSTER_FLOPS */
	struct net_list per_sample;     /* seconds of a sample */
	struct net_list per_batch;      /* seconds of a gradient besides its samples' */
	struct net_list times;  /* each is a text, such as a table by batch */
	const cJSON *measured;  /* what was measured, by `convoy calibrate`; may be NULL */
	const cJSON *sources;   /* {number: text}; may be NULL */
	const char *about, *source, *cite;      /* NULL: the file does not say */
	const cJSON *derivation;        /* a text, or lines; may be NULL */
};

/* Keys of a file, of its "compute", and of its "measured" (names alone). */
extern const struct json_key cluster_keys[], cluster_compute_keys[];
extern const char *const cluster_measured_keys[];

/* Loads by name or path; 0, or error() naming file and key. */
int cluster_load(struct cluster *c, const char *name);
void cluster_release(struct cluster *c);

struct clusters {               /* read once for several runs that name them */
	struct named_cluster {
		char *name;     /* as it was asked for; owned */
		struct cluster cluster;
	} *v;                   /* [n], owned */
	size_t n;
};

/*
 * The cluster of that name, which cluster_load() reads when it is asked for first; borrowed until
 * the next call, and what it points to until clusters_release(). NULL after error().
 */
const struct cluster *clusters_find(struct clusters *all, const char *name);
void clusters_release(struct clusters *all);

/* A machine of which nothing is known, without a file: messages take no time, all else is free. */
struct cluster cluster_neutral(void);

/*
 * Source of a net's compute time: its text in `times`, its time per sample, the file's flops, or
 * CLUSTER_FLOPS. cluster_compute() knows all of these but the first.
 */
enum cluster_time {
	CLUSTER_TIME_TABLE, CLUSTER_TIME_NET, CLUSTER_TIME_FLOPS, CLUSTER_TIME_NEUTRAL
};
enum cluster_time cluster_time(const struct cluster *c, const char *net);

/* True when the file has that key. */
bool cluster_has(const struct cluster *c, const char *key);

/* The net's text in `times`; NULL: the file has none. */
const char *cluster_times(const struct cluster *c, const char *net);

/* True when the file has a net's time, in a table or per sample. */
bool cluster_has_time(const struct cluster *c, const char *net);

/*
 * Seconds that each of so many workers computes on a batch of a net: the cluster's
 * time per batch and per sample (net NULL: one that it cannot know), else 6 operations per
 * multiply-accumulate (forward, and twice that backward) at its rate. Where the time was
 * measured with several numbers of workers at once, it is linear in between, and beyond the
 * ends that of the end.
 */
double cluster_compute(const struct cluster *c, const char *net, int64_t macs, int64_t batch,
		       int64_t workers);

/* Seconds to copy a model of `dim` floats out and back. */
double cluster_host_copy(const struct cluster *c, size_t dim);

/* ---- the numbers of a cluster's file, each with its unit and its source ---- */

struct cluster_number {
	char *name;             /* "workers", "seconds_per_sample.vgg", "link.latency_s"; owned */
	char *value;            /* as the file has it; owned */
	const char *unit;       /* "" for words and counts */
	const char *source;     /* NULL: the file has none */
};

struct cluster_numbers {
	struct cluster_number *v;       /* [n], owned */
	size_t n;
};

/* The numbers and the delay and link models of the file, without defaults. Sources live in c. */
struct cluster_numbers cluster_numbers(const struct cluster *c);
void cluster_numbers_free(struct cluster_numbers *all);

#endif
