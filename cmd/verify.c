/* `convoy verify sim`: is the simulator's clock right where the answer is known? */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "study/verify/verify.h"
#include "core/base/error.h"
#include "runner/results/outcome.h"

#include <stdio.h>
#include <string.h>

struct conf {
	int64_t seed;
	bool json;
};

static const struct opt opts[] = {
	OPT_NUMBER(struct conf, seed, "1",
		   "first of the seeds; the cases with chance take this one and the 19 after it",
		   "N", 0, 1e15),
	OPT_FLAG(struct conf, json, "an array of cases on stdout"),
	{ 0 }
};

static const char about[] =
	"Simulates runs whose mean has a closed form, and prints both: queues at the server,\n"
	"order statistics of barriers, a full NIC, ring all-reduce, a worker slow at times,\n"
	"failures and checkpoints. If chance plays a part the simulated mean is that of 20\n"
	"independent seeds, and a case holds when the exact one lies in its 99 % confidence\n"
	"interval: of a hundred such cases one is expected to fail. The others hold when they\n"
	"agree to 9 digits. Exits with 1 when one fails. The same seed gives the same verdict.\n"
	"\n"
	"Examples:\n"
	"  convoy verify sim\n"
	"  convoy verify sim --seed 100 --json | jq '.[] | select(.holds | not)'";

static void print_case(const struct verified *v)
{
	char interval[32] = "", limit[32] = "";

	if (v->of->random)
		snprintf(interval, sizeof(interval), "+- %.2g", v->half);
	if (v->of->limit > 0.0)
		snprintf(limit, sizeof(limit), " (limit %g)", v->of->limit);
	printf("%-6s %-26s %12.7g %-11s %12.7g  %s%s\n", v->holds ? "holds" : "FAILS",
	       v->of->name, v->mean, interval, v->exact, v->of->law, limit);
}

static cJSON *case_json(const struct verified *v)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "name", v->of->name);
	cJSON_AddStringToObject(o, "law", v->of->law);
	cJSON_AddStringToObject(o, "settings", v->of->settings);
	cJSON_AddNumberToObject(o, "simulated", v->mean);
	cJSON_AddNumberToObject(o, "exact", v->exact);
	cJSON_AddBoolToObject(o, "random", v->of->random);
	cJSON_AddNumberToObject(o, "low", v->mean - v->half);
	cJSON_AddNumberToObject(o, "high", v->mean + v->half);
	cJSON_AddBoolToObject(o, "holds", v->holds);
	return o;
}

/* Runs all; prints each as it comes, or collects it in a list. */
static int run_cases(const struct conf *conf, cJSON *list, int *failed)
{
	for (const struct verify_case *c = verify_cases; c->name; c++) {
		struct verified v;

		if (verify_run(c, (uint64_t)conf->seed, &v) < 0)
			return -1;
		*failed += !v.holds;
		if (list)
			cJSON_AddItemToArray(list, case_json(&v));
		else
			print_case(&v);
	}
	return 0;
}

static int verify(const struct args *a)
{
	const struct conf *conf = a->conf;
	cJSON *list = conf->json ? cJSON_CreateArray() : NULL;
	int failed = 0, ret;

	if (a->nwords != 1 || strcmp(a->words[0], "sim") != 0)
		return args_usage(a, "expected 'sim', the only thing to verify");
	if (!list)
		printf("%-6s %-26s %12s %-11s %12s  %s\n", "", "case", "simulated", "99 %",
		       "exact", "what is compared, seconds");
	ret = run_cases(conf, list, &failed);
	if (list && ret == 0)
		json_print(list);
	else if (ret == 0)
		printf("\n%s\n", failed ? "The clock is wrong where a case FAILS."
					: "Every case holds.");
	cJSON_Delete(list);
	return ret < 0 || failed ? EXIT_BAD : EXIT_OK;
}

int cmd_verify(int argc, char **argv)
{
	struct conf conf;
	struct args a = { .opts = opts, .conf = &conf, .about = about,
			  .usage = "verify sim [--seed N] [--json]" };

	return args_main(&a, argc, argv, verify);
}
