/* The machine of a run: real ranks, a cluster, the settings' own, or parts of both. */
#include "plan/machine/machine.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/file/json.h"
#include "core/samples/slice.h"
#include "core/text/opt_text.h"
#include "plan/machine/accelerator.h"
#include "plan/machine/batch_system.h"
#include "plan/machine/cluster.h"
#include "record/trace/steplog.h"
#include "sim/allreduce/collective.h"
#include "sim/link/network.h"
#include "sim/link/wan.h"
#include "sim/storage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cluster of a run whose settings say nothing of a machine. */
static const char default_cluster[] = "power8-edr";

struct machine {
	struct cluster cluster; /* borrowed; file NULL: the settings' own machine */
	char *name;             /* of the cluster, or "none"; owned */
	bool named;             /* by the settings */
	char *given;            /* own machine: "link, compute_s", what is given of it; owned */
};

/* ---- settings of the other engine ---- */

/* Settings of the simulator, of which real ranks have something of their own. */
static int check_real(const struct settings *in)
{
	int ret = 0;

	if (in->timing)
		return error("timing: real ranks compute real gradients; a timing-only run has "
			     "none, so there is nothing to measure. Simulate it, without "
			     "--engine mpi, or add --no-timing, which trains the net");
	for (const struct opt *o = settings_opts; o->name && ret == 0; o++) {
		const struct setting_facts *f = setting_facts(o);
		scoped char *text = opt_format(o, in);

		if (f->sim_only && *text && strcmp(text, o->def) != 0 &&
		    !(f->real_too && strcmp(text, f->real_too) == 0))
			ret = error("%s is a setting of the simulator: %s", o->name, f->sim_only);
	}
	return ret;
}

/* ---- where values come from ---- */

/* Has the cluster, if there is one, from `read`. 0 or error(). */
static int machine_open(struct machine *m, const struct settings *in, struct clusters *read)
{
	const struct cluster *cluster;
	const bool device = accelerator_given(in), link = !setup_is_auto(in->link);
	const bool compute = device || !setup_is_auto(in->compute_s);
	const char *time = device ? "device" : "compute_s";
	const bool named = !setup_is_auto(in->cluster) && strcmp(in->cluster, "none") != 0;

	*m = (struct machine){ .named = named };
	if (!named && (link || compute || !setup_is_auto(in->cluster))) {
		m->name = xstrdup("none");
		m->given = !link && !compute ? xstrdup("cluster = none")
			: xasprintf("%s%s%s", link ? "link" : "", link && compute ? " and " : "",
				    compute ? time : "");
		m->cluster = cluster_neutral();
		return 0;
	}
	m->name = xstrdup(named ? in->cluster : default_cluster);
	cluster = clusters_find(read, m->name);
	if (!cluster)
		return -1;
	m->cluster = *cluster;
	return 0;
}

/* "cluster NAME", and why it is that. The caller frees. */
static char *cluster_text(const struct machine *m)
{
	return m->named ? xasprintf("cluster %s", m->name)
			: xasprintf("cluster %s, the default: no link, compute time or cluster "
				    "is given", m->name);
}

/* Source of the value of a key of cluster files. The caller frees. */
static char *source_of(const struct machine *m, const char *key)
{
	if (!m->cluster.file)
		return xasprintf("neutral: the machine is given by %s", m->given);
	if (cluster_has(&m->cluster, key))
		return cluster_text(m);
	return xasprintf("neutral: cluster %s has no %s", m->name, key);
}

/* Messages about what is read next name the key of the cluster's file, where it is that. */
static char *begin_cluster_context(const struct machine *m, const char *key, const char *text)
{
	char *what = setup_is_auto(text) && m->cluster.file
			     ? xasprintf("cluster %s: %s", m->name, key) : NULL;

	if (what)
		context_about(what);
	return what;
}

static void end_cluster_context(char *what)
{
	if (what)
		context_about(NULL);
	free(what);
}

/* Gives an omitted setting the machine's value; takes the source over. */
static struct setting_source *machine_assume(struct setup *su, const char *key, char *source,
					     bool of_cluster, const struct machine *m)
{
	struct setting_source *src = setting_source_at(su->sources, key);

	setting_source_set(su->sources, key, of_cluster ? FROM_CLUSTER : FROM_NEUTRAL);
	setting_source_is(src, source);
	src->named = m->named && of_cluster;
	src->used = true;
	return src;
}

/* As given, else what num has of the machine. */
static int read_number(struct setup *su, const struct machine *m, const char *key, const char *text,
		       const char *file_key, bool used)
{
	if (setup_is_auto(text))
		machine_assume(su, key, source_of(m, file_key), cluster_has(&m->cluster, file_key),
			       m)->used = used;
	return setup_auto(su, key, text);
}

/* ---- compute times ---- */

/*
 * Each worker's seconds over those of compute_s for as many samples. Called again once the round is
 * cut: the note on extrapolated times is then about the real slices, no longer about equal ones.
 */
static void compute_fill(struct setup *su)
{
	const struct compute_times *t = &su->times;
	const size_t batch = (size_t)su->in.batch;
	char *beyond = compute_times_beyond(t, (int)su->num.workers, su->slice);

	for (int w = 0; w < su->num.workers; w++) {
		const double samples = (double)slice_size(su->slice, batch, w);

		su->own[w] = compute_times_seconds(t, w, samples) /
			     (su->num.compute_s * samples / (double)batch);
	}
	if (beyond)
		setting_source_extrapolated(setting_source_at(su->sources, "compute_s"), beyond,
					    t->n == 1 ? double_text(su->num.compute_s) : NULL);
}

/*
 * Reads compute_s of a setup whose workers and net are known: num.compute_s <- the seconds of
 * worker 0, sim.pace.own <- the others' factors on these. What is extrapolated is noted as the
 * value's source. "auto" leaves what is there. 0 or error().
 */
static int compute_set(struct setup *su, const char *text)
{
	const char *net = su->model.known ? su->model.name : NULL;
	const int workers = (int)su->num.workers;

	if (!compute_times_has_clauses(text))
		return setup_auto(su, "compute_s", text);
	if (compute_times_parse(&su->times, text, workers, su->in.batch, net) < 0)
		return -1;
	su->num.compute_s = compute_times_seconds(&su->times, 0, (double)su->in.batch);
	su->own = xcalloc((size_t)workers, sizeof(*su->own));
	su->sim.pace.own = su->own;
	compute_fill(su);
	return 0;
}

void machine_correct_compute(struct setup *su)
{
	if (su->own && su->slice)
		compute_fill(su);
}

/*
 * The compute time on a cluster: its own times come before the seconds that a profile of the net
 * has. No net's time on another machine says how long a gradient takes on the settings' own.
 */
static int read_cluster_compute(struct setup *su, const struct machine *m, const char *net)
{
	const enum cluster_time how = cluster_time(&m->cluster, net);
	const struct cluster *c = &m->cluster;
	const long long gpus = su->in.gpus_per_worker;
	char *source;

	if (how == CLUSTER_TIME_TABLE && gpus > 1)
		return error("gpus_per_worker = %lld: cluster %s has a table of compute times of "
			     "one device for net %s. Give --compute-s SECONDS of a worker, or "
			     "--device", gpus, m->name, net);
	if (how == CLUSTER_TIME_TABLE) {
		char *what = begin_cluster_context(m, "compute.times", "auto");
		const int rc = compute_set(su, cluster_times(c, net));

		end_cluster_context(what);
		if (rc < 0)
			return -1;
		machine_assume(su, "compute_s", cluster_text(m), true, m);
		return 0;
	}
	if (how != CLUSTER_TIME_NET && su->model.seconds > 0.0) {
		setting_source_set(su->sources, "compute_s", FROM_NET);
		su->num.compute_s = su->model.seconds;
		return 0;
	}
	if (how != CLUSTER_TIME_NET && su->model.external)
		return error("compute_s is missing: nothing says how long a gradient of %s takes. "
			     "Give --compute-s SECONDS of a minibatch of %lld ('convoy bench nets' "
			     "measures this machine)", su->in.net, (long long)su->in.batch);
	if (how != CLUSTER_TIME_NET && su->model.sized.plugin && su->model.macs == 0)
		return error(
			"compute_s is missing: net %s has no multiply-accumulates that say how "
			"long a gradient takes%s%s%s. Give --compute-s SECONDS, or macs=N in the "
			"net",
			su->model.name, c->file ? ", and cluster " : "", c->file ? m->name : "",
			c->file ? " has no time of it" : "");
	if (!c->file)
		return error("compute_s is missing: %s describes a machine of its own, of which "
			     "no cluster knows the compute time (expected the seconds of a "
			     "minibatch of %lld). Give --compute-s SECONDS ('convoy bench nets' "
			     "measures this machine), or name a machine with --cluster", m->given,
			     (long long)su->in.batch);
	su->num.compute_s = cluster_compute(c, net, su->model.macs, su->in.batch,
					    su->num.workers) / (double)gpus;
	if (how == CLUSTER_TIME_NET)
		source = cluster_text(m);
	else if (how == CLUSTER_TIME_FLOPS)
		source = xasprintf("%g operations a second: cluster %s", c->flops, m->name);
	else
		source = xasprintf(
			"neutral: %g operations a second, as cluster %s has neither flops "
			"nor a time of this net",
			c->flops, m->name);
	if (gpus > 1)
		xappendf(&source, ", ", "divided among %lld devices", gpus);
	machine_assume(su, "compute_s", source, how != CLUSTER_TIME_NEUTRAL, m);
	return 0;
}

/* The devices, and the compute time where it is given. */
static int read_devices(struct setup *su, const struct machine *m)
{
	if (accelerator_read(su, m->cluster.device) < 0)
		return -1;
	return setup_is_auto(su->in.compute_s) ? 0 : compute_set(su, su->in.compute_s);
}

/* Differences of the run from what was measured, where its net's time is the file's. */
static char *measured_otherwise(const struct setup *su, const struct machine *m)
{
	const cJSON *measured = m->cluster.measured;
	const char *data = json_word(measured, "data");
	const int letters = (int)strcspn(data, ":");
	const struct {
		const char *key, *what;
		double is;
	} sizes[] = { { "dim", "parameters", (double)su->model.dim },
		      { "macs", "multiply-accumulates", (double)su->model.macs } };
	const double batch = json_number(measured, "batch"), is = (double)su->in.batch;

	if (!choice_same_name(json_word(measured, "net"), su->in.net))
		return NULL;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const double was = json_number(measured, sizes[i].key);

		if (!isnan(was) && was != sizes[i].is)
			return xasprintf("%s was measured with data %.*s, on which net %s has %g "
					 "%s, not %g: give --data %.*s", m->name, letters, data,
					 su->in.net, was, sizes[i].what, sizes[i].is, letters,
					 data);
	}
	return isnan(batch) || batch == is ? NULL :
		xasprintf("%s was measured with batch %g, not %g: the time of a gradient is taken "
			  "as proportional to it", m->name, batch, is);
}

static int read_compute(struct setup *su, const struct machine *m)
{
	const struct cluster *c = &m->cluster;
	const char *net = NULL;
	scoped char *key = NULL;

	if (!setup_is_auto(su->in.compute_s))
		return 0;
	if (accelerator_given(&su->in))
		return accelerator_compute(su);
	/* The file calls a net as model_time_key(), or as the setting has a net of known size. */
	key = model_time_key(&su->model);
	if (cluster_has_time(c, key)) {
		net = key;
		su->measured = measured_otherwise(su, m);
	} else if (su->model.sized.plugin && cluster_has_time(c, su->in.net)) {
		net = su->in.net;
	}
	return read_cluster_compute(su, m, net);
}

/* ---- buckets ---- */

bool machine_has_buckets(const struct setup *su)
{
	const struct codec *codec = (const struct codec *)su->codec.plugin;

	return setup_algo(su)->allreduces_gradients && su->num.workers > 1 && su->num.overlap &&
	       codec_keeps_floats(codec);
}

enum { MOST_BUCKETS = 1 << 20 };

/* A gradient of one bucket is added as it is without any. */
static int read_bucket(struct setup *su, const struct machine *m)
{
	const int64_t bucket = m->cluster.bucket_bytes, gpus = su->in.gpus_per_worker;
	const bool several = (int64_t)(su->model.dim * sizeof(float)) > bucket * gpus;
	const bool named = cluster_has(&m->cluster, "bucket_bytes");
	char *source;
	long long bytes;
	double buckets;

	su->buckets = bucket > 0 && su->num.overlap;
	if (setup_is_auto(su->in.sim_bucket)) {
		if (!machine_has_buckets(su) || !several)
			return 0;
		source = named ? cluster_text(m)
			       : xstrdup("neutral: the default of PyTorch's "
					 "DistributedDataParallel");
		if (gpus > 1)
			xappendf(&source, ", ", "on each of %lld devices", (long long)gpus);
		su->num.sim_bucket = bucket * gpus;
		machine_assume(su, "sim_bucket", source, named, m);
	} else if (setup_auto(su, "sim_bucket", su->in.sim_bucket) < 0) {
		return -1;
	}
	bytes = su->num.sim_bucket;
	buckets = (double)su->model.dim * sizeof(float) / (double)(bytes ? bytes : 1);
	if (bytes && buckets > MOST_BUCKETS && bytes >= (long long)sizeof(float))
		return error("sim_bucket = %lld: net %s would have %.0f buckets; must be at most "
			     "%d. Give larger buckets, or 0 for none", bytes, su->model.name,
			     ceil(buckets), MOST_BUCKETS);
	if (bytes == 0 || bytes >= (long long)sizeof(float))
		return 0;
	return error("sim_bucket = %lld: a parameter is 4 bytes; must be at least 4, or 0 for none",
		     bytes);
}

static int read_workers(struct setup *su, const struct machine *m)
{
	const struct cluster *c = &m->cluster;
	const int64_t gpus = su->in.gpus_per_worker;

	su->num.workers = c->file && c->workers > gpus ? c->workers / gpus
			  : c->file		       ? 1 : c->workers;
	if (read_number(su, m, "workers", su->in.workers, "workers", true) < 0)
		return -1;
	return sim_check_workers(su->num.workers, su->in.shards);
}

/*
 * All times of a step: a run of one worker has no host_copy_s, and one without a server no
 * update_s.
 */
static int read_costs(struct setup *su, const struct machine *m)
{
	const struct settings *in = &su->in;
	const struct cluster *c = &m->cluster;
	const char *copy = cluster_has(c, "host_copy_latency_s") ? "host_copy_latency_s"
								 : "host_copy_GBps";

	su->num.update_s = c->update_s;
	su->num.overlap = c->overlap;
	su->num.host_copy_s = cluster_host_copy(c, su->model.dim);
	if (read_compute(su, m) < 0 ||
	    read_number(su, m, "host_copy_s", in->host_copy_s, copy, su->num.workers > 1) < 0 ||
	    read_number(su, m, "update_s", in->update_s, "update_s", setup_algo(su)->server) < 0)
		return -1;
	if (cluster_has(c, "overlap") ? read_number(su, m, "overlap", in->overlap, "overlap", true)
				      : setup_auto(su, "overlap", in->overlap))
		return -1;
	return read_bucket(su, m);
}

/* ---- the link ---- */

void *link_option(const struct setup *su, const char *name)
{
	const struct opt *o = opt_find(su->sim.link.plugin->opts, name);

	return o ? (char *)su->sim.link.conf + o->offset : NULL;
}

/* True of workers that are known to be GPUs. */
static bool workers_are_gpus(const struct setup *su)
{
	return su->peak > 0.0 || su->in.gpus_per_worker > 1 ||
	       compute_times_have_device(&su->times);
}

/*
 * Lets all-reduces, of which the link does not say how they are made, be NCCL's if they are of
 * GPUs, or a node has several workers or NICs. True when it did.
 */
static bool allreduces_as_nccl(const struct setup *su)
{
	const int64_t *node = link_option(su, "node"), *nics = link_option(su, "nics");
	const double *background = link_option(su, "background_GBps");
	int *kind = link_option(su, "collective");
	const int *stepwise = link_option(su, "stepwise");

	for (size_t i = 0; i < su->sim.own.n; i++)
		if (su->sim.own.clause[i].set.background >= 0.0)
			return false;
	if ((*node < 2 && *nics < 2 && !workers_are_gpus(su)) || *stepwise ||
	    (background && *background > 0.0))
		return false;
	*kind = COLLECTIVE_NCCL;
	return true;
}

/*
 * What the options of the link's model, which may be NULL, leave to defaults: of a machine's link
 * only what all-reduces need. NULL: nothing; the caller frees.
 */
static char *link_defaults(struct setup *su, const char *options)
{
	/* the last two matter where nodes have several workers */
	static const char *const keys[] = { "latency_s", "bandwidth_GBps", "node_GBps", "nics" };
	const struct opt *opts = su->sim.link.plugin->opts;
	const bool given = setting_source_at(su->sources, "link")->from == FROM_GIVEN;
	const size_t nkeys = options && opt_gives(opts, options, "node") ? 4 : 2;
	const long long gpus = su->in.gpus_per_worker;
	char *all = NULL;

	for (size_t i = 0; i < nkeys && given; i++) {
		const struct opt *o = opt_find(opts, keys[i]);

		if (o && !(options && opt_gives(opts, options, keys[i])))
			xappendf(&all, ",", "%s=%s", keys[i], o->def);
	}
	if (link_option(su, "collective") && !(options && opt_gives(opts, options, "collective"))) {
		su->nccl_assumed = allreduces_as_nccl(su);
		if (su->nccl_assumed || !given || all || setup_algo(su)->worker->allreduce)
			xappendf(&all, ",", "collective=%s", su->nccl_assumed ? "nccl" : "ring");
	}
	/* accelerator_widen() */
	if (gpus > 1 && nkeys == 2 && link_option(su, "nics"))
		xappendf(&all, ", ", "%lld NICs a worker, %.4g GB/s", gpus,
			 (double)gpus * setup_link_number(su, "bandwidth_GBps"));
	return all;
}

/*
 * Reads the text of a link, given or the machine's; its source names what it leaves to the model's
 * defaults. 0 or error().
 */
static int link_set(struct setup *su, const char *text)
{
	struct setting_source *src = setting_source_at(su->sources, "link");
	char *name = xasprintf("%.*s", (int)clauses_model(text), text);
	const char *given = strchr(name, ':');
	const struct plugin *plugin;
	const struct link *model;
	char *left;

	if (choice_parse(&su->sim.link, link_table, "link model", name) < 0 ||
	    clauses_parse(&su->sim.own, text, (int)su->num.workers) < 0) {
		free(name);
		return -1;
	}
	plugin = su->sim.link.plugin;
	left = link_defaults(su, given ? given + 1 : NULL);
	xappend_own(&src->value, ", and in it ", left);
	if (src->from == FROM_GIVEN && src->value) {
		setting_source_is(src, xasprintf("defaults of link %s", plugin->name));
		src->used = su->num.workers > 1;
	}
	free(name);
	if (accelerator_widen(su) < 0)
		return -1;
	model = (const struct link *)plugin;
	if (model->check && model->check(su->sim.link.conf) < 0)
		return -1;
	return network_check(model, su->sim.link.conf, &su->sim.own, (int)su->num.workers);
}

/* True unless a table has the size 0 alone, which is the default. */
static bool has_sizes(const struct setup *su, const char *key)
{
	const struct opt_doubles *sizes = link_option(su, key);

	return sizes->v[sizes->n - 1] > 0.0;
}

/* "WHAT of 5 bytes were not measured, ..."; NULL: they were, or 0 bytes: it is not known. */
static char *beyond_sizes(const struct setup *su, const char *what, double bytes, const char *key)
{
	const struct opt_doubles *sizes = link_option(su, key);
	const double first = sizes->v[0], last = sizes->v[sizes->n - 1];

	if (!has_sizes(su, key))
		return xasprintf("no %s were measured", what);
	if (bytes <= 0.0 || (bytes >= first && bytes <= last))
		return NULL;
	return xasprintf("%s of %.4g bytes were not measured, only those of %.4g to %.4g", what,
			 bytes, first, last);
}

/* True if a gradient is all-reduced in several buckets. */
static bool has_parts(const struct setup *su)
{
	return setup_algo(su)->allreduces_gradients && su->sim.bucket &&
	       su->sim.bucket < su->model.dim;
}

/* Number of buckets of a gradient, of which the last may be smaller; 1: it is whole. */
static double buckets_of(const struct setup *su)
{
	size_t n = 0;

	if (!has_parts(su))
		return 1.0;
	if (su->in.zero < 3)
		return (double)su->model.dim / (double)su->sim.bucket;
	for (size_t to = su->model.dim; to > 0; to = sim_bucket_from(&su->sim, to))
		n++;
	return (double)n;
}

/* True if codes that cannot be added are gathered from all workers. */
static bool codes_gathered(const struct run *run)
{
	return codec_packs(run) && !codec_adds(run);
}

/*
 * Bytes, as its codec sends it, of the largest vector that is all-reduced at once, with ZeRO's
 * stage 3 of the mean one; of codes that are gathered, those of all workers; 0: of a part, or of
 * factors, that are not known here.
 */
static double allreduced_bytes(const struct setup *su)
{
	const struct run run = setup_run(su);
	const struct codec *codec = codec_of(&run);
	const double dim = (double)su->model.dim;
	const int vectors = run.algo->allreduced_vectors ? run.algo->allreduced_vectors(&run) : 1;
	const double part = !has_parts(su)     ? vectors * dim
			    : su->in.zero == 3 ? dim / buckets_of(su) : (double)su->sim.bucket;

	if (run.algo->allreduces_parts || (codec && codec->stage))
		return 0.0;
	return codes_gathered(&run) ? (double)codec_bytes(&run) * run.workers
				    : part * (double)codec_float_bytes(&run);
}

/*
 * That rates of NICs were not measured with as many nodes as an all-reduce over all workers has, or
 * NULL; the caller frees.
 */
static char *beyond_nodes(const struct setup *su)
{
	const struct link *model = (const struct link *)su->sim.link.plugin;
	const struct fabric f = model->fabric ? model->fabric(su->sim.link.conf)
					      : (struct fabric){ 0 };
	const int64_t size = f.node > 1 ? f.node : 1, nodes = (su->num.workers + size - 1) / size;

	if (!f.wan || !wan_beyond(f.wan, (int)nodes))
		return NULL;
	return xasprintf("rate_GBps of %lld nodes was not measured, only that of %g to %g",
			 (long long)nodes, f.wan->nodes.v[0], f.wan->nodes.v[f.wan->nodes.n - 1]);
}

char *measured_beyond(const struct setup *su)
{
	const struct algo *algo = setup_algo(su);
	const size_t dim = su->model.dim;
	const int64_t *ranks;
	const int *kind;
	bool measured;
	char *text = NULL, *sizes;

	if (su->num.workers < 2 || !su->sim.link.plugin)
		return NULL;
	measured = strcmp(su->sim.link.plugin->name, "measured") == 0;
	if (!algo->worker->allreduce)
		return measured ? beyond_sizes(su, "messages", (double)dim * (double)sizeof(float),
					       "message_bytes") : NULL;
	kind = link_option(su, "collective");
	if (!measured && !(kind && *kind == COLLECTIVE_MEASURED))
		return beyond_nodes(su);
	sizes = beyond_sizes(su, "all-reduces", allreduced_bytes(su), "allreduce_bytes");
	ranks = link_option(su, measured ? "ranks" : "allreduce_ranks");
	if (su->num.workers != *ranks && has_sizes(su, "allreduce_bytes"))
		text = xasprintf("all-reduces of %lld workers were not measured, only those of "
				 "%lld", (long long)su->num.workers, (long long)*ranks);
	xappend_own(&text, ", and ", sizes);
	return text;
}

const char *allreduce_library(const struct setup *su)
{
	const int *kind = su->sim.link.plugin ? link_option(su, "collective") : NULL;

	return !kind			    ? NULL
	       : *kind == COLLECTIVE_NCCL    ? "NCCL"
	       : *kind == COLLECTIVE_OPENMPI ? "Open MPI" : NULL;
}

bool allreduce_of(const struct setup *su, struct allreduced *a)
{
	const struct link *model = (const struct link *)su->sim.link.plugin;
	const struct run run = setup_run(su);
	const int workers = run.workers;
	struct members m;
	struct fabric fabric;
	struct network net;
	struct collective c;
	scoped int *location = NULL;

	*a = (struct allreduced){ .bytes = floor(allreduced_bytes(su)), .parts = buckets_of(su),
				  .gathers = su->in.zero || codes_gathered(&run) };
	if (!run.algo->worker->allreduce || !(a->bytes > 0.0) || !model->collective)
		return false;
	fabric = model->fabric(su->sim.link.conf);
	location = xcalloc((size_t)workers, sizeof(*location));
	for (int i = 0; i < workers; i++)
		location[i] = i;
	network_open(&net, &fabric, &su->sim.own, workers, workers);
	m = members_of(&net, location, workers, model->shares);
	c = model->collective(su->sim.link.conf, &m);
	if (a->gathers) {
		a->kind = collective_names[collective_gather_kind(&c)];
		a->seconds = collective_gather_s(&c, a->bytes / workers);
		a->latency_s = collective_gather_s(&c, 0.0);
		a->whole_s = collective_gather_s(&c, a->parts * a->bytes / workers);
	} else {
		a->kind = collective_names[collective_chosen(&c, a->bytes)];
		a->seconds = collective_s(&c, a->bytes);
		a->latency_s = workers > 1 ? collective_latency_s(&c, a->bytes) : 0.0;
		a->whole_s = collective_s(&c, a->parts * a->bytes);
	}
	members_release(&m);
	network_release(&net);
	return true;
}

const char *allreduce_kind(const struct setup *su)
{
	struct allreduced a;

	return allreduce_of(su, &a) ? a.kind : NULL;
}

void link_note(struct setup *su)
{
	struct setting_source *src = setting_source_at(su->sources, "link");
	char *beyond = measured_beyond(su);
	struct allreduced a;

	if (src->used && su->nccl_assumed && allreduce_of(su, &a))
		setting_source_is(src, a.gathers
			? xasprintf("%s; NCCL has a %s for %s", src->source, a.kind,
				    su->in.zero ? "reduce-scatters and all-gathers" : "all-gathers")
			: xasprintf("%s; NCCL chooses %s for %.6g bytes", src->source, a.kind,
				    a.bytes));
	if (beyond)
		setting_source_extrapolated(src, beyond, xstrdup(su->sim.link.plugin->name));
}

/* ---- the whole ---- */

/* As given, else the machine's own. */
static const char *read_text(struct setup *su, const struct machine *m, const char *key,
			     const char *text, const char *own, bool used)
{
	struct setting_source *src;

	if (!setup_is_auto(text))
		return text;
	src = machine_assume(su, key, source_of(m, key), cluster_has(&m->cluster, key), m);
	src->value = xstrdup(own);
	src->used = used;
	return own;
}

_Static_assert((int)DELAY_STEPS == (int)SAMPLES_STEPS, "samples_read() is a delay_reader");

static int delay_set(struct setup *su, const char *text)
{
	su->sim.pace.delays = delays_new_on_nodes(delay_table, text, (int)su->num.workers,
						  link_node(&su->sim.link), samples_read);
	return su->sim.pace.delays ? 0 : -1;
}

static int read_delay(struct setup *su, const struct machine *m)
{
	char *what = begin_cluster_context(m, "delay", su->in.delay);
	const int rc = delay_set(su, read_text(su, m, "delay", su->in.delay, m->cluster.delay,
					       true));

	end_cluster_context(what);
	return rc;
}

static int read_link(struct setup *su, const struct machine *m)
{
	char *what = begin_cluster_context(m, "link", su->in.link);
	const int rc = link_set(su, read_text(su, m, "link", su->in.link, m->cluster.link,
					      su->num.workers > 1));

	end_cluster_context(what);
	return rc;
}

static int read_simulated(struct setup *su)
{
	const char *storage = su->in.storage ? su->in.storage : "none";
	struct clusters alone = { 0 };
	struct machine m;
	int ret = machine_open(&m, &su->in, su->clusters ? su->clusters : &alone);

	su->cluster = xstrdup(m.name);
	if (m.given)
		setting_source_set(su->sources, "cluster", FROM_MACHINE);
	/* first what is given: who has misspelt it is not asked for what is left out */
	if (ret == 0 &&
	    (read_workers(su, &m) < 0 ||
	     choice_parse(&su->sim.storage, storage_table, "storage", storage) < 0 ||
	     storage_check(&su->sim.storage) < 0 || read_devices(su, &m) < 0 ||
	     read_link(su, &m) < 0 || read_delay(su, &m) < 0 || read_costs(su, &m) < 0))
		ret = -1;
	clusters_release(&alone);
	free_all(m.name, m.given);
	return ret;
}

/* Engine mpi: workers are as many as the ranks allow, and as fast as they are. */
static int read_ranks(struct setup *su)
{
	const int served = real_processes(&su->real, setup_algo(su), 0);
	const int ranks = su->ranks		   ? su->ranks
			  : setup_is_auto(su->in.workers) ? batch_ranks() : 1;

	if (ranks < 0)
		return -1;
	for (const struct default_rule *r = default_rules; r->key; r++)
		if (r->from == FROM_ENGINE)
			setting_source_set(su->sources, r->key, FROM_ENGINE);
	setting_source_set(su->sources, "workers", FROM_RANKS);
	su->num.workers = ranks > served ? ranks - served : 1;
	su->num.overlap = true;
	if (setup_auto(su, "workers", su->in.workers) < 0 ||
	    compute_set(su, su->in.compute_s) < 0 ||
	    setup_auto(su, "overlap", su->in.overlap) < 0)
		return -1;
	return delay_set(su, setup_is_auto(su->in.delay) ? "constant" : su->in.delay);
}

int machine_read(struct setup *su)
{
	const struct settings *in = &su->in;
	const struct model *m = &su->model;

	su->real.shared = in->server == SERVER_SHARED;
	su->real.allreduce = (enum allreduce_kind)in->allreduce;
	su->real.bucket = in->bucket;
	if (in->engine == ENGINE_MPI)
		return check_real(in) < 0 ? -1 : read_ranks(su);
	if (in->allreduce != ALLREDUCE_BUCKETS)
		return error("allreduce is a setting of engine mpi: the simulator's all-reduces "
			     "are always in one order");
	if (in->server == SERVER_SHARED)
		return error("server = shared is for engine mpi: in the simulator the server is "
			     "a machine of its own");
	if ((uint64_t)in->shards > m->dim && !(m->external && m->dim == 0))
		return error("shards = %lld: %s has %zu parameters, and a shard holds at least "
			     "one; at most %zu", (long long)in->shards, m->name, m->dim, m->dim);
	return read_simulated(su);
}
