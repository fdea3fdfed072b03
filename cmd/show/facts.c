#include "cmd/show/facts.h"

#include "algos/algos.h"

#include <stdio.h>

struct fact {
	const char *name, *text;        /* text NULL: nothing to say */
};

static const char *tolerates(const struct algo *algo)
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
		{ "tolerates", tolerates(algo) }, { "graph", algo->graph },
	};

	return i < sizeof(all) / sizeof(all[0]) ? all[i] : (struct fact){ 0 };
}

void facts_print(const struct algo *algo)
{
	struct fact f;

	for (size_t i = 0; (f = fact_at(algo, i)).name; i++)
		if (f.text)
			printf("  %-10s %s\n", f.name, f.text);
}

void facts_add(cJSON *object, const struct algo *algo)
{
	struct fact f;

	for (size_t i = 0; (f = fact_at(algo, i)).name; i++)
		if (f.text)
			cJSON_AddStringToObject(object, f.name, f.text);
		else
			cJSON_AddNullToObject(object, f.name);
}

/* A cell; what would end it is escaped. */
static void cell(const char *text, const char *quote)
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

static void row(const struct algo *algo)
{
	const struct algo_facts *f = &algo->facts;

	putchar('|');
	cell(algo->plugin.name, "`");
	cell(f->waits, "");
	cell(f->staleness, "");
	cell(f->messages, "");
	cell(f->memory, "");
	cell(tolerates(algo), "");
	cell(algo->plugin.cite, "");
	putchar('\n');
}

/* As Markdown's verbatim text. */
static void indented(const char *text)
{
	printf("    ");
	for (; *text; text++)
		fputs(*text == '\n' ? "\n    " : (char[]){ *text, '\0' }, stdout);
	putchar('\n');
}

static void rule(const struct algo *algo)
{
	const struct algo_facts *f = &algo->facts;

	printf("\n**%s**, %s:\n\n", algo->plugin.name, algo->plugin.brief);
	indented(f->rule);
	if (f->departs)
		printf("\nDeparts from the paper: %s.\n", f->departs);
}

void facts_table(void)
{
	printf("| algorithm | which worker waits for which | staleness (steps) "
	       "| messages and bytes a gradient | vectors at server / worker "
	       "| tolerates | paper |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; algo_table[i]; i++)
		row((const struct algo *)algo_table[i]);
	for (size_t i = 0; algo_table[i]; i++)
		rule((const struct algo *)algo_table[i]);
}
