/* wan.c - windows, slow start, shaping, and rates by number of nodes. */
#include "sim/link/wan.h"

#include "core/base/error.h"
#include "sim/allreduce/collective.h"

#include <math.h>

const struct wan_conf *wan_used(const struct wan_conf *w)
{
	return w->flow > 0.0 || w->window > 0.0 || w->slow_start > 0.0 || w->shaped > 0.0 ||
			       w->nodes.n > 0 ? w : NULL;
}

static int wan_check_nodes(const struct wan_conf *w, const char *model)
{
	if (w->nodes.n != w->rates.n)
		return error("link model %s: rate_nodes has %zu numbers, rate_GBps %zu: they go in "
			     "pairs", model, w->nodes.n, w->rates.n);
	for (size_t i = 0; i < w->nodes.n; i++) {
		const double k = w->nodes.v[i];

		if (k < floor(k) || k > floor(k))
			return error("link model %s: rate_nodes %g is not a whole number of nodes",
				     model, k);
		if (i && k <= w->nodes.v[i - 1])
			return error("link model %s: rate_nodes must ascend, but %g comes before "
				     "%g. Give each number of nodes once, in order", model,
				     w->nodes.v[i - 1], k);
	}
	return 0;
}

int wan_check(const struct wan_conf *w, const char *model, double latency_s)
{
	const struct {
		const char *key;
		double value, least;
	} all[] = { { "flow_GBps", w->flow, 1e-9 }, { "window_bytes", w->window, 1.0 },
		    { "slow_start_bytes", w->slow_start, 1.0 }, { "shaped_GBps", w->shaped, 1e-9 },
		    { "burst_bytes", w->burst, 1.0 } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value > 0.0 && all[i].value < all[i].least)
			return error("link model %s: %s = %g is too little (expected 0, which is "
				     "no limit, or at least %g)", model, all[i].key, all[i].value,
				     all[i].least);
	if ((w->window > 0.0 || w->slow_start > 0.0) && !(latency_s > 0.0))
		return error("link model %s: %s of an RTT of 0 s limits nothing: latency_s "
			     "must be more than 0", model,
			     w->window > 0.0 ? "window_bytes" : "slow_start_bytes");
	if (w->window > 0.0 && w->slow_start > w->window)
		return error("link model %s: slow_start_bytes = %g is more than window_bytes = %g",
			     model, w->slow_start, w->window);
	if (w->streams > 1 && !(w->flow > 0.0 || w->window > 0.0 || w->slow_start > 0.0))
		return error("link model %s: streams = %lld without a limit of each: give "
			     "flow_GBps, window_bytes or slow_start_bytes", model,
			     (long long)w->streams);
	if (w->burst > 0.0 && !(w->shaped > 0.0))
		return error("link model %s: burst_bytes without shaping: give shaped_GBps",
			     model);
	return wan_check_nodes(w, model);
}

void wan_scale(struct wan_conf *w, double ratio)
{
	double *const v[] = { &w->flow, &w->window, &w->slow_start, &w->shaped, &w->burst };

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		*v[i] = link_scaled(*v[i], ratio);
	for (size_t i = 0; i < w->rates.n; i++)
		w->rates.v[i] = link_scaled(w->rates.v[i], ratio);
}

double wan_flow_rate(const struct wan_conf *w, double latency_s)
{
	double rate = w->flow > 0.0 ? w->flow * 1e9 : HUGE_VAL;

	if (w->window > 0.0 && latency_s > 0.0)
		rate = fmin(rate, w->window / (2.0 * latency_s));
	return rate * (double)w->streams;
}

double wan_shaped(const struct wan_conf *w, double rate)
{
	return w->shaped > 0.0 ? fmin(rate, w->shaped * 1e9) : rate;
}

double wan_window(const struct wan_conf *w)
{
	return w->slow_start > 0.0 ? w->slow_start * (double)w->streams : HUGE_VAL;
}

double wan_lag_s(const struct wan_conf *w, double latency_s, double rate, double bytes)
{
	const double rtt = 2.0 * latency_s;
	double window = wan_window(w), lag = 0.0;

	while (window < rate * rtt && isfinite(rate)) {
		if (bytes <= window)
			return lag + bytes / window * rtt - bytes / rate;
		lag += rtt - window / rate;
		bytes -= window;
		window *= 2.0;
	}
	return lag;
}

double wan_burst_s(double tokens, double rate, double line, double bytes)
{
	if (!(tokens > 0.0) || line <= rate)
		return 0.0;
	return fmin(tokens / rate, bytes / rate - bytes / line);
}

void wan_past_begin(struct wan_past *p, const struct wan_conf *w, double now)
{
	p->spent = fmax(0.0, p->spent - w->shaped * 1e9 * (now - p->spent_at));
	p->spent_at = now;
}

void wan_past_add(struct wan_past *p)
{
	p->carried += p->carries;
	p->spent += p->carries;
}

/* Bytes a second of a NIC in an all-reduce over k nodes. */
static double wan_nodes_rate(const struct wan_conf *w, int k)
{
	const double *nodes = w->nodes.v, *rates = w->rates.v;
	size_t i = 1;

	if (k <= nodes[0] || w->nodes.n == 1)
		return rates[0] * 1e9;
	while (i + 1 < w->nodes.n && nodes[i] < k)
		i++;
	if (k >= nodes[i])
		return rates[i] * 1e9;
	return (rates[i - 1] + (rates[i] - rates[i - 1]) * (k - nodes[i - 1]) /
				       (nodes[i] - nodes[i - 1])) * 1e9;
}

double wan_nodes_share(const struct wan_conf *w, int k, double rate)
{
	return w->nodes.n ? wan_nodes_rate(w, k) / rate : 1.0;
}

bool wan_beyond(const struct wan_conf *w, int k)
{
	return w->nodes.n && (k < w->nodes.v[0] || k > w->nodes.v[w->nodes.n - 1]);
}
