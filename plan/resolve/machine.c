/*
 * machine.c - the machine that a run simulates: a cluster, the settings' own, or parts of both.
 */
#include "plan/resolve/machine.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/node.h"
#include "plan/resolve/cluster.h"

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
	return cJSON_GetObjectItemCaseSensitive(m->cluster.file, key);
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

/* Notes what num has of a setting that is left open, as the file's key has it. */
static void assume(struct setup *su, const struct machine *m, const char *key, const char *file_key)
{
	assumed_add(&su->assumed, key, opt_format(opt_find(autos_opts, key), &su->num),
		    source_of(m, file_key), m->named && file_has(m, file_key));
}

/* As given, else what num has of the machine, which is noted. */
static int read_number(struct setup *su, const struct machine *m, const char *key, const char *text,
		       const char *file_key)
{
	if (setup_is_auto(text) && file_key)
		assume(su, m, key, file_key);
	return setup_auto(su, key, text);
}

static const char *net_of(const struct setup *su)
{
	return su->model.known ? su->model.name : NULL;
}

static char *compute_source(const struct setup *su, const struct machine *m, bool *named)
{
	const enum cluster_time how = cluster_time(&m->cluster, net_of(su));

	*named = m->named && how != CLUSTER_TIME_NEUTRAL;
	if (how == CLUSTER_TIME_NET)
		return cluster_text(m);
	if (how == CLUSTER_TIME_FLOPS)
		return xasprintf("%g operations a second: cluster %s", m->cluster.flops, m->name);
	return xasprintf("neutral: %g operations a second, as cluster %s has neither flops nor a "
			 "time of this net", m->cluster.flops, m->name);
}

/* No net's time on another machine says how long a gradient takes on the settings' own. */
static int read_compute(struct setup *su, const struct machine *m)
{
	char *source;
	bool named;

	if (!setup_is_auto(su->in.compute_s))
		return setup_auto(su, "compute_s", su->in.compute_s);
	if (!m->cluster.file)
		return error("compute_s is missing: %s describes a machine of its own, of which "
			     "no cluster knows the compute time (expected the seconds of a "
			     "minibatch of %lld). Give --compute-s SECONDS ('convoy bench nets' "
			     "measures this machine), or name a machine with --cluster", m->given,
			     (long long)su->in.batch);
	su->num.compute_s = cluster_compute(&m->cluster, net_of(su), su->model.macs, su->in.batch,
					    su->num.workers);
	source = compute_source(su, m, &named);
	assumed_add(&su->assumed, "compute_s",
		    opt_format(opt_find(autos_opts, "compute_s"), &su->num), source, named);
	return 0;
}

static const struct algo *algo_of(const struct setup *su)
{
	return (const struct algo *)su->algo.plugin;
}

static int check_bucket(const struct setup *su)
{
	const long long bytes = su->num.sim_bucket;

	if (bytes == 0 || bytes >= (long long)sizeof(float))
		return 0;
	return error("sim_bucket = %lld: a parameter is 4 bytes; must be at least 4, or 0 for none",
		     bytes);
}

/* A gradient that is added in parts, and not over before it is whole. */
static bool has_buckets(const struct setup *su)
{
	return algo_of(su)->sums_gradients && su->num.workers > 1 && su->num.overlap &&
	       !((const struct codec *)su->codec.plugin)->words;
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
	if (!has_buckets(su) || !several)
		return 0;
	su->num.sim_bucket = bucket;
	assumed_add(&su->assumed, "sim_bucket",
		    opt_format(opt_find(autos_opts, "sim_bucket"), &su->num), bucket_source(m),
		    m->named && file_has(m, "bucket_bytes"));
	return 0;
}

/* What a run of one worker, or without a server, does not need is not noted. */
static int read_costs(struct setup *su, const struct machine *m)
{
	const struct settings *in = &su->in;
	const struct cluster *c = &m->cluster;

	su->num.workers = c->workers;
	su->num.update_s = c->update_s;
	su->num.overlap = c->overlap;
	su->num.handoff_s = cluster_handoff(c, su->model.dim);
	if (read_number(su, m, "workers", in->workers, "workers") < 0 ||
	    sim_check_workers(su->num.workers, in->shards) < 0 || read_compute(su, m) < 0 ||
	    read_number(su, m, "handoff_s", in->handoff_s,
			su->num.workers > 1 ? "handoff_GBps" : NULL) < 0 ||
	    read_number(su, m, "update_s", in->update_s,
			algo_of(su)->server ? "update_s" : NULL) < 0 ||
	    read_number(su, m, "overlap", in->overlap, file_has(m, "overlap") ? "overlap" : NULL) <
		    0)
		return -1;
	return read_bucket(su, m);
}

/* As given, else the cluster's, which is noted. */
static const char *read_text(struct setup *su, const struct machine *m, const char *key,
			     const char *text, const char *own, bool needed)
{
	if (!setup_is_auto(text))
		return text;
	if (needed)
		assumed_add(&su->assumed, key, xstrdup(own), source_of(m, key),
			    m->named && file_has(m, key));
	return own;
}

static int read_models(struct setup *su, const struct machine *m)
{
	const char *delay = read_text(su, m, "delay", su->in.delay, m->cluster.delay, true);
	const char *link = read_text(su, m, "link", su->in.link, m->cluster.link,
				     su->num.workers > 1);
	const struct link *model;

	if (setup_delays(su, delay) < 0)
		return -1;
	if (choice_parse(&su->sim.link, link_table, "link model", link) < 0)
		return -1;
	model = (const struct link *)su->sim.link.plugin;
	return model->check ? model->check(su->sim.link.conf) : 0;
}

int machine_read(struct setup *su)
{
	struct machine m;
	int ret = machine_open(&m, &su->in);

	su->cluster = xstrdup(m.name);
	if (ret == 0)
		ret = read_costs(su, &m);
	if (ret == 0)
		ret = read_models(su, &m);
	machine_close(&m);
	return ret;
}
