/* Workers with known accelerators: their compute time by a share of the peak, and their NICs. */
#include "plan/machine/accelerator.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/optim.h"
#include "core/text/opt_text.h"
#include "plan/machine/machine.h"
#include "plan/settings/settings.h"
#include "sim/link/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(const char *text)
{
	return text && strcmp(text, "none") != 0;
}

bool accelerator_given(const struct settings *in)
{
	return is_named(in->device);
}

int accelerator_read(struct setup *su, const char *of_cluster)
{
	const struct settings *in = &su->in;
	const char *name = is_named(in->device) ? in->device : of_cluster;
	const struct compute_kind *device;

	/* a share of the peak is of the cluster's accelerator, if no other is given */
	if (in->mfu > 0.0 && !is_named(in->device) && of_cluster &&
	    opt_set(settings_opts, &su->in, "device", of_cluster, "cluster") < 0)
		return -1;
	if (in->mfu > 0.0 && !is_named(in->device))
		return error("mfu = %g: of which device? Give --device h100, or another of 'convoy "
			     "list devices'", in->mfu);
	if (!name)
		return 0;
	device = device_find(name, "device");
	if (!device)
		return -1;
	su->peak = device->peak->flops * (double)in->gpus_per_worker;
	su->memory = device->peak->memory * (double)in->gpus_per_worker;
	return 0;
}

/* Vectors of the model's size that an optimiser keeps; without momentum sgd needs none. */
static size_t optim_state(const struct setup *su)
{
	const struct optim *optim = (const struct optim *)su->optim.plugin;

	if (optim->momentum &&
	    !(fabs(optim->momentum(su->optim.conf, su->num.workers).mu) > 0.0))
		return 0;
	return optim->vectors;
}

char *accelerator_full(const struct setup *su)
{
	static const double much = 0.5;         /* of the memory: activations may not fit */
	const struct optim *optim = (const struct optim *)su->optim.plugin;
	/* of an ideal ZeRO, from which stage on each is divided */
	const double n = (double)su->num.workers, each = 4.0 * (double)su->model.dim;
	const double params = each / (su->in.zero >= 3 ? n : 1.0);
	const double grads = each / (su->in.zero >= 2 ? n : 1.0);
	const double state = each * (double)optim_state(su) / (su->in.zero >= 1 ? n : 1.0);
	const double devices = (double)su->in.gpus_per_worker;
	const double all = params + grads + state;
	char *text;

	if (!(su->memory > 0.0) || all <= much * su->memory)
		return NULL;
	text = xasprintf("parameters, gradients and the state of %s", optim->plugin.name);
	xappendf(&text, " ", all <= su->memory
			? "take %.4g of a device's %.4g GB, with 4 bytes a number"
			: "are %.4g GB a device, with 4 bytes a number, and its memory is %.4g GB: "
			  "divide them by --gpus-per-worker or --zero",
		 all / devices / 1e9, su->memory / devices / 1e9);
	xappendf(&text, ". ", "Activations, and vectors that the algorithm or a codec keeps, are "
		 "not counted ('convoy show algo %s')", su->algo.plugin->name);
	return text;
}

/* error("device NAME: WHY..."), with what to give instead; `why` is freed. Returns -1. */
static int accelerator_refuse(const struct setup *su, const struct compute_kind *device, char *why)
{
	const char *name = device->plugin.name, *net = su->model.name;

	if (su->model.known && compute_kind_has_net(device, net))
		error("device %s: %s. Give --compute-s %s, which has a published rate of %s, or "
		      "--mfu SHARE of its peak", name, why, name, net);
	else
		error("device %s: %s. Give --mfu SHARE of its peak, or --compute-s SECONDS", name,
		      why);
	free(why);
	return -1;
}

/* The share of the peak, given or published: *about <- where it is from, owned. 0 or error(). */
static int accelerator_mfu(const struct setup *su, const struct compute_kind *device, double *mfu,
			   char **about)
{
	const double params = (double)su->model.dim;
	const struct token_rate *r = device_token_rate(device, params);
	scoped char *share = NULL;

	*mfu = su->in.mfu;
	*about = NULL;
	if (*mfu > 0.0)
		return 0;
	if (!device->peak->tokens)
		return accelerator_refuse(su, device, xstrdup("no rate of transformers is "
							      "published for it"));
	if (su->model.window == 0)
		return accelerator_refuse(su, device,
			xasprintf("the published rates are of transformers, and net %s is none",
				  su->model.name));
	if (!r)
		return accelerator_refuse(su, device,
			xasprintf("none of its rates by parameters is near the %g of net %s",
				  params, su->model.name));
	*mfu = device_rate_mfu(device, r);
	share = double_text(r->tokens_s);
	*about = xasprintf("; mfu from %s tokens a second and device of %.4g parameters on %d, %s",
			   share, r->params, r->gpus, device_tokens_source);
	return 0;
}

/*
 * Multiply-accumulates of a sample. The share of a published rate counts one for each parameter and
 * token, so that it has attention already.
 */
static double accelerator_macs(const struct setup *su)
{
	const double macs = (double)su->model.macs;

	return su->in.mfu > 0.0 ? macs : fmin(macs, (double)su->model.dim *
						    (double)su->model.window);
}

/* "1.3e9 parameters x 16384 tokens", or by multiply-accumulates. The caller frees. */
static char *accelerator_work(const struct setup *su)
{
	const struct model *m = &su->model;
	const double params = (double)m->dim, tokens = (double)m->window * (double)su->in.batch;
	const double each = params * (double)m->window;         /* a parameter and token */
	const bool plain = each > 0.0 && fabs(accelerator_macs(su) / each - 1.0) < 1e-4;
	char *size = double_text(plain ? params : (double)m->macs), *text;

	text = plain ? xasprintf("6 x %s parameters x %.0f tokens", size, tokens)
		     : xasprintf("6 x %s multiply-accumulates a sample x %lld samples", size,
				 (long long)su->in.batch);
	free(size);
	return text;
}

int accelerator_compute(struct setup *su)
{
	const struct compute_kind *device = device_find(su->in.device, "device");
	const long long gpus = su->in.gpus_per_worker;
	char *about, *work, *peak, *many;
	double mfu;

	if (!device)
		return -1;
	if (su->model.macs == 0)
		return error("device %s: net %s has no size that says how much is computed. Give "
			     "gpt:params=N,seq=TOKENS, macs=N in the net, or --compute-s SECONDS",
			     device->plugin.name, su->model.name);
	if (accelerator_mfu(su, device, &mfu, &about) < 0)
		return -1;
	su->num.compute_s = 6.0 * accelerator_macs(su) * (double)su->in.batch / (mfu * su->peak);
	work = accelerator_work(su);
	peak = double_text(device->peak->flops);
	many = gpus > 1 ? xasprintf(" x %lld devices", gpus) : xstrdup("");
	setting_source_set(su->sources, "compute_s", FROM_DEVICE);
	setting_source_is(setting_source_at(su->sources, "compute_s"),
			  xasprintf("device %s: %s / (%.4g x %s operations a second%s), %s%s",
				    device->plugin.name, work, mfu, peak, many,
				    device->peak->source, about ? about : ""));
	setting_source_at(su->sources, "compute_s")->used = true;
	free(about);
	free(work);
	free(peak);
	free(many);
	return 0;
}

/* A setting of single streams or shaped NICs that the link has; NULL: none. */
static const char *widen_streams(const struct setup *su)
{
	static const char *const numbers[] = { "flow_GBps", "window_bytes", "slow_start_bytes",
					       "shaped_GBps" };
	const struct opt_doubles *rates = link_option(su, "rate_GBps");

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const double *x = link_option(su, numbers[i]);

		if (x && *x > 0.0)
			return numbers[i];
	}
	return rates && rates->n ? "rate_GBps" : NULL;
}

int accelerator_widen(struct setup *su)
{
	const int64_t gpus = su->in.gpus_per_worker;
	const struct link *link = (const struct link *)su->sim.link.plugin;
	const char *model = link->plugin.name;
	int64_t *node = link_option(su, "node"), *nics = link_option(su, "nics");
	int64_t *rack = link_option(su, "rack"), workers;
	double *rate = link_option(su, "bandwidth_GBps"), *inside = link_option(su, "node_GBps");

	if (gpus == 1 || strcmp(model, "ideal") == 0)
		return 0;
	if (!node || !nics || !rate || !inside)
		return error("gpus_per_worker = %lld: link %s knows no NICs (expected nic or "
			     "fair). Give one of them", (long long)gpus, model);
	if (widen_streams(su))
		return error("gpus_per_worker = %lld: %s of the link is of one NIC. Leave it out, "
			     "and give the rate that a NIC reaches", (long long)gpus,
			     widen_streams(su));
	if (su->sim.own.n)
		return error("gpus_per_worker = %lld: the link has clauses of single workers, "
			     "which are of one NIC. Leave them out", (long long)gpus);
	if (*node > 1 && *node % gpus && gpus % *node)
		return error("gpus_per_worker = %lld: workers are not whole in nodes of %lld "
			     "devices (expected a divisor or a multiple of %lld)", (long long)gpus,
			     (long long)*node, (long long)*node);
	if (network_check_nics(link, su->sim.link.conf, "device") < 0)
		return -1;
	if (rack && *rack % gpus)
		return error("gpus_per_worker = %lld: racks of %lld devices are not of whole "
			     "workers (expected a divisor of %lld)", (long long)gpus,
			     (long long)*rack, (long long)*rack);
	su->link_text = choice_format(&su->sim.link);
	if (rack)
		*rack /= gpus;
	*inside *= (double)gpus;
	if (*node <= 1 || gpus >= *node) {      /* a worker has whole nodes, and all their NICs */
		su->sim.nodes = *node > 1 ? (int)(gpus / *node) : 1;
		*rate *= (double)(*node > 1 ? *nics * (gpus / *node) : gpus);
		*node = *nics = 1;
		return 0;
	}
	workers = *node / gpus;
	if (*nics > workers) {
		*rate *= (double)*nics / (double)workers;
		*nics = workers;
	}
	*node = workers;
	return 0;
}
