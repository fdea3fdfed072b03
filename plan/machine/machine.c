/* The machine of a run: real ranks, a cluster, the settings' own, or parts of both. */
#include "plan/machine/machine.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/file/json.h"
#include "plan/machine/batch_system.h"
#include "plan/machine/cluster.h"
#include "record/trace/steplog.h"
#include "sim/storage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cluster of a run whose settings say nothing of a machine. */
static const char usual[] = "power8-edr";

struct machine {
	struct cluster cluster; /* file NULL: the settings' own machine */
	char *name;             /* of the cluster, or "none"; owned */
	bool named;             /* by the settings */
	char *given;            /* own machine: "link, compute_s", what is given of it; owned */
};

static bool has_name(const struct settings *in)
{
	return !setup_is_auto(in->cluster) && strcmp(in->cluster, "none") != 0;
}

static bool is_own(const struct settings *in)
{
	return !has_name(in) && (!setup_is_auto(in->link) || !setup_is_auto(in->compute_s) ||
				 !setup_is_auto(in->cluster));
}

static char *given_text(const struct settings *in)
{
	const bool link = !setup_is_auto(in->link), compute = !setup_is_auto(in->compute_s);

	if (!link && !compute)
		return xstrdup("cluster = none");
	return xasprintf("%s%s%s", link ? "link" : "", link && compute ? " and " : "",
			 compute ? "compute_s" : "");
}

static int machine_open(struct machine *m, const struct settings *in)
{
	*m = (struct machine){ .named = has_name(in) };
	if (is_own(in)) {
		m->name = xstrdup("none");
		m->given = given_text(in);
		m->cluster = cluster_neutral();
		return 0;
	}
	m->name = xstrdup(m->named ? in->cluster : usual);
	return cluster_load(&m->cluster, m->name);
}

static void machine_close(struct machine *m)
{
	cluster_release(&m->cluster);
	free(m->name);
	free(m->given);
}

/* "cluster NAME", and why it is that. The caller frees. */
static char *cluster_text(const struct machine *m)
{
	return m->named ? xasprintf("cluster %s", m->name)
			: xasprintf("cluster %s, the default: no link, compute time or cluster "
				    "is given", m->name);
}

static bool file_has(const struct machine *m, const char *key)
{
	return json_get(m->cluster.file, key);
}

/* Where the value of a key of cluster files is from. The caller frees. */
static char *source_of(const struct machine *m, const char *key)
{
	if (!m->cluster.file)
		return xasprintf("neutral: the machine is given by %s", m->given);
	if (file_has(m, key))
		return cluster_text(m);
	return xasprintf("neutral: cluster %s has no %s", m->name, key);
}

/* The caller frees. */
static char *bucket_source(const struct machine *m)
{
	if (file_has(m, "bucket_bytes"))
		return cluster_text(m);
	return xstrdup("neutral: the default of PyTorch's DistributedDataParallel");
}

/* That setting, if it is omitted, is the machine's; takes the source over. */
static void machine_assume(struct setup *su, const char *key, char *source, bool of_cluster,
			   const struct machine *m)
{
	struct setting_source *src = setting_source_at(su->sources, key);

	setting_source_set(su->sources, key, of_cluster ? FROM_CLUSTER : FROM_NEUTRAL);
	src->name = source;
	src->named = m->named && of_cluster;
	src->used = true;
}

/* As given, else what num has of the machine. */
static int read_number(struct setup *su, const struct machine *m, const char *key, const char *text,
		       const char *file_key, bool used)
{
	if (setup_is_auto(text)) {
		machine_assume(su, key, source_of(m, file_key), file_has(m, file_key), m);
		setting_source_at(su->sources, key)->used = used;
	}
	return setup_auto(su, key, text);
}

/*
 * What the cluster's file calls the net: as model_time_key() has it, or as the setting has a net of
 * known size. NULL: the file does not have its time. The caller frees.
 */
static char *net_of(const struct setup *su, const struct machine *m)
{
	char *key = model_time_key(&su->model);

	if (cluster_has_time(&m->cluster, key))
		return key;
	free(key);
	return su->model.sized.plugin && cluster_has_time(&m->cluster, su->in.net)
		       ? xstrdup(su->in.net) : NULL;
}

static char *compute_source(const struct machine *m, enum cluster_time how)
{
	if (how == CLUSTER_TIME_NET)
		return cluster_text(m);
	if (how == CLUSTER_TIME_FLOPS)
		return xasprintf("%g operations a second: cluster %s", m->cluster.flops, m->name);
	return xasprintf("neutral: %g operations a second, as cluster %s has neither flops nor a "
			 "time of this net", m->cluster.flops, m->name);
}

/* The table of a cluster's file. */
static int read_compute_table(struct setup *su, const struct machine *m, const char *net)
{
	struct setting_source *src = setting_source_at(su->sources, "compute_s");
	char *beyond, *text = cluster_text(m);

	if (compute_read(su, json_string(m->cluster.times, net)) < 0) {
		free(text);
		return -1;
	}
	beyond = src->name;
	src->name = NULL;
	machine_assume(su, "compute_s", beyond ? xasprintf("%s, %s", text, beyond) : xstrdup(text),
		       true, m);
	free(beyond);
	free(text);
	return 0;
}

static int refuse_no_macs(const struct setup *su, const struct machine *m)
{
	return error("compute_s is missing: net %s has no multiply-accumulates that say how long a "
		     "gradient takes%s%s%s. Give --compute-s SECONDS, or macs=N in the net",
		     su->model.name, m->cluster.file ? ", and cluster " : "",
		     m->cluster.file ? m->name : "", m->cluster.file ? " has no time of it" : "");
}

/* What the cluster was timed with comes before the seconds that a profile of the net has. */
static int read_compute_of(struct setup *su, const struct machine *m, const char *net)
{
	const enum cluster_time how = cluster_time(&m->cluster, net);

	if (how == CLUSTER_TIME_TABLE)
		return read_compute_table(su, m, net);
	if (how != CLUSTER_TIME_NET && su->model.seconds > 0.0) {
		setting_source_set(su->sources, "compute_s", FROM_NET);
		su->num.compute_s = su->model.seconds;
		return 0;
	}
	if (how != CLUSTER_TIME_NET && su->model.sized.plugin && su->model.macs == 0)
		return refuse_no_macs(su, m);
	if (!m->cluster.file)
		return error("compute_s is missing: %s describes a machine of its own, of which "
			     "no cluster knows the compute time (expected the seconds of a "
			     "minibatch of %lld). Give --compute-s SECONDS ('convoy bench nets' "
			     "measures this machine), or name a machine with --cluster", m->given,
			     (long long)su->in.batch);
	su->num.compute_s = cluster_compute(&m->cluster, net, su->model.macs, su->in.batch,
					    su->num.workers);
	machine_assume(su, "compute_s", compute_source(m, how), how != CLUSTER_TIME_NEUTRAL, m);
	return 0;
}

/* No net's time on another machine says how long a gradient takes on the settings' own. */
static int read_compute(struct setup *su, const struct machine *m)
{
	char *net;
	int ret;

	if (!setup_is_auto(su->in.compute_s))
		return compute_read(su, su->in.compute_s);
	net = net_of(su, m);
	ret = read_compute_of(su, m, net);
	free(net);
	return ret;
}

static int check_bucket(const struct setup *su)
{
	enum { MOST_BUCKETS = 1 << 20 };
	const long long bytes = su->num.sim_bucket;
	const double buckets = (double)su->model.dim * sizeof(float) / (double)(bytes ? bytes : 1);

	if (bytes && buckets > MOST_BUCKETS && bytes >= (long long)sizeof(float))
		return error("sim_bucket = %lld: net %s would have %.0f buckets; must be at most "
			     "%d. Give larger buckets, or 0 for none", bytes, su->model.name,
			     ceil(buckets), MOST_BUCKETS);
	if (bytes == 0 || bytes >= (long long)sizeof(float))
		return 0;
	return error("sim_bucket = %lld: a parameter is 4 bytes; must be at least 4, or 0 for none",
		     bytes);
}

bool machine_has_buckets(const struct setup *su)
{
	const struct codec *codec = (const struct codec *)su->codec.plugin;

	return setup_algo(su)->allreduces_gradients && su->num.workers > 1 && su->num.overlap &&
	       !codec->words && !codec->stage;
}

/* A gradient of one bucket is added as it is without any. */
static int read_bucket(struct setup *su, const struct machine *m)
{
	const int64_t bucket = m->cluster.bucket_bytes;
	const bool several = (int64_t)(su->model.dim * sizeof(float)) > bucket;

	if (!setup_is_auto(su->in.sim_bucket)) {
		if (setup_auto(su, "sim_bucket", su->in.sim_bucket) < 0)
			return -1;
		return check_bucket(su);
	}
	if (!machine_has_buckets(su) || !several)
		return 0;
	su->num.sim_bucket = bucket;
	machine_assume(su, "sim_bucket", bucket_source(m), file_has(m, "bucket_bytes"), m);
	return check_bucket(su);
}

static int read_overlap(struct setup *su, const struct machine *m)
{
	if (file_has(m, "overlap"))
		return read_number(su, m, "overlap", su->in.overlap, "overlap", true);
	return setup_auto(su, "overlap", su->in.overlap);
}

/* The key of cluster files that says what a host-device copy takes. */
static const char *copy_key(const struct machine *m)
{
	return file_has(m, "host_copy_latency_s") ? "host_copy_latency_s" : "host_copy_GBps";
}

/* A run of one worker copies nothing, and one without a server does not update it. */
static int read_costs(struct setup *su, const struct machine *m)
{
	const struct settings *in = &su->in;
	const struct cluster *c = &m->cluster;

	su->num.workers = c->workers;
	su->num.update_s = c->update_s;
	su->num.overlap = c->overlap;
	su->num.host_copy_s = cluster_host_copy(c, su->model.dim);
	if (read_number(su, m, "workers", in->workers, "workers", true) < 0 ||
	    sim_check_workers(su->num.workers, in->shards) < 0 || read_compute(su, m) < 0 ||
	    read_number(su, m, "host_copy_s", in->host_copy_s, copy_key(m),
			su->num.workers > 1) < 0 ||
	    read_number(su, m, "update_s", in->update_s, "update_s", setup_algo(su)->server) < 0 ||
	    read_overlap(su, m) < 0)
		return -1;
	return read_bucket(su, m);
}

/* As given, else the machine's own. */
static const char *read_text(struct setup *su, const struct machine *m, const char *key,
			     const char *text, const char *own, bool used)
{
	struct setting_source *src = setting_source_at(su->sources, key);

	if (!setup_is_auto(text))
		return text;
	machine_assume(su, key, source_of(m, key), file_has(m, key), m);
	src->value = xstrdup(own);
	src->used = used;
	return own;
}

_Static_assert((int)DELAY_STEPS == (int)SAMPLES_STEPS, "samples_read() is a delay_reader");

static int read_delay(struct setup *su, const char *text)
{
	su->sim.pace.delays = delays_new(delay_table, text, (int)su->num.workers, samples_read);
	return su->sim.pace.delays ? 0 : -1;
}

static int read_storage(struct setup *su)
{
	const char *text = su->in.storage ? su->in.storage : "none";

	if (choice_parse(&su->sim.storage, storage_table, "storage", text) < 0)
		return -1;
	return storage_check(&su->sim.storage);
}

static int read_models(struct setup *su, const struct machine *m)
{
	const struct cluster *c = &m->cluster;

	if (read_storage(su) < 0)
		return -1;

	if (read_delay(su, read_text(su, m, "delay", su->in.delay, c->delay, true)) < 0)
		return -1;
	return link_read(su, read_text(su, m, "link", su->in.link, c->link, su->num.workers > 1));
}

static int read_simulated(struct setup *su)
{
	struct machine m;
	int ret = machine_open(&m, &su->in);

	su->cluster = xstrdup(m.name);
	if (is_own(&su->in))
		setting_source_set(su->sources, "cluster", FROM_MACHINE);
	if (ret == 0)
		ret = read_costs(su, &m);
	if (ret == 0)
		ret = read_models(su, &m);
	machine_close(&m);
	return ret;
}

/* Engine mpi: workers are as many as the ranks allow, and as fast as they are. */
static int read_ranks(struct setup *su)
{
	static const char *const simulated[] = { "cluster", "compute_s", "host_copy_s", "update_s",
						 "link" };
	const int served = real_processes(&su->real, setup_algo(su), 0);
	const int ranks = su->ranks		   ? su->ranks
			  : setup_is_auto(su->in.workers) ? launch_ranks() : 1;

	if (ranks < 0)
		return -1;
	for (size_t i = 0; i < sizeof(simulated) / sizeof(simulated[0]); i++)
		setting_source_set(su->sources, simulated[i], FROM_ENGINE);
	setting_source_set(su->sources, "workers", FROM_RANKS);
	su->num.workers = ranks > served ? ranks - served : 1;
	su->num.overlap = true;
	if (setup_auto(su, "workers", su->in.workers) < 0 ||
	    compute_read(su, su->in.compute_s) < 0 ||
	    setup_auto(su, "overlap", su->in.overlap) < 0)
		return -1;
	return read_delay(su, setup_is_auto(su->in.delay) ? "constant" : su->in.delay);
}

int machine_read(struct setup *su)
{
	su->real.shared = su->in.server == SERVER_SHARED;
	su->real.allreduce = (enum allreduce_kind)su->in.allreduce;
	su->real.bucket = su->in.bucket;
	if (setup_check_machine(su) < 0)
		return -1;
	return su->in.engine == ENGINE_MPI ? read_ranks(su) : read_simulated(su);
}
