/* Fits rates by number of nodes to step times of several placements, and writes a cluster file. */
#include "study/calibrate/placements.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/csv.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/textfile.h"
#include "core/math/median.h"
#include "core/math/rng.h"
#include "core/math/statistics.h"
#include "plan/resolve/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	RESAMPLES = 39,         /* their range contains 95 % */
	FEW_ROWS = 3,           /* for an interval */
	SECTIONS = 30,          /* golden sections of a search: a factor of 2e6 */
	MOST_GPUS = 1 << 20
};

/* Change of ln rate from two to three nodes of 4 T4 GPUs (docs/validation.md). */
static const double CHANGE_PER_NODE = 0.304;

/* ---- the file ---- */

enum { P_NODES, P_GPUS, P_PLACEMENT, P_BATCH, P_SECONDS, P_COLUMNS };

static void placement_columns(struct csv_column column[P_COLUMNS])
{
	static const char *const gpus[] = { "gpus", "workers", "ranks", "world_size", NULL };
	static const char *const batches[] = { "batch", "local_bsz", "batch_size", "local_batch",
					       NULL };
	static const char *const times[] = { "seconds", "step_time", "step_s", "time_s",
					     "iter_time", "iteration_time", NULL };

	column[P_NODES] = (struct csv_column){ .name = "nodes" };
	column[P_GPUS] = (struct csv_column){ .name = "gpus", .names = gpus };
	column[P_PLACEMENT] = (struct csv_column){ .name = "placement" };
	column[P_BATCH] = (struct csv_column){ .name = "batch", .names = batches };
	column[P_SECONDS] = (struct csv_column){ .name = "seconds", .names = times, .time = true };
}

/* "124": three nodes of 1, 2 and 4 GPUs. */
static int placement_digits(const struct csv *c, const char *text, struct placement *p)
{
	for (; *text >= '1' && *text <= '9'; text++) {
		p->nodes++;
		p->gpus += *text - '0';
	}
	if (*text == '\0' && p->nodes)
		return 0;
	return error("%s:%zu: placement has a digit from 1 to 9 for each node, the number of its "
		     "GPUs. Give columns nodes and gpus for larger nodes", c->path, c->line);
}

static int placement_row(struct placements *all, const struct csv *c,
			 const struct csv_column column[P_COLUMNS])
{
	struct placement p = { 0 };
	int64_t nodes = 0, gpus = 0;

	if (column[P_NODES].at == CSV_NONE) {
		if (placement_digits(c, c->field[column[P_PLACEMENT].at], &p) < 0)
			return -1;
		nodes = p.nodes;
		gpus = p.gpus;
	} else if (csv_int(c, &column[P_NODES], &nodes) < 0 ||
		   csv_int(c, &column[P_GPUS], &gpus) < 0) {
		return -1;
	}
	if (csv_double(c, &column[P_BATCH], &p.batch) < 0 ||
	    csv_double(c, &column[P_SECONDS], &p.seconds) < 0)
		return -1;
	if (nodes < 1 || gpus < nodes || gpus > MOST_GPUS)
		return error("%s:%zu: %lld GPUs of %lld nodes (expected a GPU of each node at "
			     "least, and at most %d)", c->path, c->line, (long long)gpus,
			     (long long)nodes, MOST_GPUS);
	if (!(p.batch >= 1.0 && p.batch <= 1e9) || !(p.seconds >= 1e-9 && p.seconds <= 1e6))
		return error("%s:%zu: a step of %g s with %g samples (expected 1e-9 to 1e6 s, 1 to "
			     "1e9 samples)", c->path, c->line, p.seconds, p.batch);
	p.nodes = (int)nodes;
	p.gpus = (int)gpus;
	all->v = xgrown(all->v, all->n, sizeof(*all->v));
	all->v[all->n++] = p;
	return 0;
}

static int by_placement(const void *a, const void *b)
{
	const struct placement *x = a, *y = b;

	if (x->gpus != y->gpus)
		return x->gpus < y->gpus ? -1 : 1;
	if (x->nodes != y->nodes)
		return x->nodes < y->nodes ? -1 : 1;
	if (x->batch < y->batch || x->batch > y->batch)
		return x->batch < y->batch ? -1 : 1;
	return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* Joins rows of one GPU and one batch into their mean. */
static void placements_join(struct placements *p)
{
	size_t kept = 0, k = 0;

	while (k < p->n && p->v[k].gpus == 1) {
		struct placement one = p->v[k];
		size_t same = 1;

		while (k + same < p->n && p->v[k + same].gpus == 1 &&
		       p->v[k + same].batch <= one.batch)
			one.seconds += p->v[k + same++].seconds;
		one.seconds /= (double)same;
		k += same;
		p->v[kept++] = one;
	}
	p->alone = kept;
	memmove(p->v + kept, p->v + k, (p->n - k) * sizeof(*p->v));
	p->n = kept + p->n - k;
}

/* Finds the numbers of nodes with several GPUs. 0 or error(). */
static int placements_count(struct placements *p)
{
	for (int k = 1; k;) {
		int next = 0;
		size_t rows = 0;

		for (size_t i = p->alone; i < p->n; i++) {
			rows += p->v[i].nodes == k;
			if (p->v[i].nodes > k && (!next || p->v[i].nodes < next))
				next = p->v[i].nodes;
		}
		if (rows && p->rates == PLACEMENT_COUNTS)
			return error("%s: more than %d numbers of nodes", p->path,
				     PLACEMENT_COUNTS);
		if (rows)
			p->rate[p->rates++] = (struct placement_rate){ .nodes = k, .rows = rows };
		k = next;
	}
	if (p->alone == 0)
		return error("%s: no step of one GPU alone (expected a row with nodes 1 and gpus 1 "
			     "for each batch, or for the smallest and the largest)", p->path);
	if (p->rates == 0)
		return error("%s: no step of several GPUs, so no rate can be fitted", p->path);
	for (size_t i = p->alone; i < p->n; i++)
		if (p->v[i].batch < p->v[0].batch || p->v[i].batch > p->v[p->alone - 1].batch)
			return error("%s: no step of one GPU says how long a batch of %g takes "
				     "(there are %g to %g)", p->path, p->v[i].batch, p->v[0].batch,
				     p->v[p->alone - 1].batch);
	return 0;
}

int placements_read(struct placements *p, const char *path)
{
	struct csv_column column[P_COLUMNS];
	struct csv c;
	size_t longer = 0;
	double unit;
	char *text;
	int ret;

	*p = (struct placements){ .path = path };
	text = textfile_read(path);
	if (!text)
		return -1;
	placement_columns(column);
	csv_begin(&c, path, text);
	ret = csv_header(&c, column, P_COLUMNS);
	if (ret == 0 && column[P_PLACEMENT].at == CSV_NONE)
		ret = csv_need(&c, column, P_PLACEMENT);
	if (ret == 0)
		ret = csv_need(&c, column + P_BATCH, P_COLUMNS - P_BATCH);
	if (ret == 0 && column[P_GPUS].at == CSV_NONE)
		column[P_NODES].at = CSV_NONE;
	while (ret == 0 && (ret = csv_row(&c)) > 0)
		ret = placement_row(p, &c, column);
	for (size_t i = 0; i < p->n; i++)
		longer += p->v[i].seconds > CSV_LONGEST_S;
	unit = ret < 0 ? 1.0 : csv_bare_unit(&c, &column[P_SECONDS], longer, p->n);
	for (size_t i = 0; i < p->n; i++)
		p->v[i].seconds *= unit;
	csv_release(&c);
	free(text);
	if (ret < 0)
		return -1;
	if (p->n == 0)
		return error("%s: no steps", path);
	qsort(p->v, p->n, sizeof(*p->v), by_placement);
	placements_join(p);
	return placements_count(p);
}

void placements_release(struct placements *p)
{
	free(p->v);
	*p = (struct placements){ 0 };
}

/* ---- a step ---- */

struct placement_net {          /* buckets in the order of the backward pass */
	double *bytes;          /* [n] owned */
	double *early;          /* [n] share of C before whose end the bucket is final */
	size_t n;
};

/* Share of the backward pass after which the float `from`, and all after it, are final. */
static double placement_done(const struct setup *su, double from)
{
	const struct backward *layer = su->sim.backward;
	size_t i = su->sim.nbackward;

	if (i == 0)
		return 1.0 - from / (double)su->model.dim;
	while (i > 1 && (double)layer[i - 1].from > from)
		i--;
	return layer[i - 1].done;
}

static struct placement_net placement_net_of(const struct setup *su, double bucket)
{
	const double forward = su->sim.forward > 0.0 ? su->sim.forward : 1.0 / 3.0;
	const double all = (double)su->model.dim * sizeof(float);
	struct placement_net net = { .n = (size_t)fmin(ceil(all / bucket), 4096.0) };
	double end = all;

	bucket = fmax(bucket, all / (double)net.n);
	net.bytes = xcalloc(net.n, sizeof(*net.bytes));
	net.early = xcalloc(net.n, sizeof(*net.early));
	for (size_t i = 0; i < net.n; i++) {
		net.bytes[i] = fmin(bucket, end);
		end -= net.bytes[i];
		net.early[i] = (1.0 - forward) * (1.0 - placement_done(su, end / sizeof(float)));
	}
	net.early[net.n - 1] = 0.0;
	return net;
}

/* Seconds that one GPU computes on a batch: linear between those that were measured. */
static double placement_compute(const struct placements *p, double batch)
{
	size_t i = 1;

	if (p->alone == 1)
		return p->v[0].seconds;
	while (i + 1 < p->alone && p->v[i].batch < batch)
		i++;
	return p->v[i - 1].seconds + (p->v[i].seconds - p->v[i - 1].seconds) *
				     (batch - p->v[i - 1].batch) /
				     (p->v[i].batch - p->v[i - 1].batch);
}

int placements_check(const struct placements *p)
{
	static const double faster = 0.9;       /* than one alone, by more than rows vary */
	const struct placement *first = NULL;
	size_t n = 0;

	for (size_t i = p->alone; i < p->n; i++)
		if (p->v[i].seconds < faster * placement_compute(p, p->v[i].batch)) {
			first = first ? first : &p->v[i];
			n++;
		}
	if (!first)
		return 0;
	if (2 * n > p->n - p->alone)
		return error("%s: several GPUs are faster than one alone: %g s on %d GPUs, %g s on "
			     "one, with a batch of %g. Is this batch that of all GPUs? Give that "
			     "of each", p->path, first->seconds, first->gpus,
			     placement_compute(p, first->batch), first->batch);
	warning("%s: %zu of %zu rows of several GPUs are faster than one alone, such as %g s on %d "
		"GPUs with a batch of %g, where one takes %g s", p->path, n, p->n - p->alone,
		first->seconds, first->gpus, first->batch, placement_compute(p, first->batch));
	return 0;
}

/* Mean of the largest of n standard normal deviates (Blom 1958). */
static double placement_largest(int n)
{
	return n < 2 ? 0.0 : normal_quantile((n - 0.375) / (n + 0.25));
}

/* ln of the measured step over the predicted one, at a rate in bytes a second. */
static double placement_error(const struct placements *p, const struct placement_net *net,
			      const struct placement *row, double rate)
{
	const double compute = placement_compute(p, row->batch) *
			       (1.0 + p->cv * placement_largest(row->gpus));
	const double share = 2.0 * (row->gpus - 1) / row->gpus;
	double end = 0.0;

	for (size_t i = 0; i < net->n; i++)
		end = fmax(end, compute * (1.0 - net->early[i])) + share * net->bytes[i] / rate;
	return log(row->seconds / end);
}

/* ---- the fit ---- */

/* Argument of the least f between low and high, by golden sections on a logarithmic scale. */
static double least(double (*f)(const void *of, double x), const void *of, double low, double high)
{
	const double ratio = (sqrt(5.0) - 1.0) / 2.0;
	double a = log(low), b = log(high);
	double x = b - ratio * (b - a), y = a + ratio * (b - a);
	double fx = f(of, exp(x)), fy = f(of, exp(y));

	for (int i = 0; i < SECTIONS; i++) {
		if (fx < fy) {
			b = y;
			y = x;
			fy = fx;
			x = b - ratio * (b - a);
			fx = f(of, exp(x));
		} else {
			a = x;
			x = y;
			fx = fy;
			y = a + ratio * (b - a);
			fy = f(of, exp(y));
		}
	}
	return exp(fx < fy ? x : y);
}

struct placement_rows {         /* rows of one number of nodes, each so many times */
	struct placements *p;
	const struct placement_net *net;
	const struct placement *const *row;     /* [n] */
	size_t n;
};

static double rows_loss(const void *of, double rate)
{
	const struct placement_rows *r = of;
	double total = 0.0;

	for (size_t i = 0; i < r->n; i++)
		total += fabs(placement_error(r->p, r->net, r->row[i], rate));
	return total;
}

struct placement_fit {
	struct placements *p;
	struct placement_net net;
	const struct placement **row;   /* [n - alone] by number of nodes, owned */
	size_t from[PLACEMENT_COUNTS + 1];      /* first row of each number of nodes */
};

static struct placement_rows fit_rows(const struct placement_fit *f, size_t k)
{
	return (struct placement_rows){ f->p, &f->net, f->row + f->from[k],
					f->from[k + 1] - f->from[k] };
}

static const double lowest_rate = 1e6, highest_rate = 1e13, highest_cv = 0.5;

static double fit_rate_of(const struct placement_rows *rows)
{
	return least(rows_loss, rows, lowest_rate, highest_rate);
}

/* Total of the errors at a cv, whose best rates are stored. */
static double fit_loss(const void *of, double cv)
{
	const struct placement_fit *f = of;
	double total = 0.0;

	f->p->cv = cv;
	for (size_t k = 0; k < f->p->rates; k++) {
		const struct placement_rows rows = fit_rows(f, k);

		f->p->rate[k].rate = fit_rate_of(&rows);
		total += rows_loss(&rows, f->p->rate[k].rate);
	}
	return total;
}

/* Range of the rate of resampled rows. */
static void fit_doubt(const struct placement_fit *f, size_t k)
{
	struct placement_rate *rate = &f->p->rate[k];
	const struct placement_rows rows = fit_rows(f, k);
	scoped const struct placement **again = xcalloc(rows.n, sizeof(*again));
	const struct placement_rows sample = { f->p, &f->net, again, rows.n };

	rate->few = rows.n < FEW_ROWS;
	rate->low = rate->high = rate->rate;
	for (int i = 0; i < RESAMPLES; i++) {
		struct rng r;
		double x;

		rng_at(&r, 1, RNG_ADVISE, (uint32_t)rate->nodes, (uint64_t)i);
		for (size_t j = 0; j < rows.n; j++)
			again[j] = rows.row[(size_t)(rng_uniform(&r) * (double)rows.n) % rows.n];
		x = fit_rate_of(&sample);
		rate->low = fmin(rate->low, x);
		rate->high = fmax(rate->high, x);
	}
}

struct fit_errors {             /* of the fitted rows */
	const double *error, *share;    /* [n] share of the step that the rate decides */
	size_t n;
	double computing, network;
};

/* Minus the logarithm of the likelihood of normal errors. */
static double errors_unlikely(const struct fit_errors *e, double computing, double network)
{
	double total = 0.0;

	for (size_t i = 0; i < e->n; i++) {
		const double c = (1.0 - e->share[i]) * computing, r = e->share[i] * network;
		const double v = c * c + r * r;

		total += 0.5 * log(v) + 0.5 * e->error[i] * e->error[i] / v;
	}
	return total;
}

static double errors_of_computing(const void *of, double x)
{
	return errors_unlikely(of, x, ((const struct fit_errors *)of)->network);
}

static double errors_of_network(const void *of, double x)
{
	return errors_unlikely(of, ((const struct fit_errors *)of)->computing, x);
}

/* Deviations of ln C and ln R, and the errors' quantiles. */
static void fit_errors_of(struct placement_fit *f)
{
	const size_t n = f->p->n - f->p->alone;
	scoped double *error = xcalloc(n, sizeof(*error)), *share = xcalloc(n, sizeof(*share));
	struct fit_errors e = { error, share, n, 0.1, 0.1 };
	size_t at = 0;

	for (size_t k = 0; k < f->p->rates; k++) {
		const struct placement_rows rows = fit_rows(f, k);
		const double rate = f->p->rate[k].rate;

		for (size_t i = 0; i < rows.n; i++, at++) {
			error[at] = placement_error(f->p, &f->net, rows.row[i], rate);
			share[at] = (error[at] - placement_error(f->p, &f->net, rows.row[i],
								 rate / 1.1)) / log(1.1);
			share[at] = fmin(fmax(share[at], 0.0), 1.0);
		}
	}
	for (int i = 0; i < 6; i++) {
		e.computing = least(errors_of_computing, &e, 1e-3, 1.0);
		e.network = least(errors_of_network, &e, 1e-3, 1.0);
	}
	f->p->computing = e.computing;
	f->p->network = e.network;
	for (size_t i = 0; i < n; i++)
		error[i] = fabs(exp(-error[i]) - 1.0);
	f->p->median = median_of(error, n);
	f->p->most = error[(size_t)(0.9 * (double)(n - 1))];
}

void placements_fit(struct placements *p, const struct setup *su, double bucket)
{
	struct placement_fit f = { .p = p, .net = placement_net_of(su, bucket) };
	size_t n = 0;

	f.row = xcalloc(p->n - p->alone, sizeof(*f.row));
	for (size_t k = 0; k < p->rates; k++) {
		f.from[k] = n;
		for (size_t i = p->alone; i < p->n; i++)
			if (p->v[i].nodes == p->rate[k].nodes)
				f.row[n++] = &p->v[i];
	}
	f.from[p->rates] = n;
	/* the rates, cv, and one row more, which tells whether they fit */
	p->few = n <= p->rates + 1;
	fit_loss(&f, p->few ? 0.0 : least(fit_loss, &f, 1e-4, highest_cv));
	for (size_t k = 0; k < p->rates; k++)
		fit_doubt(&f, k);
	fit_errors_of(&f);
	free_all(f.row, f.net.bytes, f.net.early);
}

/* True where a search ended at one of its bounds. */
static bool at_bound(double x, double low, double high)
{
	static const double close = 1.01;

	return x < low * close || x > high / close;
}

void placements_warn(const struct placements *p)
{
	for (size_t k = 0; k < p->rates; k++)
		if (at_bound(p->rate[k].rate, lowest_rate, highest_rate))
			warning("%s: the rate with %d node%s, %.3g GB/s, is the bound of the "
				"search: these rows do not tell it. %s", p->path, p->rate[k].nodes,
				p->rate[k].nodes > 1 ? "s" : "", 1e-9 * p->rate[k].rate,
				p->rate[k].rate > 1e9
					? "Their messages take no time that is seen: add larger "
					  "nets or smaller batches"
					: "Are the seconds those of one step?");
	if (!p->few && p->cv > highest_cv / 1.01)
		warning("%s: the variation of times, %.3g, is the bound of the search: something "
			"else makes steps of many GPUs slow", p->path, p->cv);
	if (p->few)
		warning("%s: %zu rows of several GPUs for %zu rates and their variation: too few "
			"rows to tell errors, or how times vary, so %zu or more are needed. The "
			"file has no delay", p->path, p->n - p->alone, p->rates, p->rates + 2);
}

/* Index of the first rate of a NIC. */
static size_t first_nic(const struct placements *p)
{
	return p->rate[0].nodes == 1 ? 1 : 0;
}

struct placement_rate placements_rate(const struct placements *p, int nodes)
{
	const size_t first = first_nic(p), last = p->rates - 1;
	struct placement_rate r;
	size_t i = first;
	double change = CHANGE_PER_NODE, doubt;

	while (i < last && p->rate[i].nodes < nodes)
		i++;
	r = p->rate[i];
	r.rows = p->rate[i].nodes == nodes ? r.rows : 0;
	if (i > first && nodes < p->rate[i].nodes) {
		const struct placement_rate *a = &p->rate[i - 1], *b = &p->rate[i];
		const double share = (double)(nodes - a->nodes) / (b->nodes - a->nodes);

		r.rate = a->rate + share * (b->rate - a->rate);
		r.low = fmin(a->low, b->low);
		r.high = fmax(a->high, b->high);
		r.few = a->few || b->few;
	} else if (nodes != r.nodes) {
		if (last > first) {
			const struct placement_rate *a = nodes > r.nodes ? &p->rate[last - 1]
									 : &p->rate[first];

			change = fabs(log(a[1].rate / a[0].rate)) / (a[1].nodes - a[0].nodes);
		}
		doubt = hypot(log(r.high / r.low) / 2.0,
			      NORMAL_HALF_95 * change * abs(nodes - r.nodes));
		r.low = r.rate * exp(-doubt);
		r.high = r.rate * exp(doubt);
	}
	r.nodes = nodes;
	return r;
}

bool placements_lack_node(const struct placements *p)
{
	int most = 1;

	for (size_t i = 0; i < p->n; i++)
		most = p->v[i].gpus > most * p->v[i].nodes ? 2 : most;
	return first_nic(p) == 0 && most > 1;
}

bool placements_lack_nic(const struct placements *p)
{
	return first_nic(p) == p->rates;
}

/* ---- the cluster file ---- */

static void put_rates(FILE *out, const struct placements *p, int most)
{
	const size_t first = first_nic(p);

	fprintf(out, "nic:latency_s=0,bandwidth_GBps=%.4g,collective=ring",
		placements_lack_nic(p) ? 1e9 : 1e-9 * p->rate[p->rates - 1].rate);
	if (most > 1)
		fprintf(out, ",node=%d,node_GBps=%.4g,node_latency_s=0", most,
			first ? 1e-9 * p->rate[0].rate : 0);
	for (size_t i = first; i < p->rates; i++)
		fprintf(out, "%s%d", i == first ? ",rate_nodes=" : "/", p->rate[i].nodes);
	for (size_t i = first; i < p->rates; i++)
		fprintf(out, "%s%.4g", i == first ? ",rate_GBps=" : "/", 1e-9 * p->rate[i].rate);
}

int placements_write(const struct placements *p, const struct setup *su, double bucket,
		     const char *path)
{
	char *net = model_time_key(&su->model), *link, *times, *delay;
	size_t size;
	FILE *out = xmemstream(&link, &size);
	int workers = 1, most = 1, ret;
	cJSON *json;

	for (size_t i = 0; i < p->n; i++) {
		const struct placement *v = &p->v[i];
		const int node = (v->gpus + v->nodes - 1) / v->nodes;

		workers = v->gpus > workers ? v->gpus : workers;
		most = node > most ? node : most;
	}
	put_rates(out, p, most);
	xmemclose(out);
	out = xmemstream(&times, &size);
	fputs("table:batch=", out);
	for (size_t i = 0; i < p->alone; i++)
		fprintf(out, "%s%.9g", i ? "/" : "", p->v[i].batch);
	for (size_t i = 0; i < p->alone; i++)
		fprintf(out, "%s%.6g", i ? "/" : ",seconds=", p->v[i].seconds);
	xmemclose(out);
	delay = p->few ? xstrdup("constant") : xasprintf("gamma:cv=%.4g", p->cv);
	json = OBJECT(j_text("about", "As 'convoy calibrate --placements' fitted step times."),
		      j_text("source", p->path),
		      j_if(placements_lack_node(p),
			   j_text("derivation",
				  "No step of several GPUs on one node was measured: node_GBps=0, "
				  "no time within a node, stands for an unknown rate.")),
		      j_if(placements_lack_nic(p),
			   j_text("derivation",
				  "No step of several nodes was measured: bandwidth_GBps=1e9, no "
				  "time between nodes, stands for an unknown rate.")),
		      j_number("workers", workers),
		      j_json("compute", OBJECT(j_json("times", OBJECT(j_text(net, times))))),
		      j_number("update_s", 0), j_bool("overlap", true),
		      j_number("bucket_bytes", bucket), j_text("delay", delay),
		      j_text("link", link));
	ret = output_json_file(path, json, "\n");
	cJSON_Delete(json);
	free_all(net, link, times, delay);
	if (ret == 0)
		note("wrote %s", path);
	return ret;
}
