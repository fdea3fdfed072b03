/* `convoy table`: an experiment's tables from its finished runs. */
#include "cmd/cmd.h"

#include "cmd/common.h"
#include "core/base/error.h"
#include "runner/results/outcome.h"

struct table_conf {
	struct finished finished;
	int format;
};

static const struct opt table_opts[] = {
	FINISHED_OPTS,
	OPT_CHOICE(struct table_conf, format, "text", "how tables are written", NULL,
		   table_format_name),
	{ 0 }
};

static const char table_about[] =
	"Prints the tables of an experiment from its finished results, without running anything.\n"
	"Without settings and scale it uses the runs that were made last. If 'convoy run' was\n"
	"given settings, give them here too to select its results.\n"
	"\n"
	"Examples:\n"
	"  convoy table slow-worker\n"
	"  convoy table slow-worker --format md > table2.md";

static int table_show(const struct plan *p, const struct outcome *o, const void *c)
{
	const struct table_conf *conf = c;

	if (conf->format == TABLE_JSON)
		json_print_own(tables_json(&o->tables));
	else if (o->tables.n)
		outcome_print_tables(&o->tables, (enum table_format)conf->format);
	else if (conf->format == TABLE_TEXT)
		runs_print(&o->runs);
	else
		return error("%s has no tables", p->spec.name), EXIT_BAD;
	return EXIT_OK;
}

static int table_finished(const struct args *a)
{
	return finished_show(a, FINISHED_LAST, table_show);
}

const struct syntax cmd_table = {
	.opts = table_opts, .conf_size = sizeof(struct table_conf), .one = "experiment",
	.settings = true,
	.usage = "table EXPERIMENT [--scale SCALE] [--format FORMAT] [OPTIONS]",
	.about = table_about, .run = table_finished,
};
