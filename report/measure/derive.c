/* Adds rates, totals and sizes to a run object, computed from its recorded numbers. */
#include "report/measure/derive.h"

#include "core/file/json.h"

#include <math.h>

static void derive_add(cJSON *run, const char *name, double x)
{
	cJSON_AddItemToObject(run, name, isfinite(x) ? cJSON_CreateNumber(x) : cJSON_CreateNull());
}

static double derive_known(double x)
{
	return x > 0.0 ? x : (double)NAN;
}

void derive_model(cJSON *run, double dim, double macs, double batch)
{
	const double flop = 2.0 * derive_known(macs);

	derive_add(run, "batch", derive_known(batch));
	derive_add(run, "parameters", derive_known(dim));
	derive_add(run, "forward_flop", flop);
	derive_add(run, "flop_per_parameter", flop / derive_known(dim));
}

/* Of a column of "nodes" the first `most`: workers stand before the server. */
static double derive_sum(const cJSON *run, const char *name, double most)
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
	const double workers = json_number(run, "workers");
	const double communicate = derive_sum(run, "communicate_s", workers);
	const double all = communicate + derive_sum(run, "compute_s", workers) +
			   derive_sum(run, "wait_s", workers);
	const double messages = derive_sum(run, "messages", HUGE_VAL);

	derive_add(run, "iterations", json_number(run, "gradients") / workers);
	derive_add(run, "busiest_bytes_per_epoch",
		   json_number(run, "busiest_bytes") / json_number(run, "epochs"));
	derive_add(run, "messages", messages);
	derive_add(run, "message_bytes", json_number(run, "bytes_sent") / messages);
	derive_add(run, "communication_share", communicate / all);
}

static double derive_bits(double loss)
{
	return loss / log(2.0);
}

/* A column of the curve: f of the test losses. */
static void derive_column(cJSON *run, const char *name, double (*f)(double))
{
	cJSON *eval = json_get(run, "eval"), *column = cJSON_CreateArray();
	const cJSON *loss;

	cJSON_ArrayForEach(loss, json_get(eval, "test_loss"))
		cJSON_AddItemToArray(column, cJSON_IsNumber(loss)
						     ? cJSON_CreateNumber(f(loss->valuedouble))
						     : cJSON_CreateNull());
	cJSON_AddItemToObject(eval, name, column);
}

void derive_tokens(cJSON *run)
{
	const double loss = json_number(run, "test_loss");

	derive_add(run, "test_perplexity", exp(loss));
	derive_add(run, "test_bits", derive_bits(loss));
	derive_column(run, "test_perplexity", exp);
	derive_column(run, "test_bits", derive_bits);
}

void derive_rates(cJSON *run, double seconds)
{
	const double samples = json_number(run, "batch") / seconds;

	derive_add(run, "gradient_wall_s", seconds);
	derive_add(run, "samples_per_wall_s", samples);
	derive_add(run, "gflop_per_wall_s", 3e-9 * json_number(run, "forward_flop") * samples);
}
