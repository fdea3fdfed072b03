/* What --help prints of a command, `convoy help settings`, `measures`, `defaults`. */
#include "cmd/help_text.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/word.h"
#include "core/text/wrap.h"
#include "plan/resolve/setting_source.h"
#include "record/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct settings_group settings_groups[] = {
	{ "What is trained", "algo graph workers engine net data batch seed init" },
	{ "When a run ends", "epochs seconds gradients" },
	{ "Learning rate, optimiser, codec",
	  "lr lr_scaling lr_batch schedule warmup warmup_from optim codec" },
	{ "The simulated machine",
	  "timing samples cluster compute_s storage host_copy_s update_s link overlap sim_bucket "
	  "sim_in_flight zero shards" },
	{ "Delays and faults", "delay slow shares faults recovery" },
	{ "Real ranks", "server allreduce bucket" },
	{ "How nets are computed", "backend precision lowering partitions fusion compute_threads" },
	{ "What is recorded",
	  "eval_every eval_samples stat_batches train_every time_from measures keep_model" },
	{ NULL, NULL }
};

void settings_each(const char *names, void (*show)(const struct opt *o))
{
	char *copy = xstrdup(names), *rest = NULL;

	for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		const struct opt *o = opt_find(settings_opts, name);

		if (!o)
			BUG("help names a setting that does not exist: %s", name);
		show(o);
	}
	free(copy);
}

/* opt_help() of one option, with its name as it is typed on a command line: eval-every. */
static void print_flag(const struct opt *o)
{
	char *name = word_dashed(o->name);
	struct opt one[2] = { *o, { .name = NULL } };

	one[0].name = name;
	opt_help(one, name[1] ? "  --" : "   -", stdout);
	free(name);
}

/* Without bounds, and without the default of a switch that is off: they are in the man page. */
static void print_brief(const struct opt *o)
{
	struct opt brief = *o;

	brief.min = brief.max = 0;
	if (o->type == OPT_BOOL && o->def && strcmp(o->def, "false") == 0)
		brief.def = NULL;
	print_flag(&brief);
}

/* The text as far as the first semicolon: what "auto" and the choices mean is left out. */
static void print_summary(const struct opt *o)
{
	char *text = xasprintf("%.*s", (int)strcspn(o->help, ";"), o->help);
	struct opt summary = *o;

	summary.help = text;
	print_brief(&summary);
	free(text);
}

void help_usage(const struct args *a, FILE *out)
{
	const int indent = fprintf(out, "usage: convoy");
	int column = indent;

	for (const char *word = a->usage; *word;) {
		const char *next = strstr(word, " [");
		const int n = (int)(next ? next - word : (ptrdiff_t)strlen(word));

		if (column + 1 + n > HELP_COLUMNS)
			column = fprintf(out, "\n%*s", indent, "") - 1;
		column += fprintf(out, " %.*s", n, word);
		word += n + (next != NULL);
	}
	putc('\n', out);
}

static bool help_is_item(const char *line)
{
	return line[0] == '-' && line[1] == ' ';
}

/*
 * Bytes of the paragraph that the text begins with. A line that begins with spaces is one of its
 * own, unless it continues an item, which begins with "- ".
 */
static size_t help_paragraph(const char *text)
{
	size_t n = strcspn(text, "\n");
	bool goes_on = !strchr(" \n", *text);

	while (goes_on && text[n]) {
		const char *next = text + n + 1;

		goes_on = *next != '\n' && !help_is_item(next) &&
			  (*next == ' ') == help_is_item(text);
		n += goes_on ? 1 + strcspn(next, "\n") : 0;
	}
	return n;
}

static void help_print_about(const char *text)
{
	while (*text) {
		const size_t n = help_paragraph(text);
		char *paragraph = xasprintf("%.*s", (int)n, text);

		if (*text == ' ')
			puts(paragraph);
		else
			wrap_print(paragraph, 0, help_is_item(text) ? 2 : 0, HELP_COLUMNS, stdout);
		free(paragraph);
		text += n + (text[n] == '\n');
	}
}

void help_command(const struct args *a)
{
	help_usage(a, stdout);
	putchar('\n');
	help_print_about(a->about);
	if (a->opts)
		printf("\nOptions:\n");
	for (const struct opt *o = a->opts; o && o->name; o++)
		print_brief(o);
	if (!a->settings)
		return;
	printf("\nEvery setting of a run is an option too, and --set KEY=VALUE; all of them:\n"
	       "'convoy help settings'.%s\n", a->common ? " The most used:" : "");
	if (a->common)
		settings_each(a->common, print_summary);
}

void help_settings(void)
{
	printf("usage: convoy COMMAND --SETTING VALUE... | --set KEY=VALUE...\n"
	       "\n"
	       "The settings of a run are options of the commands that make or read runs, and\n"
	       "keys of 'base' and 'grid' in a spec. Omitted settings use the default; 'convoy\n"
	       "help defaults' prints those that depend on other settings. 'convoy list KIND'\n"
	       "and 'convoy show KIND NAME' explain values that have options of their own:\n"
	       "algos, graphs, nets, data, delays, links, clusters, schedules, optims, codecs,\n"
	       "devices.\n");
	for (const struct settings_group *g = settings_groups; g->title; g++) {
		printf("\n%s:\n", g->title);
		settings_each(g->names, print_flag);
	}
}

void help_measures(void)
{
	printf("The measures of a run, for 'convoy sim --values' and --plot-y, 'convoy compare\n"
	       "--values', and the tables and plots of specs. Further ones say when a curve\n"
	       "first meets a bound: time_to:test_accuracy>=0.8, epochs_to:..., gradients_to:...\n"
	       "\n");
	for (const char *const *name = measure_names; *name; name++) {
		char *label = measure_label(*name, NULL);

		printf("  %-24s %s\n", *name, label);
		free(label);
	}
}

void help_defaults(void)
{
	printf("Omitted settings whose value depends on other settings. All others have the\n"
	       "default that 'convoy help settings' prints. --dry-run prints for each setting of\n"
	       "a run 'given', 'default', or where its value is from.\n");
	for (const struct default_rule *r = default_rules; r->key; r++) {
		char *from = from_text(r->from);

		if (r == default_rules || strcmp(r[-1].key, r->key) != 0)
			printf("\n%s\n", r->key);
		printf("  %s%s%s%s\n    ", from, *r->by ? " (depends on " : "", r->by,
		       *r->by ? ")" : "");
		wrap_print(r->rule, 4, 4, HELP_COLUMNS, stdout);
		free(from);
	}
}
