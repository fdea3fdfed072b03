/* test_defaults.c - the table of defaults that depend on other settings says what happens. */
#include "core/base/mem.h"
#include "plan/resolve/setup.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICE "\"device\": \"h100\", \"mfu\": 0.4"
#define H100 "\"cluster\": \"h100-ndr\""
#define TIMING "\"timing\": true, \"workers\": 4, \"samples\": 6400"
#define MINE "\"cluster\": \"./mine.json\", \"algo\": \"asgd\""
#define BUCKETS "\"cluster\": \"./mine.json\", \"overlap\": true"
#define OWN "\"link\": \"nic\", \"compute_s\": 0.5"

/* A run without the setting `key`, and one with another value of a setting that decides it. */
static const struct example {
	const char *key;
	enum from from;
	const char *by;
	const char *run, *other;
} examples[] = {
	{ "graph", FROM_ALGORITHM, "algo", "\"algo\": \"ad-psgd\"", "\"algo\": \"d-psgd\"" },
	{ "workers", FROM_CLUSTER, "cluster", "\"cluster\": \"power8-edr\"",
	  "\"cluster\": \"ec2-c4.4xlarge\"" },
	{ "workers", FROM_CLUSTER, "link", "\"cluster\": \"auto\"", OWN },
	{ "workers", FROM_CLUSTER, "compute_s", "\"cluster\": \"auto\"", "\"compute_s\": 1" },
	{ "workers", FROM_CLUSTER, "gpus_per_worker", H100, H100 ", \"gpus_per_worker\": 8" },
	{ "workers", FROM_RANKS, "engine", "\"engine\": \"mpi\"", "\"engine\": \"sim\"" },
	{ "data", FROM_NET, "net", "\"net\": \"quadratic\"", "\"net\": \"mlp\"" },
	{ "data", FROM_NET, "timing", TIMING, "\"timing\": false" },
	{ "backend", FROM_NET, "net", "\"net\": \"quadratic\"", "\"net\": \"mlp\"" },
	{ "backend", FROM_NET, "timing", TIMING, "\"timing\": false" },
	{ "backend", FROM_BUILD, "", "\"net\": \"mlp\"", NULL },
	{ "epochs", FROM_BOUNDS, "seconds", "\"seconds\": 5", "\"seconds\": 0" },
	{ "epochs", FROM_BOUNDS, "gradients", "\"gradients\": 5", "\"gradients\": 0" },
	{ "epochs", FROM_WORKERS, "workers", TIMING ", \"workers\": 64",
	  TIMING ", \"workers\": 32" },
	{ "epochs", FROM_WORKERS, "timing", TIMING ", \"workers\": 64",
	  "\"workers\": 64, \"timing\": false" },
	{ "epochs", FROM_WORKERS, "batch", TIMING ", \"workers\": 64",
	  TIMING ", \"workers\": 64, \"batch\": 64" },
	{ "epochs", FROM_WORKERS, "samples", TIMING ", \"workers\": 64",
	  TIMING ", \"workers\": 64, \"samples\": 12800" },
	{ "epochs", FROM_WORKERS, "algo", TIMING ", \"workers\": 64",
	  TIMING ", \"workers\": 64, \"algo\": \"diloco\"" },
	{ "cluster", FROM_MACHINE, "link", OWN, "\"link\": \"auto\"" },
	{ "cluster", FROM_MACHINE, "compute_s", "\"compute_s\": 1", "\"compute_s\": \"auto\"" },
	{ "cluster", FROM_MACHINE, "device", DEVICE, "\"device\": \"none\"" },
	{ "cluster", FROM_ENGINE, "engine", "\"engine\": \"mpi\"", "\"engine\": \"sim\"" },
	{ "compute_s", FROM_CLUSTER, "cluster", "\"cluster\": \"power8-edr\"",
	  "\"cluster\": \"knl-opa\"" },
	{ "compute_s", FROM_CLUSTER, "net", "\"net\": \"resnet20\"", "\"net\": \"mlp\"" },
	{ "compute_s", FROM_CLUSTER, "batch", "\"batch\": 32", "\"batch\": 64" },
	{ "compute_s", FROM_CLUSTER, "workers", MINE ", \"workers\": 1", MINE ", \"workers\": 8" },
	{ "compute_s", FROM_CLUSTER, "gpus_per_worker", H100, H100 ", \"gpus_per_worker\": 8" },
	{ "compute_s", FROM_DEVICE, "device", DEVICE, DEVICE ", \"device\": \"a100\"" },
	{ "compute_s", FROM_DEVICE, "mfu", DEVICE, DEVICE ", \"mfu\": 0.5" },
	{ "compute_s", FROM_DEVICE, "gpus_per_worker", DEVICE, DEVICE ", \"gpus_per_worker\": 8" },
	{ "compute_s", FROM_DEVICE, "net", DEVICE, DEVICE ", \"net\": \"vgg\"" },
	{ "compute_s", FROM_DEVICE, "batch", DEVICE, DEVICE ", \"batch\": 64" },
	{ "compute_s", FROM_NET, "net", TIMING ", \"net\": \"profile:./profile.csv\"",
	  TIMING ", \"net\": \"resnet20\"" },
	{ "compute_s", FROM_ENGINE, "engine", "\"engine\": \"mpi\"", "\"engine\": \"sim\"" },
	{ "host_copy_s", FROM_CLUSTER, "cluster", MINE, "\"cluster\": \"power8-edr\"" },
	{ "host_copy_s", FROM_CLUSTER, "link", "\"link\": \"auto\"", OWN },
	{ "host_copy_s", FROM_CLUSTER, "net", MINE, MINE ", \"net\": \"mlp\"" },
	{ "host_copy_s", FROM_ENGINE, "engine", "\"engine\": \"mpi\"", "\"engine\": \"sim\"" },
	{ "update_s", FROM_CLUSTER, "cluster", MINE, "\"cluster\": \"power8-edr\"" },
	{ "update_s", FROM_CLUSTER, "link", "\"link\": \"auto\"", OWN },
	{ "update_s", FROM_ENGINE, "engine", "\"engine\": \"mpi\"", "\"engine\": \"sim\"" },
	{ "link", FROM_CLUSTER, "cluster", MINE, "\"cluster\": \"power8-edr\"" },
	{ "link", FROM_CLUSTER, "compute_s", "\"compute_s\": \"auto\"", "\"compute_s\": 1" },
	{ "link", FROM_ENGINE, "engine", "\"engine\": \"mpi\"", "\"engine\": \"sim\"" },
	{ "overlap", FROM_CLUSTER, "cluster", MINE, "\"cluster\": \"power8-edr\"" },
	{ "sim_bucket", FROM_CLUSTER, "cluster", BUCKETS, BUCKETS ", \"cluster\": \"power8-edr\"" },
	{ "sim_bucket", FROM_CLUSTER, "algo", BUCKETS, BUCKETS ", \"algo\": \"ad-psgd\"" },
	{ "sim_bucket", FROM_CLUSTER, "net", BUCKETS, BUCKETS ", \"net\": \"logistic:dim=10\"" },
	{ "sim_bucket", FROM_CLUSTER, "workers", BUCKETS, BUCKETS ", \"workers\": 1" },
	{ "sim_bucket", FROM_CLUSTER, "overlap", BUCKETS, BUCKETS ", \"overlap\": false" },
	{ "sim_bucket", FROM_CLUSTER, "codec", BUCKETS, BUCKETS ", \"codec\": \"qsgd\"" },
	{ "delay", FROM_CLUSTER, "cluster", MINE, "\"cluster\": \"power8-edr\"" },
	{ "delay", FROM_CLUSTER, "link", "\"link\": \"auto\"", OWN },
	{ "samples", FROM_NET, "net", "\"net\": \"quadratic\"", "\"net\": \"mlp\"" },
	{ "samples", FROM_DATA, "timing", "\"timing\": true", "\"timing\": false" },
	{ "samples", FROM_DATA, "data", "\"timing\": true",
	  "\"timing\": true, \"data\": \"shapes:train=1000\"" },
};

enum { EXAMPLES = sizeof(examples) / sizeof(examples[0]) };

static const char mine[] =
	"{ \"workers\": 3, \"update_s\": 0.5, \"overlap\": false, \"delay\": \"gamma:cv=0.1\","
	" \"link\": \"nic\", \"bucket_bytes\": 1000, \"host_copy_GBps\": 1, \"compute\":"
	" { \"seconds_per_sample\": { \"resnet20\": { \"1\": 0.001, \"8\": 0.002 } } } }";

static void resolve(struct setup *su, const char *members)
{
	char *text = xasprintf("{%s}", members);
	cJSON *set = cJSON_Parse(text);

	assert_non_null(set);
	setup_init(su);
	assert_int_equal(settings_apply(&su->in, set, "test"), 0);
	assert_int_equal(setup_resolve(su), 0);
	cJSON_Delete(set);
	free(text);
}

/* A default that no rule names is the same in every run. */
static void check_plain(const struct setup *su)
{
	static char *seen[SETTINGS_MOST];

	for (size_t i = 0; i < su->ncanonical; i++) {
		const char *value = su->canonical[i].value;

		if (su->sources[i].from != FROM_DEFAULT)
			continue;
		if (!seen[i])
			seen[i] = xstrdup(value);
		assert_string_equal(seen[i], value);
	}
}

static void check_example(const struct example *e)
{
	struct setup run, other;
	const struct setting_source *a, *b;

	resolve(&run, e->run);
	a = setting_source_at(run.sources, e->key);
	assert_int_equal(a->from, e->from);
	check_plain(&run);
	if (e->other) {
		resolve(&other, e->other);
		b = setting_source_at(other.sources, e->key);
		assert_int_not_equal(b->from, FROM_GIVEN);
		if (a->from == b->from)
			assert_string_not_equal(setup_text(&run, e->key),
						setup_text(&other, e->key));
		check_plain(&other);
		setup_release(&other);
	}
	setup_release(&run);
}

/* Each setting that a rule names decides, and no other source of a value is in an example. */
static void what_the_table_says_happens(void **state)
{
	for (size_t i = 0; i < EXAMPLES; i++) {
		print_message("%s by %s\n", examples[i].key, examples[i].by);
		check_example(&examples[i]);
	}
}

static size_t examples_of(const struct default_rule *r, const char *by)
{
	size_t n = 0;

	for (size_t i = 0; i < EXAMPLES; i++)
		n += !strcmp(examples[i].key, r->key) && examples[i].from == r->from &&
		     !strcmp(examples[i].by, by);
	return n;
}

static void every_rule_has_its_examples(void **state)
{
	size_t n = 0;

	for (const struct default_rule *r = default_rules; r->key; r++) {
		char by[128], *rest = NULL;

		assert_non_null(opt_find(settings_opts, r->key));
		snprintf(by, sizeof(by), "%s", r->by);
		if (!*by)
			n += examples_of(r, by);
		for (char *word = strtok_r(by, " ", &rest); word;
		     word = strtok_r(NULL, " ", &rest)) {
			assert_non_null(opt_find(settings_opts, word));
			assert_int_equal(examples_of(r, word), 1);
			n++;
		}
	}
	assert_int_equal(n, EXAMPLES);
}

/* "auto" says that a setting is omitted; what is given stays as it is. */
static void given_is_what_is_set(void **state)
{
	struct setup su;

	resolve(&su, "\"workers\": \"auto\", \"graph\": \"ring\", \"algo\": \"d-psgd\"");
	assert_int_equal(setting_source_at(su.sources, "workers")->from, FROM_CLUSTER);
	assert_int_equal(setting_source_at(su.sources, "graph")->from, FROM_GIVEN);
	assert_int_equal(setting_source_at(su.sources, "algo")->from, FROM_GIVEN);
	assert_int_equal(setting_source_at(su.sources, "batch")->from, FROM_DEFAULT);
	setup_release(&su);
}

static int write_cluster(void **state)
{
	static char dir[] = "/tmp/convoy-defaults-XXXXXX";
	FILE *out;

	if (!mkdtemp(dir) || chdir(dir) != 0)
		return -1;
	*state = dir;
	out = fopen("profile.csv", "w");
	if (!out || fputs("bytes,seconds\n400,0.25\n", out) < 0 || fclose(out))
		return -1;
	out = fopen("mine.json", "w");
	return !out || fputs(mine, out) < 0 || fclose(out) ? -1 : 0;
}

static int remove_cluster(void **state)
{
	return unlink("mine.json") || unlink("profile.csv") || rmdir(*state) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_table_says_happens),
		cmocka_unit_test(every_rule_has_its_examples),
		cmocka_unit_test(given_is_what_is_set),
	};

	return cmocka_run_group_tests(tests, write_cluster, remove_cluster);
}
