/* Sets, applies and checks settings by name; names the words of their enumerations. */
#include "plan/settings/settings.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "plan/compute/times.h"

#include <stdlib.h>
#include <string.h>

#define AT(type, field) OPT_AT(type, struct settings, field)
#define BIG 1e15

/*
 * By enum engine_kind, server_rank, allreduce_kind, lr_scaling, watch_level, precision, lowering.
 */
static const char *const engines[] = { "sim", "mpi", NULL };
static const char *const server_ranks[] = { "own", "shared", NULL };
static const char *const allreduce_kinds[] = { "buckets", "whole", "ring", NULL };
static const char *const scalings[] = { "none", "linear", "sqrt", NULL };
static const char *const measures[] = { "none", "cheap", "all", NULL };
static const char *const precisions[] = { "f32", "bf16", NULL };
static const char *const lowerings[] = { "1", "2", "3", "auto", "caffe", NULL };

const struct opt settings_opts[] = {
	OPT_CHOICE(struct settings, engine, "sim", "sim: workers in virtual time; mpi: real ranks",
		   "ENGINE", engines),
	{ "algo", AT(STRING, algo), "allreduce",
	  "algorithm: NAME or NAME:KEY=VALUE,...; 'convoy list algos'", "ALGO", 0, 0, NULL, 0 },
	{ "graph", AT(STRING, graph), "auto",
	  "topology of a decentralised algorithm; auto: the algorithm's own", "GRAPH", 0, 0,
	  NULL, 0 },
	{ "workers", AT(STRING, workers), "auto",
	  "workers that compute gradients; auto: the cluster's, or 16", "N", 0, 0, NULL, 0 },
	OPT_NUMBER(struct settings, batch, "32", "samples of a worker's minibatch", "N", 1,
		   1 << 24),
	{ "net", AT(STRING, net), "resnet20",
	  "net of the zoo, path to one, analytic problem, or for --timing a net by its size: "
	  "bytes:350e6,layers=60, profile:FILE, vgg16, ...", "NET", 0, 0, NULL, 0 },
	{ "data", AT(STRING, data), "shapes",
	  "data set: NAME or NAME:KEY=VALUE,...", "DATA", 0, 0, NULL, 0 },
	{ "backend", AT(STRING, backend), "auto",
	  "compute backend of nets; auto: the first built in", "NAME", 0, 0, NULL, 0 },
	OPT_CHOICE(struct settings, precision, "f32",
		   "type of activations and products; parameters are always f32", "TYPE",
		   precisions),
	OPT_CHOICE(struct settings, lowering, "1",
		   "openblas: convolutions by type 1, 2 or 3 of Caffe con Troll; auto: the fastest "
		   "of each layer, measured once; caffe: image by image", "TYPE", lowerings),
	OPT_NUMBER(struct settings, partitions, "0",
		   "openblas: partitions of a batch; 0: chosen by the net", "N", 0, 1 << 20),
	{ "fusion", AT(BOOL, fusion), "true",
	  "openblas: lower, multiply and lift a few hundred rows at a time; false: a partition as "
	  "a whole, to measure the difference", NULL, 0, 0, NULL, OPT_ADDED },
	{ "compute_threads", AT(INT, compute_threads), "0",
	  "threads that compute this run's gradients, to measure them; 0: as --threads", "N", 0,
	  4096, NULL, OPT_ADDED },
	OPT_NUMBER(struct settings, seed, "1", "seed of every random number of the run", "N", 0,
		   BIG),
	{ "epochs", AT(STRING, epochs), "auto",
	  "end of the run, in epochs of all workers together; 0: no bound; auto: 1 if "
	  "there is no other bound, but 64 gradients a worker in a timing-only run of "
	  "more than 16 workers; a timing-only run ends with a whole round of all "
	  "workers", "EPOCHS", 0, 0, NULL, 0 },
	OPT_NUMBER(struct settings, seconds, "0",
		   "end of the run, in virtual or real seconds; 0: no bound", "SECONDS", 0, BIG),
	OPT_NUMBER(struct settings, gradients, "0",
		   "end of the run, in gradients of all workers; 0: no bound", "N", 0, BIG),
	OPT_NUMBER(struct settings, lr, "0.1", "learning rate", "LR", 0, BIG),
	OPT_CHOICE(struct settings, lr_scaling, "none",
		   "growth of lr with the batch of all workers over lr_batch", "HOW", scalings),
	OPT_NUMBER(struct settings, lr_batch, "256",
		   "batch that lr is for, in samples, where lr is scaled", "N", 1, 1 << 24),
	{ "schedule", AT(STRING, schedule), "constant",
	  "learning rate over time: NAME or NAME:KEY=VALUE,...", "SCHEDULE", 0, 0, NULL, 0 },
	OPT_NUMBER(struct settings, warmup, "0",
		   "epochs of linear warm-up, a factor on the schedule", "EPOCHS", 0, BIG),
	{ "warmup_from", AT(STRING, warmup_from), "0.1",
	  "first factor of the warm-up; workers: 1 / workers", "FACTOR", 0, 0, NULL, 0 },
	{ "optim", AT(STRING, optim), "sgd",
	  "optimiser: NAME or NAME:KEY=VALUE,...", "OPTIM", 0, 0, NULL, 0 },
	{ "codec", AT(STRING, codec), "none",
	  "compression of gradients: NAME or NAME:KEY=VALUE,...", "CODEC", 0, 0, NULL, 0 },
	{ "init", AT(STRING, init), "seed",
	  "engine sim: first model: drawn from the seed, or kept in a result file or in llm.c's "
	  "checkpoint of GPT-2", "seed|FILE", 0, 0, NULL, OPT_ADDED },
	{ "keep_model", AT(BOOL, keep_model), "false",
	  "store the final model in the result file", NULL, 0, 0, NULL, OPT_ADDED },
	OPT_NUMBER(struct settings, eval_every, "1",
		   "epochs between evaluations; 0: at the end only", "EPOCHS", 0, BIG),
	OPT_NUMBER(struct settings, eval_samples, "0", "test samples of an evaluation; 0: all", "N",
		   0, BIG),
	OPT_NUMBER(struct settings, stat_batches, "16",
		   "training batches that re-estimate batch-norm statistics", "N", 1, 1 << 20),
	OPT_NUMBER(struct settings, train_every, "0.1", "epochs between rows of the training curve",
		   "EPOCHS", 0, BIG),
	{ "time_from", AT(INT, time_from), "0",
	  "gradients of all workers before the time per epoch is measured", "N", 0, BIG, NULL,
	  OPT_ADDED },
	OPT_CHOICE(struct settings, measures, "cheap",
		   "what is measured at each step: cheap: norms, momentum, spread of models; all: "
		   "also gaps, which needs a copy of every worker's model", "WHICH", measures),
	OPT_CHOICE(struct settings, server, "own",
		   "engine mpi: rank of the server: its own, or shared with worker 0", "RANK",
		   server_ranks),
	OPT_CHOICE(struct settings, allreduce, "buckets",
		   "engine mpi: all-reduce: buckets: overlaps the backward pass, adds in the order "
		   "of ranks; whole: MPI's own, after it; ring: convoy's ring, after it", "HOW",
		   allreduce_kinds),
	OPT_NUMBER(struct settings, bucket, "4194304",
		   "engine mpi: largest bucket of allreduce=buckets, in bytes", "BYTES", 4,
		   1 << 30),
	{ "cluster", AT(STRING, cluster), "auto",
	  "engine sim: simulated machine: name or path; none: neutral; auto: none if link "
	  "or compute_s is given, else power8-edr", "CLUSTER", 0, 0, NULL, 0 },
	{ "compute_s", AT(STRING, compute_s), "auto",
	  "seconds of a worker's minibatch, a table or a device; "
	  "table:batch=A/B,seconds=S/T, table:file=PATH, the device's name; RANKS: TIME; ... "
	  "(docs/my-cluster.md); auto: the cluster's", "TIME", 0, 0, NULL, 0 },
	{ "storage", AT(STRING, storage), "none",
	  "engine sim: storage of the samples: shared:samples_per_s=RATE or "
	  "shared:GBps=RATE,sample_bytes=N, with workers=N that share one (0: all) and ahead=N "
	  "minibatches read in advance; none: at once", "STORAGE", 0, 0, NULL, OPT_ADDED },
	{ "host_copy_s", AT(STRING, host_copy_s), "auto",
	  "seconds of the host-device copy per gradient, if workers > 1; auto: the "
	  "cluster's, or 0", "SECONDS", 0, 0, NULL, 0 },
	{ "update_s", AT(STRING, update_s), "auto",
	  "seconds of a server's step; auto: the cluster's, or 0", "SECONDS", 0, 0, NULL, 0 },
	{ "shards", AT(INT, shards), "1",
	  "engine sim: machines that share a server's model, each with its own NIC", "N", 1,
	  1 << 20, NULL, OPT_ADDED },
	{ "sim_bucket", AT(STRING, sim_bucket), "auto",
	  "engine sim: bucket of an all-reduced gradient, in bytes, overlapping the "
	  "backward pass; 0: none; auto: the cluster's, or 25 MiB as in PyTorch", "BYTES", 0, 0,
	  NULL, OPT_ADDED },
	{ "sim_in_flight", AT(INT, sim_in_flight), "1",
	  "engine sim: buckets that are all-reduced at once and share the network; 1: one after "
	  "the other", "N", 1, 1 << 20, NULL, OPT_ADDED },
	{ "zero", AT(INT, zero), "0",
	  "engine sim: ZeRO stage of all-reduced gradients: 1 or 2: reduce-scatter, then "
	  "all-gather of the model; 3: its layers gathered in each pass; 0: all-reduce", "STAGE",
	  0, 3, NULL, OPT_ADDED },
	{ "overlap", AT(STRING, overlap), "auto",
	  "receive messages while computing: true or false; auto: the cluster's, or true",
	  "BOOL", 0, 0, NULL, 0 },
	{ "delay", AT(STRING, delay), "auto",
	  "variation of compute times: MODEL, or RANKS: MODEL * MODEL; ... "
	  "(docs/delays.md); auto: the cluster's, or constant", "DELAY", 0, 0, NULL, 0 },
	{ "link", AT(STRING, link), "auto",
	  "network: NAME or NAME:KEY=VALUE,..., then for single workers, the server or pairs "
	  "; RANKS: KEY=VALUE,... (docs/links.md); auto: the cluster's, or ideal", "LINK", 0, 0,
	  NULL, 0 },
	{ "slow", AT(STRING, slow), "none",
	  "slow workers: RANK:FACTOR or RANK:FACTOR@FROM-TO (seconds), joined by +", "SLOW", 0,
	  0, NULL, 0 },
	{ "shares", AT(STRING, shares), "equal",
	  "shares of a round's samples: RANK:PART joined by + (others have 1), or speed: "
	  "by slow and delay, or measured by train (docs/delays.md#shares)", "SHARES",
	  0, 0, NULL, OPT_ADDED },
	{ "faults", AT(STRING, faults), "none",
	  "faults: RANK:leave@TIME, RANK:leave@FROM-TO[,detect_s=S][,copy=old|fresh], "
	  "server:stall@FROM-TO, RANK-RANK:drop@FROM-TO, "
	  "RANKS:fail@mtbf_s=S[,detect_s=S][,restart_s=S] (seconds), joined by + "
	  "(docs/faults.md)", "FAULTS", 0, 0, NULL, OPT_ADDED },
	{ "recovery", AT(STRING, recovery), "continue",
	  "after a worker failure: continue, as the algorithm tolerates it, or "
	  "restart:interval_s=S,cost_s=S: the job goes back to its last checkpoint "
	  "(docs/faults.md)", "RECOVERY", 0, 0, NULL, OPT_ADDED },
	OPT_FLAG(struct settings, timing, "timing only: simulate the clock, compute no gradients"),
	OPT_NUMBER(struct settings, samples, "0",
		   "samples of an epoch of a timing-only run; 0: the data set's", "N", 0, BIG),
	{ 0 }
};

_Static_assert(sizeof(settings_opts) / sizeof(settings_opts[0]) - 1 <= SETTINGS_MOST,
	       "a bit of `given` for each setting");

#define AUTO(type, field) OPT_AT(type, struct autos, field)

const struct opt autos_opts[] = {
	{ "workers", AUTO(INT, workers), "1", NULL, "N", 1, 1 << 24, NULL, 0 },
	{ "epochs", AUTO(DOUBLE, epochs), "0", NULL, "EPOCHS", 0, BIG, NULL, 0 },
	{ "warmup_from", AUTO(DOUBLE, warmup_from), "0.1", NULL, "FACTOR", 0, BIG, NULL, 0 },
	{ "compute_s", AUTO(DOUBLE, compute_s), "0", NULL, "SECONDS", 0, BIG, NULL, 0 },
	{ "host_copy_s", AUTO(DOUBLE, host_copy_s), "0", NULL, "SECONDS", 0, BIG, NULL, 0 },
	{ "update_s", AUTO(DOUBLE, update_s), "0", NULL, "SECONDS", 0, BIG, NULL, 0 },
	{ "sim_bucket", AUTO(INT, sim_bucket), "0", NULL, "BYTES", 0, 1 << 30, NULL, 0 },
	{ "overlap", AUTO(BOOL, overlap), "true", NULL, NULL, 0, 0, NULL, 0 },
	{ 0 }
};

char *settings_canonical(const struct opt *o, const char *value, const char *where)
{
	struct settings in;
	char *text = NULL;

	opt_init(settings_opts, &in);
	if (opt_set(settings_opts, &in, o->name, value, where) == 0)
		text = opt_format(o, &in);
	opt_release(settings_opts, &in);
	return text;
}

int settings_set(struct settings *s, const char *key, const char *text, const char *where)
{
	const struct opt *o = opt_find(settings_opts, key);
	bool omitted;

	if (opt_set(settings_opts, s, key, text, where) < 0)
		return -1;
	omitted = o->def && strcmp(o->def, "auto") == 0 && (!*text || strcmp(text, "auto") == 0);
	s->given &= ~((uint64_t)1 << (o - settings_opts));
	s->given |= (uint64_t)!omitted << (o - settings_opts);
	return 0;
}

int settings_apply(struct settings *s, const cJSON *object, const char *where)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, object) {
		const bool one = cJSON_IsArray(value) && value->child && !value->child->next;
		char *text = json_text(one ? value->child : value);
		int bad;

		if (!text)
			return error("%s: %s must be a text, a number or a bool", where,
				     value->string);
		bad = settings_set(s, value->string, text, where);
		free(text);
		if (bad)
			return -1;
	}
	return 0;
}

int settings_apply_point(struct settings *s, const struct grid_point *point, const char *where)
{
	for (size_t i = 0; i < point->n; i++)
		if (settings_set(s, point->v[i].key, point->v[i].value.text, where) < 0)
			return -1;
	return 0;
}

int settings_check_key(const char *key, const char *where)
{
	const char *known[sizeof(settings_opts) / sizeof(settings_opts[0])];
	size_t n = 0;

	if (opt_find(settings_opts, key))
		return 0;
	for (const struct opt *o = settings_opts; o->name; o++)
		known[n++] = o->name;
	known[n] = NULL;
	return word_unknown(where, "setting", key, known);
}

int settings_check_keys(const cJSON *object, const char *where)
{
	const char *seen[sizeof(settings_opts) / sizeof(settings_opts[0])] = { NULL };
	const cJSON *value;

	cJSON_ArrayForEach(value, object)
		if (settings_check_key(value->string, where) < 0)
			return -1;
	/* eval-every and eval_every are one setting. */
	cJSON_ArrayForEach(value, object) {
		const char **name = &seen[opt_find(settings_opts, value->string) - settings_opts];

		if (*name)
			return error("%s: %s and %s are the same setting", where, *name,
				     value->string);
		*name = value->string;
	}
	return 0;
}

struct scratch {
	struct settings settings;
	struct autos autos;
};

static int scratch_check(struct scratch *s, const char *key, const cJSON *value, const char *where)
{
	const struct opt *number = opt_find(autos_opts, key);
	char *text = json_text(value);
	int ret = 0;
	bool word;

	if (!text)
		return 0;
	/* Texts that are no number: "auto", 1 / workers, a table of compute times. */
	word = !number || !*text || strcmp(text, "auto") == 0 ||
	       (strcmp(number->name, "warmup_from") == 0 && strcmp(text, "workers") == 0) ||
	       (strcmp(number->name, "compute_s") == 0 && compute_times_has_clauses(text));
	ret = opt_set(settings_opts, &s->settings, key, text, where);
	if (ret == 0 && !word)
		ret = opt_set(autos_opts, &s->autos, key, text, where);
	free(text);
	return ret;
}

int settings_check_values(const cJSON *object, const char *where)
{
	struct scratch s = { 0 };
	const cJSON *item, *value;
	int ret = 0;

	opt_init(settings_opts, &s.settings);
	opt_init(autos_opts, &s.autos);
	cJSON_ArrayForEach(item, object) {
		if (ret == 0)
			ret = scratch_check(&s, item->string, item, where);
		cJSON_ArrayForEach(value, item)
			ret = ret ? ret : scratch_check(&s, item->string, value, where);
	}
	opt_release(settings_opts, &s.settings);
	opt_release(autos_opts, &s.autos);
	return ret;
}

const char *settings_choice(const char *key, int value)
{
	return opt_find(settings_opts, key)->choices[value];
}
