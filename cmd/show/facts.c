/* The facts of an algorithm as text, as JSON members, and as docs/algorithms.md. */
#include "cmd/show/show.h"

#include "algos/algos.h"
#include "core/file/json.h"

#include <stdio.h>

struct fact {
	const char *name, *text;        /* text NULL: nothing to say */
};

static const char *show_facts_tolerates(const struct algo *algo)
{
	return algo->facts.tolerates ? algo->facts.tolerates
				    : "no worker failure: the run stops with an error";
}

/* The i-th fact of an algorithm; its name is NULL past the last. */
static struct fact fact_at(const struct algo *algo, size_t i)
{
	const struct algo_facts *f = &algo->facts;
	const struct fact all[] = {
		{ "rule", f->rule },           { "departs", f->departs },
		{ "waits", f->waits },         { "staleness", f->staleness },
		{ "messages", f->messages },   { "memory", f->memory },
		{ "tolerates", show_facts_tolerates(algo) }, { "graph", algo->graph },
	};

	return i < sizeof(all) / sizeof(all[0]) ? all[i] : (struct fact){ 0 };
}

/* A text whose further lines begin below its first. */
static void show_facts_lines(const char *name, const char *text)
{
	printf("  %-10s ", name);
	for (; *text; text++)
		fputs(*text == '\n' ? "\n             " : (char[]){ *text, '\0' }, stdout);
	putchar('\n');
}

void facts_print(const struct algo *algo)
{
	struct fact f;

	for (size_t i = 0; (f = fact_at(algo, i)).name; i++)
		if (f.text)
			show_facts_lines(f.name, f.text);
	show_facts_lines("symbols", algo->graph ?
		"n: workers; m: bytes of the model; d: neighbours; all: docs/algorithms.md" :
		"n: workers; m: bytes of the model; all: docs/algorithms.md");
}

void facts_add(cJSON *object, const struct algo *algo)
{
	struct fact f;

	for (size_t i = 0; (f = fact_at(algo, i)).name; i++)
		json_add_text(object, f.name, f.text);
}

/* A cell; what would end it is escaped. */
static void show_facts_cell(const char *text, const char *quote)
{
	fputs(" ", stdout);
	fputs(quote, stdout);
	for (; text && *text; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
	printf("%s |", quote);
}

static void show_facts_row(const struct algo *algo)
{
	const struct algo_facts *f = &algo->facts;

	putchar('|');
	show_facts_cell(algo->plugin.name, "`");
	show_facts_cell(f->waits, "");
	show_facts_cell(f->staleness, "");
	show_facts_cell(f->messages, "");
	show_facts_cell(f->memory, "");
	show_facts_cell(show_facts_tolerates(algo), "");
	show_facts_cell(algo->plugin.cite, "");
	putchar('\n');
}

/* As Markdown's verbatim text. */
static void show_facts_indented(const char *text)
{
	printf("    ");
	for (; *text; text++)
		fputs(*text == '\n' ? "\n    " : (char[]){ *text, '\0' }, stdout);
	putchar('\n');
}

static void show_facts_rule(const struct algo *algo)
{
	const struct algo_facts *f = &algo->facts;

	printf("\n**%s**, %s:\n\n", algo->plugin.name, algo->plugin.brief);
	show_facts_indented(f->rule);
	if (f->departs)
		printf("\nDeparts from the paper: %s.\n", f->departs);
}

void facts_table(void)
{
	printf("| algorithm | which worker waits for which | staleness (steps) "
	       "| messages; bytes for each gradient | vectors at server / worker "
	       "| tolerates | paper |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; algo_table[i]; i++)
		show_facts_row((const struct algo *)algo_table[i]);
	for (size_t i = 0; algo_table[i]; i++)
		show_facts_rule((const struct algo *)algo_table[i]);
}
