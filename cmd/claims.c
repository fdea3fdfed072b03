/* `convoy claims`: which of a paper's statements hold on the finished runs. */
#include "cmd/cmd.h"

#include "cmd/common.h"
#include "core/base/error.h"
#include "report/claims/claims.h"

struct claims_conf {
	struct finished finished;
	int format;
	bool json, strict;
};

static const struct opt claims_opts[] = {
	FINISHED_OPTS,
	OPT_CHOICE(struct claims_conf, format, "text", "how verdicts are written", NULL,
		   table_format_name),
	OPT_FLAG(struct claims_conf, json, "the same as --format json"),
	OPT_FLAG(struct claims_conf, strict,
		 "exit with 1 unless every claim that is evaluated holds"),
	{ 0 }
};

static const char claims_about[] =
	"Checks the claims of an experiment on its finished results, without running anything.\n"
	"If 'convoy run' was given settings, give them here too to select its results.\n"
	"\n"
	"Exit codes: 0 all claims were judged, or with --strict hold; 1 a claim has an error,\n"
	"or wrong input.\n"
	"\n"
	"Examples:\n"
	"  convoy claims slow-worker\n"
	"  convoy claims slow-worker --format md > claims.md\n"
	"  convoy claims slow-worker --json | jq '.[] | select(.holds == false)'";

static int claims_show(const struct plan *p, const struct outcome *o, const void *c)
{
	const struct claims_conf *conf = c;
	const struct claim_total t = verdicts_total(o->claims, NULL);
	const bool json = conf->json || conf->format == TABLE_JSON;

	if (o->claims->n == 0 && !json)
		return error("%s has no claims", p->spec.name), EXIT_BAD;
	if (!json && conf->format == TABLE_TEXT)
		verdicts_print_all(o->claims, stdout);
	else
		verdicts_print_as(o->claims, json ? TABLE_JSON : (enum table_format)conf->format,
				stdout);
	if (verdicts_check(o->claims, p->spec.name) < 0)
		return EXIT_BAD;
	/* Strict: the whole experiment, as the spec has it. */
	return conf->strict && (t.fails || t.undecided || o->gap || p->changes.settings) ? EXIT_BAD
											: EXIT_OK;
}

static int claims_finished(const struct args *a)
{
	return finished_show(a, FINISHED_UNCHANGED, claims_show);
}

const struct syntax cmd_claims = {
	.opts = claims_opts, .conf_size = sizeof(struct claims_conf), .one = "experiment",
	.settings = true,
	.usage = "claims EXPERIMENT [--scale SCALE] [--format FORMAT] [--strict] [OPTIONS]",
	.about = claims_about, .run = claims_finished,
};
