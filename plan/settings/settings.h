/*
 * settings.h - every setting of a run, in one typed table.
 *
 * The same table serves the flags of `convoy sim` and `convoy run`, the keys of
 * a spec's base and grid, the help, and what a result file records.
 */
#ifndef PLAN_SETTINGS_SETTINGS_H
#define PLAN_SETTINGS_SETTINGS_H

#include "core/text/opt.h"
#include "plan/point.h"

enum engine_kind { ENGINE_SIM, ENGINE_MPI };
enum server_rank { SERVER_OWN, SERVER_SHARED };

struct settings {               /* as a user writes them; "auto" is resolved by setup_resolve() */
	int engine;             /* enum engine_kind */
	char *algo, *graph, *workers;
	int64_t batch;
	char *net, *data, *backend;
	int precision, lowering;        /* enum precision, enum lowering */
	int64_t partitions, compute_threads;
	bool fusion;
	int64_t seed;
	char *epochs;
	double seconds;
	int64_t gradients;
	double lr;
	int lr_scaling;         /* enum lr_scaling */
	int64_t lr_batch;
	char *schedule;
	double warmup;
	char *warmup_from;
	char *optim, *codec;
	double eval_every;
	int64_t eval_samples, stat_batches;
	double train_every;
	int64_t time_from;
	int measures;           /* enum watch_level */
	int server;             /* enum server_rank */
	int allreduce;          /* enum allreduce_kind */
	int64_t bucket;
	char *cluster, *compute_s, *host_copy_s, *update_s, *overlap, *delay, *link, *slow, *shares;
	char *storage;
	int64_t shards;
	char *sim_bucket, *faults, *recovery;
	int64_t sim_in_flight, zero;
	bool timing, keep_model;
	char *init;
	int64_t samples;
	uint64_t given;         /* bit i: settings_opts[i] was set, and not to "auto" */
};

enum { SETTINGS_MOST = 64 };    /* bits of `given` */

extern const struct opt settings_opts[];

/* The word for a value of a setting that has choices. */
const char *settings_choice(const char *key, int value);

/* Those settings that a word, such as "auto", may stand for, as numbers. */
struct autos {
	int64_t workers;
	double epochs, warmup_from, compute_s, host_copy_s, update_s;
	int64_t sim_bucket;
	bool overlap;
};
extern const struct opt autos_opts[];

/* The value as the setting writes it; NULL after error(). The caller frees. */
char *settings_canonical(const struct opt *o, const char *value, const char *where);

/* opt_set() of a setting, which is given from then on. */
int settings_set(struct settings *s, const char *key, const char *text, const char *where);

/*
 * Sets an object of settings ({"batch": 32, "algo": "asgd"}) in s; NULL is
 * empty, and a list of one value is that value. Returns 0, or error() that begins with `where`.
 */
int settings_apply(struct settings *s, const cJSON *object, const char *where);

/* The same of a point's settings. */
int settings_apply_point(struct settings *s, const struct grid_point *point, const char *where);

/* 0, or error() that names the nearest where there is no such setting. */
int settings_check_key(const char *key, const char *where);

/* 0 when every key of the object is a setting, and stands there once, else error(). */
int settings_check_keys(const cJSON *object, const char *where);

/*
 * 0 when every value of an object of settings, or of the lists that it may hold instead, is one
 * that the setting takes, as far as that is known of it alone; else error().
 */
int settings_check_values(const cJSON *object, const char *where);

#endif
