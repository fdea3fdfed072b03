/* `convoy help`: the commands, what --help prints of one, the settings of a run, the man page. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "core/text/wrap.h"
#include "plan/resolve/setup.h"
#include "plan/settings/settings.h"
#include "record/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls show() for each setting of a group. */
static void settings_of_group(enum settings_group group, void (*show)(const struct opt *o))
{
	const struct opt *o = NULL;

	while ((o = setting_of_group(group, o)))
		show(o);
}

/* Calls show() for each setting of a list of names. */
static void settings_each(const char *names, void (*show)(const struct opt *o))
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
	scoped char *name = word_dashed(o->name);
	struct opt one[2] = { *o, { .name = NULL } };

	one[0].name = name;
	opt_help(one, name[1] ? "  --" : "   -", stdout);
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
	scoped char *text = xasprintf("%.*s", (int)strcspn(o->help, ";"), o->help);
	struct opt summary = *o;

	summary.help = text;
	print_brief(&summary);
}

void help_usage(const struct syntax *s, FILE *out)
{
	const int indent = fprintf(out, "usage: convoy");
	int column = indent;

	for (const char *word = s->usage; *word;) {
		const char *next = strstr(word, " [");
		const int n = (int)(next ? next - word : (ptrdiff_t)strlen(word));

		if (column + 1 + n > HELP_COLUMNS)
			column = fprintf(out, "\n%*s", indent, "") - 1;
		column += fprintf(out, " %.*s", n, word);
		word += n + (next != NULL);
	}
	putc('\n', out);
}

static bool is_item(const char *line)
{
	return line[0] == '-' && line[1] == ' ';
}

/*
 * Calls put() for each paragraph of a text, an empty line included: lines of text, an item, which
 * begins with "- " and goes on in lines that begin with spaces, or other lines that do.
 */
static void about_each(const char *text, void (*put)(const char *paragraph))
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		bool goes_on = *text != '\n';
		char *paragraph;

		while (goes_on && text[n]) {
			const char *next = text + n + 1;

			goes_on = *next != '\n' && !is_item(next) &&
				  (*next == ' ') == (*text == ' ' || is_item(text));
			n += goes_on ? 1 + strcspn(next, "\n") : 0;
		}
		paragraph = xasprintf("%.*s", (int)n, text);
		put(paragraph);
		free(paragraph);
		text += n + (text[n] == '\n');
	}
}

static void print_paragraph(const char *paragraph)
{
	if (*paragraph == ' ')
		puts(paragraph);
	else
		wrap_print(paragraph, 0, is_item(paragraph) ? 2 : 0, HELP_COLUMNS, stdout);
}

static void about_print(const char *text)
{
	about_each(text, print_paragraph);
}

void help_command(const struct syntax *s)
{
	help_usage(s, stdout);
	putchar('\n');
	about_print(s->about);
	if (s->opts)
		printf("\nOptions:\n");
	for (const struct opt *o = s->opts; o && o->name; o++)
		print_brief(o);
	if (s->code && !s->settings)
		printf("\nNets that are code, python:FILE and exec:PROGRAM: 'convoy help code'.\n");
	if (!s->settings)
		return;
	printf("\nEvery setting of a run is an option too, and --set KEY=VALUE; all of them:\n"
	       "'convoy help settings'.%s%s\n",
	       s->code ? " A net of your own: 'convoy help code'." : "",
	       s->common ? " The most used:" : "");
	if (s->common)
		settings_each(s->common, print_summary);
}

static void help_complete(void)
{
	printf("usage: convoy complete WORD...\n\n"
	       "Prints what the last word may become, for the scripts of 'convoy completion'.\n");
}

static void help_units(void)
{
	units_help(stdout);
}

static void help_settings(void)
{
	printf("usage: convoy COMMAND --SETTING VALUE... | --set KEY=VALUE...\n"
	       "\n"
	       "The settings of a run are options of the commands that make or read runs, and\n"
	       "keys of 'base' and 'grid' in a spec. Omitted settings use the default; 'convoy\n"
	       "help defaults' prints those that depend on other settings. 'convoy list KIND'\n"
	       "and 'convoy show KIND NAME' explain values that have options of their own:\n"
	       "algos, graphs, nets, data, partitions, delays, links, clusters, schedules,\n"
	       "optims, codecs, devices. Values may have units, such as 640ms, 100Gb/s, 40GB or\n"
	       "1.3B: 'convoy help units'.\n");
	for (int g = 0; g < GROUPS; g++) {
		printf("\n%s:\n", settings_group_titles[g]);
		settings_of_group(g, print_flag);
	}
}

static void help_code(void)
{
	printf("usage: convoy COMMAND --net python:FILE[:FUNCTION][,KEY=VALUE]...\n"
	       "       convoy COMMAND --net exec:PROGRAM[,KEY=VALUE]...\n"
	       "       convoy COMMAND --algo ./FILE.c[:KEY=VALUE,...]   (or ./FILE.so)\n"
	       "\n");
	about_print("Trains a model, loss and data of your own. FUNCTION (make_problem unless "
		    "given) returns a convoy.Problem, or what convoy.torch_problem() makes of a "
		    "model of PyTorch. A program speaks the protocol in docs/problem-protocol.md. "
		    "The argument pure=false accepts gradients that are not a function of model "
		    "and batch.\n"
		    "\n"
		    "An algorithm of your own is a file in C, which $CC (else cc) compiles, or a "
		    "shared library; 'convoy new algo NAME' writes one to begin with.\n"
		    "\n"
		    "Code that a file names (a spec, result, checkpoint or trace) is refused "
		    "unless the command line names it too, or has --allow-code. The commands that "
		    "read results and every --dry-run start no code.\n"
		    "\n");
	for (const struct opt *o = code_opts; o->name; o++)
		print_flag(o);
	printf("\n"
	       "Examples:\n"
	       "  convoy sim --net python:model.py --algo asgd --workers 4 --compute-s 0.1\n"
	       "  convoy train --net python:model.py:make_problem,width=64 -n 4\n"
	       "  convoy check net exec:./my-problem\n");
}

static void print_measure(const char *name)
{
	scoped char *label = measure_label(name, NULL);

	printf("  %-24s %s\n", name, label);
}

static void help_measures(void)
{
	printf("The measures of a run, for 'convoy sim --values' and --plot-y, 'convoy compare\n"
	       "--values', and the tables and plots of specs. Further ones say when a curve\n"
	       "first meets a bound: time_to:test_accuracy>=0.8, epochs_to:..., gradients_to:...\n"
	       "A model of your own may measure more: metric:NAME.\n"
	       "\n");
	for (const char *const *name = measure_names; *name; name++)
		print_measure(*name);
	printf("\n"
	       "wait_share is idle time until others send what a worker needs, and\n"
	       "communication_share idle time while that is on its way. train_loss is the mean\n"
	       "over the minibatches since the evaluation before. time_per_epoch_s is over whole\n"
	       "rounds.\n");
}

static void help_defaults(void)
{
	printf("Omitted settings whose value depends on other settings. All others have the\n"
	       "default that 'convoy help settings' prints. --dry-run prints for each setting of\n"
	       "a run 'given', 'default', or where its value is from.\n");
	for (const struct default_rule *r = default_rules; r->key; r++) {
		scoped char *from = from_text(r->from);

		if (r == default_rules || strcmp(r[-1].key, r->key) != 0)
			printf("\n%s\n", r->key);
		printf("  %s%s%s%s\n    ", from, *r->by ? " (depends on " : "", r->by,
		       *r->by ? ")" : "");
		wrap_print(r->rule, 4, 4, HELP_COLUMNS, stdout);
	}
}

/*
 * ---- `convoy help --man TEMPLATE`: the man page, in which the usages, commands and settings are
 * those of --help; the rest is docs/convoy.1.in ----
 */

/* Text as groff shows it: no hyphens for dashes, no requests. */
static void man_put(const char *text)
{
	bool begins = true;

	for (const char *c = text; *c; c++) {
		if ((*c == '.' || *c == '\'') && begins)
			fputs("\\&", stdout);
		if (*c == '-' || *c == '\\')
			fputs(*c == '-' ? "\\-" : "\\e", stdout);
		else
			putchar(*c);
		begins = *c == '\n';
		if (begins && *text != ' ')
			c += strspn(c + 1, " ");
	}
}

/* Lines that begin with spaces stay as they are. */
static void man_paragraph(const char *paragraph)
{
	const bool item = is_item(paragraph), lines = *paragraph == ' ';

	if (!*paragraph)
		return;
	puts(item ? ".IP \\(bu 2" : lines ? ".nf" : ".PP");
	man_put(paragraph + (item ? 2 : 0));
	puts(lines ? "\n.fi" : "");
}

static void man_opt(const struct opt *o, const char *dashes)
{
	scoped char *meaning = opt_meaning(o), *name = word_dashed(o->name);

	printf(".TP\n.B ");
	man_put(name[1] || !*dashes ? dashes : "-");
	man_put(name);
	if (o->arg)
		printf("\\fR \\fI%s\\fP", o->arg);
	putchar('\n');
	man_put(meaning);
	putchar('\n');
}

static void man_usage(const struct syntax *s)
{
	printf(".B convoy ");
	man_put(s->usage);
	printf("\n.br\n");
}

/* Prints the text of --help below the part of the usage that names the command: "verify sim". */
static void man_command(const struct syntax *s)
{
	size_t n = strcspn(s->usage, "[ABCDEFGHIJKLMNOPQRSTUVWXYZ-(|");

	while (n && s->usage[n - 1] != ' ' && s->usage[n])
		n--;
	printf(".SS convoy %.*s\n", (int)n - (s->usage[n] != '\0'), s->usage);
	about_each(s->about, man_paragraph);
	if (s->opts || s->settings || s->code)
		printf(".PP\nOptions%s%s:\n", s->settings ? ", and the settings of a run" : "",
		       s->code ? ", and those of nets that are code" : "");
	for (const struct opt *o = s->opts; o && o->name; o++)
		if (!(o->flags & OPT_HIDDEN))
			man_opt(o, "--");
}

static void man_setting(const struct opt *o)
{
	man_opt(o, "");
}

/* Calls put() for every command, and every part of `data`. */
static void man_each(void (*put)(const struct syntax *s))
{
	for (const struct command *c = command_table; c->brief; c++) {
		if (!c->syntax->main)
			put(c->syntax);
		for (const struct command *p = data_parts; c->syntax == &cmd_data && p->name; p++)
			put(p->syntax);
	}
}

/* Prints the template, whose lines such as @COMMANDS@ stand for the tables. */
static int manual_print(const char *template)
{
	char *text = file_read(template, NULL), *end;

	if (!text)
		return EXIT_BAD;
	for (char *line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (strcmp(line, "@SYNOPSIS@") == 0)
			man_each(man_usage);
		else if (strcmp(line, "@COMMANDS@") == 0)
			man_each(man_command);
		else if (strcmp(line, "@CODE@") == 0)
			for (const struct opt *o = code_opts; o->name; o++)
				man_opt(o, "--");
		else if (strcmp(line, "@SETTINGS@") != 0)
			puts(line);
		else
			for (int g = 0; g < GROUPS; g++) {
				printf(".SS %s\n", settings_group_titles[g]);
				settings_of_group(g, man_setting);
			}
	}
	free(text);
	return EXIT_OK;
}

/* ---- the command ---- */

static void print_commands(void)
{
	printf("usage: convoy COMMAND [ARGUMENTS]\n"
	       "\n"
	       "A convoy moves at the speed of its slowest ship: convoy trains networks with\n"
	       "synchronous and asynchronous SGD, on simulated workers or on real MPI ranks.\n"
	       "\n");
	for (const struct command *c = command_table; c->brief; c++)
		printf("  %-10s %s\n", c->name, c->brief);
	printf("\n"
	       "Examples:\n"
	       "  convoy run slow-worker               a paper's table: measured and published\n"
	       "  convoy sim --algo ad-psgd --timing --samples 50000 --slow 0:10\n"
	       "  convoy list experiments\n"
	       "  convoy help run                      usage, examples, options\n"
	       "  convoy help settings                 all settings of a run\n"
	       "  convoy help defaults                 which defaults depend on which settings\n"
	       "  convoy help measures                 what tables and plots can show of a run\n"
	       "  convoy help units                    50ms, 100Gb/s, 40GB, 1.3B\n"
	       "\n"
	       "Exit codes: 0 done, 1 a run failed or an input is wrong, 128 the machine failed,\n"
	       "129 wrong command line, 130 and 143 ended by Ctrl-C or SIGTERM.\n");
}

/* Prints one measure. An exit code. */
static int help_measure(const char *name)
{
	if (measure_check_name("help measures", name) < 0)
		return EXIT_USAGE;
	print_measure(name);
	return EXIT_OK;
}

/* Prints one setting. An exit code. */
static int help_setting(const char *name)
{
	name += strspn(name, "-");
	if (settings_check_key(name, "help settings") < 0)
		return EXIT_USAGE;
	print_flag(opt_find(settings_opts, name));
	return EXIT_OK;
}

static int help_refuse(const char *first, const char *second)
{
	error("help %s '%s': expected one word, a command or a page. 'convoy help' names them",
	      first, second);
	return EXIT_USAGE;
}

/* True when the word may follow the command, as its usage has it; else after error(). */
static bool help_word_known(const char *command, const char *word)
{
	static const char *const pairs[][2] = {
		{ "delay", "fit" }, { "bench", "nets" }, { "check", "net" }, { "check", "algo" },
		{ "new", "algo" }, { "verify", "sim" },
	};
	enum { PAIRS = sizeof(pairs) / sizeof(pairs[0]) };
	const char *known[PAIRS + 1] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < PAIRS; i++)
		if (strcmp(command, pairs[i][0]) == 0)
			known[n++] = pairs[i][1];
	if (word_is_among(word, known))
		return true;
	if (n)
		word_unknown(command, "word", word, known);
	else
		help_refuse(command, word);
	return false;
}

static int help_main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
		int (*print_one)(const char *name);     /* one row of the page; or NULL */
	} pages[] = {
		{ "settings", help_settings, help_setting }, { "defaults", help_defaults, NULL },
		{ "measures", help_measures, help_measure }, { "units", help_units, NULL },
		{ "code", help_code, NULL }, { "complete", help_complete, NULL },
		{ "help", print_commands, NULL },
		{ "--help", print_commands, NULL }, { "-h", print_commands, NULL },
	};
	static const char *const names[HELP_PAGES] = { "settings", "defaults", "measures", "units",
						       "code" };
	char help[] = "--help";
	const struct command *c;

	if (argc < 3) {
		print_commands();
		return EXIT_OK;
	}
	if (strcmp(argv[2], "--man") == 0 && argc == 4)
		return manual_print(argv[3]);
	if (argc == 4 && (strcmp(argv[3], help) == 0 || strcmp(argv[3], "-h") == 0))
		argc--;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		if (strcmp(argv[2], pages[i].name) != 0)
			continue;
		if (argc == 4 && pages[i].print_one)
			return pages[i].print_one(argv[3]);
		if (argc > 3)
			return help_refuse(argv[2], argv[3]);
		pages[i].print();
		return EXIT_OK;
	}
	c = command_find(argv[2], names);
	if (!c)
		return EXIT_USAGE;
	if (argc == 4 && c->syntax == &cmd_data)
		return command_run(c, 4, (char *[]){ argv[0], argv[2], argv[3], help, NULL });
	if (argc > 4 || (argc == 4 && !help_word_known(argv[2], argv[3])))
		return EXIT_USAGE;
	return command_run(c, 3, (char *[]){ argv[0], argv[2], help, NULL });
}

const struct syntax cmd_help = { .main = help_main };
