/* print.c - measurements as text and as JSON. */
#include "cmd/bench/bench.h"

#include "nets/nets.h"
#include "plan/settings/settings.h"

#include <stdio.h>

static const double giga = 1e9, mega = 1e6;

const char *bench_precision(const struct rate_case *c)
{
	return settings_choice("precision", (int)c->conf.precision);
}

const char *bench_lowering(const struct rate_case *c)
{
	return settings_choice("lowering", (int)c->conf.lowering);
}

static double bench_print_share(const struct rate_case *c)
{
	return c->gemm > 0 ? c->rate * bench_flops(c) / c->gemm : 0;
}

static bool bench_print_lowers(const struct rate_case *c)
{
	return c->backend == &backend_openblas;
}

/* The peaks, one line each, at its first case. */
static void print_peaks(const struct bench *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct rate_case *c = &b->cases[i];
		size_t k = 0;

		while (!rate_same_peak(&b->cases[k], c))
			k++;
		if (k == i && c->gemm > 0)
			printf("Large matrix products, %d thread%s: %s %s %.1f GFLOP/s\n",
			       c->threads * c->team, c->threads * c->team > 1 ? "s at once" : "",
			       c->backend->name, bench_precision(c), c->gemm / giga);
	}
}

void bench_print_head(const struct bench *b)
{
	print_peaks(b);
	printf("FLOP of a gradient: 2 x 3 x forward multiply-accumulates of the batch\n\n"
	       "%-18s %-8s %-5s %-8s %5s %7s %10s %8s %6s %7s\n", "net", "backend", "type",
	       "lowering", "batch", "threads", "samples/s", "GFLOP/s", "peak", "MB");
	fflush(stdout);
}

void bench_print_case(const struct rate_case *c)
{
	char lowering[32] = "-", threads[32], part[16] = "-";

	if (bench_print_lowers(c))
		snprintf(lowering, sizeof(lowering), c->conf.partitions ? "%s/%d" : "%s",
			 bench_lowering(c), c->conf.partitions);
	snprintf(threads, sizeof(threads), c->team > 1 ? "%dx%d" : "%d", c->threads, c->team);
	if (c->gemm > 0)
		snprintf(part, sizeof(part), "%.0f %%", 100 * bench_print_share(c));
	printf("%-18s %-8s %-5s %-8s %5zu %7s %10.*f %8.1f %6s %7.0f\n", c->net,
	       c->backend->name, bench_precision(c), lowering, c->batch, threads,
	       c->rate < 100 ? 2 : 0, c->rate, c->rate * bench_flops(c) / giga, part,
	       c->memory / mega);
	fflush(stdout);
}

static double seconds_of(const struct layer_time *t)
{
	return t->forward + t->backward;
}

static double layer_rate(const struct rate_case *c, int i)
{
	double s = seconds_of(&c->times[i]);

	return s > 0 ? 2 * 3 * (double)c->graph->layers[i].macs * (double)c->batch / s : 0;
}

static double seconds_all(const struct rate_case *c)
{
	double s = 0;

	for (int i = 0; i < c->graph->n; i++)
		s += seconds_of(&c->times[i]);
	return s;
}

static void bench_print_print_row(const char *name, const char *kind, struct layer_time t,
				  double flops, double all)
{
	printf("  %-36s %-10s %9.3f %9.3f", name, kind, 1e3 * t.forward, 1e3 * t.backward);
	if (flops > 0)
		printf(" %8.1f", flops / giga);
	else
		printf(" %8s", "-");
	printf(" %6.1f %%\n", all > 0 ? 100 * (t.forward + t.backward) / all : 0);
}

/* The sums by kind of layer, in the order of the kinds. */
static void print_kinds(const struct rate_case *c, double all)
{
	for (int kind = 1; kind < LAYER_KINDS; kind++) {
		struct layer_time sum = { 0 };
		double flop = 0;

		for (int i = 0; i < c->graph->n; i++) {
			if ((int)c->graph->layers[i].kind != kind)
				continue;
			sum.forward += c->times[i].forward;
			sum.backward += c->times[i].backward;
			flop += 2 * 3 * (double)c->graph->layers[i].macs * (double)c->batch;
		}
		if (seconds_of(&sum) > 0)
			bench_print_print_row("all of a kind",
					      layer_kind_name((enum layer_kind)kind), sum,
					      flop / seconds_of(&sum), all);
	}
}

void bench_print_layers(const struct rate_case *c)
{
	const double all = seconds_all(c);

	printf("\n  %-36s %-10s %9s %9s %8s %8s\n", "layer, of a gradient", "kind", "forward ms",
	       "backward", "GFLOP/s", "share");
	for (int i = 1; i < c->graph->n; i++)
		if (seconds_of(&c->times[i]) > 0)
			bench_print_print_row(c->graph->layers[i].name,
					      layer_kind_name(c->graph->layers[i].kind),
					      c->times[i], layer_rate(c, i), all);
	print_kinds(c, all);
	printf("  layers %.3f ms of a gradient's %.3f ms\n\n", 1e3 * all,
	       1e3 * (double)c->batch / c->rate);
	fflush(stdout);
}

static cJSON *layers_json(const struct rate_case *c)
{
	const double all = seconds_all(c);
	cJSON *list = cJSON_CreateArray();

	for (int i = 1; i < c->graph->n; i++) {
		const struct layer *l = &c->graph->layers[i];
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "name", l->name);
		cJSON_AddStringToObject(item, "kind", layer_kind_name(l->kind));
		cJSON_AddNumberToObject(item, "macs", (double)l->macs);
		cJSON_AddNumberToObject(item, "forward_s", c->times[i].forward);
		cJSON_AddNumberToObject(item, "backward_s", c->times[i].backward);
		cJSON_AddNumberToObject(item, "flops_per_s", layer_rate(c, i));
		cJSON_AddNumberToObject(item, "share",
					all > 0 ? seconds_of(&c->times[i]) / all : 0);
		cJSON_AddItemToArray(list, item);
	}
	return list;
}

static cJSON *case_json(const struct rate_case *c)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "net", c->net);
	cJSON_AddStringToObject(o, "backend", c->backend->name);
	cJSON_AddStringToObject(o, "precision", bench_precision(c));
	if (bench_print_lowers(c)) {
		cJSON_AddStringToObject(o, "lowering", bench_lowering(c));
		cJSON_AddNumberToObject(o, "partitions", c->conf.partitions);
	}
	cJSON_AddNumberToObject(o, "batch", (double)c->batch);
	cJSON_AddNumberToObject(o, "threads", c->threads);
	cJSON_AddNumberToObject(o, "team", c->team);
	cJSON_AddNumberToObject(o, "gradients", (double)c->gradients);
	cJSON_AddNumberToObject(o, "samples_per_s", c->rate);
	cJSON_AddNumberToObject(o, "flop_per_sample", bench_flops(c));
	cJSON_AddNumberToObject(o, "flops_per_s", c->rate * bench_flops(c));
	cJSON_AddNumberToObject(o, "gemm_flops_per_s", c->gemm);
	cJSON_AddNumberToObject(o, "peak_share", bench_print_share(c));
	cJSON_AddNumberToObject(o, "memory_bytes", c->memory);
	if (c->times)
		cJSON_AddItemToObject(o, "layers", layers_json(c));
	return o;
}

cJSON *bench_json(const struct bench *b)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < b->n; i++)
		if (b->cases[i].done)
			cJSON_AddItemToArray(list, case_json(&b->cases[i]));
	return list;
}
