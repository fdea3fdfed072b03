/* Words of other programs lead to names and options that there are. */
#include "algos/algos.h"
#include "cmd/cmd.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "data/data.h"
#include "plan/settings/settings.h"
#include "sim/link/link.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static const struct plugin *const *const tables[] = {
	algo_table, schedule_table, optim_table, codec_table, graph_table, link_table,
	dataset_table
};

enum { TABLES = sizeof(tables) / sizeof(tables[0]), MOST = 160 };

struct names {
	const char *v[MOST + 1];        /* NULL-ended */
	size_t n;
};

static void add(struct names *names, const char *name)
{
	assert_true(names->n < MOST);
	names->v[names->n++] = name;
}

static void add_table(struct names *names, const struct plugin *const *table)
{
	for (; *table; table++)
		add(names, (*table)->name);
}

static void add_opts(struct names *names, const struct opt *opts)
{
	for (; opts && opts->name; opts++)
		add(names, opts->name);
}

/* Settings, options of commands, and of algorithms. */
static struct names option_names(void)
{
	static const char *const own[] = { "n", "hostfile", "hosts", "mpirun", "threads", "out",
					   "checkpoint_every", "resume", "bound", "period", "tau" };
	struct names names = { .n = 0 };

	add_opts(&names, settings_opts);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		add(&names, own[i]);
	return names;
}

static bool is_listed(const struct names *names, const char *word)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->v[i], word) == 0)
			return true;
	return false;
}

/* "NAME:OPTION=..." of one of the tables. */
static void check_plugin(const char *text)
{
	const char *colon = strchr(text, ':'), *equal = colon ? strchr(colon, '=') : NULL;
	char *name = xasprintf("%.*s", (int)strcspn(text, ":"), text);
	char *option = equal ? xasprintf("%.*s", (int)(equal - colon - 1), colon + 1) : NULL;
	bool found = strcmp(name, "NAME") == 0;

	for (size_t i = 0; i < TABLES; i++)
		for (const struct plugin *const *p = tables[i]; *p; p++)
			found = found || (strcmp((*p)->name, name) == 0 &&
					  (!option || opt_find((*p)->opts, option)));
	if (!found)
		fail_msg("%s: no such name or option", text);
	free(name);
	free(option);
}

/* "-n", "--mpirun ...", "SETTING=VALUE" or "NAME:OPTION=VALUE". */
static void check_text(const struct foreign *f)
{
	const struct opt *o = opt_find(settings_opts, f->known);
	const char *equal = f->text ? strchr(f->text, '=') : NULL;
	char *key;

	if (!equal || f->text[0] == '-')
		return;
	if (!o) {
		check_plugin(f->text);
		return;
	}
	key = xasprintf("%.*s", (int)(equal - f->text), f->text);
	assert_ptr_equal(opt_find(settings_opts, key), o);
	if (o->type == OPT_STRING)
		check_plugin(equal + 1);
	free(key);
}

/* Each word of `also` leads to the name, or to a plug-in with an option, or to a command's part. */
static size_t check_also(const char *also, const char *name, const struct names *names)
{
	char *copy = xstrdup(also ? also : ""), *rest = NULL;
	size_t n = 0;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		char *equal = strchr(word, '='), *text;

		if (strcmp(word, "get") == 0)   /* "data get" */
			continue;
		if (equal)
			*equal = '\0';
		if (is_listed(names, word))
			fail_msg("%s: is a word of convoy's", word);
		text = foreign_name(also, name, word);
		assert_non_null(text);
		assert_memory_equal(text, name, strlen(name));
		if (strchr(text, ':'))
			check_plugin(text);
		free(text);
		n++;
	}
	free(copy);
	return n;
}

static void test_every_word(void **state)
{
	const struct names options = option_names();
	struct names commands = { .n = 0 };
	size_t n = 0;

	for (const struct foreign *f = foreign_options; f->word; f++, n++) {
		if (!is_listed(&options, f->known))
			fail_msg("%s: there is no %s", f->word, f->known);
		if (is_listed(&options, f->word))
			fail_msg("%s: is a word of convoy's", f->word);
		assert_non_null(foreign_option(f->word, options.v));
		check_text(f);
	}
	for (size_t i = 0; i < TABLES; i++) {
		struct names names = { .n = 0 };

		add_table(&names, tables[i]);
		for (const struct plugin *const *p = tables[i]; *p; p++)
			n += check_also((*p)->also, (*p)->name, &names);
	}
	for (const struct command *c = command_table; c->name; c++)
		add(&commands, c->name);
	for (const struct command *c = command_table; c->name; c++)
		n += check_also(c->also, c->name, &commands);
	assert_true(n > 200);
}

static void leads(const struct names *names, const char *word, const char *to)
{
	char *advice = word_advice(word, names->v);
	char *want = xasprintf("; did you mean '%s'?", to);

	if (strncmp(advice, want, strlen(want)) != 0)
		fail_msg("%s: %s", word, advice);
	free(want);
	free(advice);
}

/* The error on a plug-in of that name advises another. */
static void names_plugin(const struct plugin *const *table, const char *word, const char *to)
{
	char *want = xasprintf("; did you mean '%s'?", to);

	capture_start();
	assert_null(plugin_find(table, "kind", word));
	assert_said(want);
	capture_stop();
	free(want);
}

static void test_nearest(void **state)
{
	struct names settings = { .n = 0 }, ranks = option_names();

	add_opts(&settings, settings_opts);
	names_plugin(algo_table, "ps", "asgd");
	names_plugin(algo_table, "sync", "allreduce");
	names_plugin(algo_table, "DDP", "allreduce");
	names_plugin(algo_table, "parameter_server", "asgd");
	names_plugin(algo_table, "stale_sync", "ssp");
	names_plugin(optim_table, "adamw", "adam:decoupled=true");
	leads(&settings, "np", "workers");
	leads(&settings, "staleness", "algo=ssp:bound=...");
	leads(&settings, "lr-schedule", "schedule");
	leads(&settings, "sync", "algo=allreduce");
	leads(&settings, "Batch_Size", "batch");
	leads(&ranks, "np", "-n");
	assert_null(foreign_option("banana", settings.v));
	assert_null(foreign_name("nag=sgd:nesterov=true, sgdm", "sgd", "banana"));
	assert_null(foreign_name("*.csv=csv:file=*, #=n:x=*", "csv", "a.csv2"));
}

static void advises(const char *word, const char *const *words, const char *want)
{
	char *advice = word_advice(word, words);

	assert_string_equal(advice, want);
	free(advice);
}

static void test_long_lists_are_cut(void **state)
{
	static const char *const words[] = { "bandwidth_GBps", "latency_s", "message_s",
					     "node_GBps", "node_latency_s", "background_GBps",
					     NULL };

	advises("bandwith_GBps", words, "; did you mean 'bandwidth_GBps'?");
	advises("latency", words, "; did you mean 'latency_s'?");
	advises("node", words, "; did you mean 'node_GBps'? Also near: node_latency_s");
	advises("node", words + 1, "; did you mean 'node_GBps'? Known: latency_s, message_s, "
				   "node_GBps, node_latency_s, background_GBps");
	advises("zzz", words, "; known: bandwidth_GBps, latency_s, message_s, node_GBps, "
			      "node_latency_s, background_GBps");
}

RUN_ALL(test_every_word, test_nearest, test_long_lists_are_cut)
