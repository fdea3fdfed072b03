/* The facts of an algorithm: as text, as members of JSON, and as docs/algorithms.md. */
#include "cmd/show.h"

#include "algos/algos.h"

#include <stdio.h>

static const char *algo_tolerates(const struct algo *algo)
{
	return algo->facts.tolerates ? algo->facts.tolerates
				    : "no worker failure: the run stops with an error";
}

enum { FACTS = 9 };

static void algo_facts(const struct algo *algo, struct member fact[FACTS])
{
	const struct algo_facts *f = &algo->facts;
	const struct member all[FACTS] = {
		j_text("rule", f->rule), j_text("departs", f->departs), j_text("gain", f->gain),
		j_text("waits", f->waits),
		j_text("staleness", f->staleness), j_text("messages", f->messages),
		j_text("memory", f->memory), j_text("tolerates", algo_tolerates(algo)),
		j_text("graph", algo->graph),
	};

	for (size_t i = 0; i < FACTS; i++)
		fact[i] = all[i];
}

/* A text whose further lines begin after `indent`. */
static void fact_print(const char *text, const char *indent)
{
	for (; *text; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("%s", indent);
	}
	putchar('\n');
}

void facts_print(const struct algo *algo)
{
	struct member fact[FACTS];

	algo_facts(algo, fact);
	for (size_t i = 0; i < FACTS; i++) {
		if (fact[i].kind != MEMBER_TEXT)
			continue;
		printf("  %-10s ", fact[i].key);
		fact_print(fact[i].v.text, "             ");
	}
	printf("  %-10s n: workers; m: bytes of the model; %sall: docs/algorithms.md\n", "symbols",
	       algo->graph ? "d: neighbours; " : "");
}

void facts_add(cJSON *object, const struct algo *algo)
{
	struct member fact[FACTS];

	algo_facts(algo, fact);
	members_add(object, FACTS, fact);
	ADD(object, j_bool("reads_clock", algo->reads_clock));
}

/* A cell of a table in Markdown; what would end it is escaped. */
static void fact_cell(const char *text, const char *quote)
{
	printf(" %s", quote);
	for (; text && *text; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
	printf("%s |", quote);
}

void facts_table(void)
{
	printf("| algorithm | which worker waits for which | staleness (steps) "
	       "| messages; bytes for each gradient | vectors at server / worker "
	       "| tolerates | paper |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; algo_table[i]; i++) {
		const struct algo *algo = (const struct algo *)algo_table[i];

		putchar('|');
		fact_cell(algo->plugin.name, "`");
		fact_cell(algo->facts.waits, "");
		fact_cell(algo->facts.staleness, "");
		fact_cell(algo->facts.messages, "");
		fact_cell(algo->facts.memory, "");
		fact_cell(algo_tolerates(algo), "");
		fact_cell(algo->plugin.cite, "");
		putchar('\n');
	}
	for (size_t i = 0; algo_table[i]; i++) {
		const struct algo *algo = (const struct algo *)algo_table[i];

		printf("\n**%s**, %s:\n\n    ", algo->plugin.name, algo->plugin.brief);
		fact_print(algo->facts.rule, "    ");
		if (algo->facts.gain)
			printf("\nGain: %s.\n", algo->facts.gain);
		if (algo->facts.departs)
			printf("\nDeparts from the paper: %s.\n", algo->facts.departs);
	}
}
