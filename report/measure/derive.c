#include "report/measure/derive.h"

#include "core/file/json.h"

#include <math.h>

/* NaN for what is not there, or null. */
static double member(const cJSON *run, const char *name)
{
	const cJSON *own = json_get(run, name);

	return cJSON_IsNumber(own) ? own->valuedouble : (double)NAN;
}

static void add(cJSON *run, const char *name, double x)
{
	cJSON_AddItemToObject(run, name, isfinite(x) ? cJSON_CreateNumber(x) : cJSON_CreateNull());
}

static double known(double x)
{
	return x > 0.0 ? x : (double)NAN;
}

void derive_model(cJSON *run, double dim, double macs, double batch)
{
	const double flop = 2.0 * known(macs);

	add(run, "batch", known(batch));
	add(run, "parameters", known(dim));
	add(run, "forward_flop", flop);
	add(run, "flop_per_parameter", flop / known(dim));
}

/* Of a column of "nodes" the first `most`: workers stand before the server. */
static double sum(const cJSON *run, const char *name, double most)
{
	const cJSON *nodes = json_get(run, "nodes"), *each;
	double all = 0.0;

	cJSON_ArrayForEach(each, json_get(nodes, name))
		if (most-- > 0.0)
			all += each->valuedouble;
	return all;
}

void derive_totals(cJSON *run)
{
	const double workers = member(run, "workers");
	const double communicate = sum(run, "communicate_s", workers);
	const double all = communicate + sum(run, "compute_s", workers) +
			   sum(run, "wait_s", workers);

	add(run, "iterations", member(run, "gradients") / workers);
	add(run, "busiest_bytes_per_epoch", member(run, "busiest_bytes") / member(run, "epochs"));
	add(run, "messages", sum(run, "messages", HUGE_VAL));
	add(run, "communication_share", communicate / all);
}

void derive_rates(cJSON *run, double seconds)
{
	const double samples = member(run, "batch") / seconds;

	add(run, "gradient_wall_s", seconds);
	add(run, "samples_per_wall_s", samples);
	add(run, "gflop_per_wall_s", 3e-9 * member(run, "forward_flop") * samples);
}
