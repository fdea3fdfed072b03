/* `convoy report`: an experiment as one page, and all of them as an index. */
#include "cmd/cmd.h"

#include "cmd/answer_page.h"
#include "cmd/args.h"
#include "cmd/opts.h"
#include "cmd/report/parts.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "plan/settings/values.h"
#include "report/page/page.h"
#include "runner/results/folder.h"
#include "runner/results/outcome.h"

#include <stdlib.h>
#include <string.h>

struct conf {
	char *scale, *out, *md, *claims;
	char *again;            /* --plots */
	bool all;
};

static const struct opt opts[] = {
	OPT_TEXT(struct conf, scale, "which of the experiment's scales", "SCALE"),
	OPT_FLAG(struct conf, all,
	  "a page of every experiment and scale that has results, whatever their settings, or "
	  "with those given here; and an index of them"),
	OPT_TEXT(struct conf, md,
	  "write all experiments as pages of Markdown, an index and one a paper, into --out (docs "
	  "unless given), with the results that are kept in a folder: "
	  "FOLDER/PAPER/NAME/claims.json and tables, FOLDER/PAPER/README.md", "FOLDER"),
	{ "plots", OPT_AT(STRING, struct conf, again), NULL,
	  "draw the plots of kept results again from their numbers, "
	  "FOLDER/PAPER/NAME/plots/*.json or runs.json, and write their tables as text, "
	  "Markdown and CSV", "FOLDER", 0, 0, NULL, 0 },
	OPT_TEXT(struct conf, claims,
	  "judge the claims of kept results again by the specs as they are now: "
	  "FOLDER/PAPER/NAME/claims.json", "FOLDER"),
	OUT_OPT(struct conf),
	{ 0 }
};

static const char about[] =
	"Writes an experiment's finished runs as one page of HTML, without scripts or other\n"
	"files, and prints its path. The page has the question, the claims with their verdicts,\n"
	"tables with the published numbers, plots, timelines, what differs from the paper's\n"
	"set-up, the machine, and the command that repeats the runs. Without settings and scale\n"
	"it uses the runs that were made last. If 'convoy run' was given settings, give them here\n"
	"too; --all reads them from the folders of results.\n"
	"\n"
	"Exit codes: 0 the pages are complete; 1 a page or a picture could not be made: a note\n"
	"replaces the picture; 129 command line.\n"
	"\n"
	"Examples:\n"
	"  convoy report slow-worker\n"
	"  convoy report convergence --scale smoke --out /tmp/results\n"
	"  convoy report --all                         and results/index.html\n"
	"  convoy report --md results/reference --out docs\n"
	"  convoy report answer.json                   page of an answer of advise\n"
	"  convoy report --plots results/reference     draw the kept plots again\n"
	"  convoy report --claims results/reference    judge the kept results again";

struct page_request {           /* what one page is about */
	const char *name, *scale;       /* of the experiment; scale NULL: its default */
	const cJSON *set;       /* settings given to its runs; NULL: none */
	const char *folder;     /* the runs must be in this folder; NULL: in any */
};

/*
 * Writes the page of one request, prints its path, and adds it to *pages. 0; 1 when there is no
 * finished run; -1 after error(), also when the page was written without some of its pictures.
 */
static int report_one(const struct page_request *w, const struct args *a, struct page_index *pages)
{
	const struct conf *c = a->conf;
	const struct plan_request request = { .experiment = w->name, .scale = w->scale,
					      .set = w->set, .out = results_folder(c->out) };
	struct outcome o = { 0 };
	struct plan plan;
	char *path;
	int ret;

	context_set(w->folder);
	ret = plan_make(&plan, &request);
	context_set(NULL);
	if (ret == 0 && (plan_count(&plan, RUN_FINISHED) == 0 ||
			 (w->folder && strcmp(plan.dir, w->folder) != 0)))
		ret = 1;
	if (ret != 0) {
		if (ret == 1 && !c->all)
			latest_error(&plan, request.out);
		plan_release(&plan);
		return ret;
	}
	path = xasprintf("%s/report.html", plan.dir);
	ret = outcome_read(&o, &plan);
	if (ret == 0)
		ret = report_page(w->name, &plan, &o, w->set, path);
	if (ret >= 0) {
		const struct spec *s = &plan.spec;
		char *changes = changes_text(&plan.changes);

		utf8_puts(path);
		page_index_add(pages, &(struct page_entry){
			.title = page_title(s->json, s->name, changes),
			.paper = xstrdup(s->paper), .name = xstrdup(s->name),
			.scale = xstrdup(s->scale), .changes = changes,
			.page = xstrdup(path + strlen(request.out) + 1),
			.score = verdicts_total(o.claims, NULL) });
	}
	if (ret > 0)            /* pictures that are missing */
		ret = error("%s: %d picture%s missing there", path, ret,
			    ret == 1 ? " is" : "s are");
	free(path);
	outcome_release(&o);
	plan_release(&plan);
	return ret;
}

/* ---- --all: pages of all results ---- */

/* OUT/NAME; the caller frees. */
static char *path_in_out(const char *name, const struct args *a)
{
	const struct conf *c = a->conf;

	return xasprintf("%s/%s", results_folder(c->out), name);
}

/*
 * Pages of one scale of an experiment, from its folders in dir: DIR/SCALE, and one for each change
 * of settings (given_folders()). With settings on the command line, one page of the runs made with
 * these. Else a page of DIR/SCALE, whose runs have the spec's settings or those that the folder's
 * settings.json names, and a page of each changed folder. -1 when any failed.
 */
static int report_scale(struct page_request w, const char *scale, const char *dir,
			const struct args *a, struct page_index *pages)
{
	scoped char *plain = xasprintf("%s/%s", dir, scale);
	scoped_paths char **changed = given_folders(dir, scale);
	cJSON *set = NULL;
	const bool there = dir_exists(plain);
	int ret = 0, one;

	w.set = a->set;
	if (a->set->child) {
		if ((changed && *changed) || there)
			ret = report_one(&w, a, pages) < 0 ? -1 : 0;
	} else if (there) {
		one = report_one(&w, a, pages);         /* 1: no runs with the spec's settings */
		if (one == 1)
			given_read(plain, &set);
		w.set = set;
		w.folder = plain;
		if (set)
			one = report_one(&w, a, pages);
		cJSON_Delete(set);
		ret = one < 0 ? -1 : 0;
	}
	for (char **folder = changed; !a->set->child && folder && *folder; folder++) {
		w.folder = *folder;
		given_read(w.folder, &set);
		w.set = set;
		one = set ? report_one(&w, a, pages) : 1;
		if (one == 1)
			note("%s is left out: its settings.json names no finished runs of the "
			     "experiment; 'convoy run' with their settings writes it", w.folder);
		ret = one < 0 ? -1 : ret;
		cJSON_Delete(set);
	}
	return ret;
}

/* Every scale of an experiment; one without scales as it is. -1 when any failed. */
static int report_scales(const char *name, const struct args *a, struct page_index *pages)
{
	struct page_request w = { .name = name };
	struct spec s;
	const cJSON *scale;
	char *dir;
	int ret = 0;

	if (spec_load(&s, name, NULL) < 0)
		return -1;
	dir = path_in_out(s.name, a);
	if (!json_get(s.json, "scales"))
		ret = report_scale(w, s.scale, dir, a, pages);
	json_each(scale, s.json, "scales") {
		w.scale = scale->string;
		if (report_scale(w, w.scale, dir, a, pages) < 0)
			ret = -1;
	}
	free(dir);
	spec_release(&s);
	return ret;
}

/*
 * Pages of the built-in experiments, then of the user's own, whose specs the folders of results
 * name, and the index of all.
 */
static int report_all(const struct args *a)
{
	const struct conf *c = a->conf;
	char **names = path_list("experiments"), *path = path_in_out("index.html", a);
	char **own = provenance_list(results_folder(c->out));
	struct page_index pages = { 0 };
	int ret = 0;

	for (char **name = names; *name; name++) {
		scoped char *dir = path_in_out(*name, a);

		/* without a folder there are no results: its spec is not read */
		if (dir_exists(dir) && report_scales(*name, a, &pages) < 0)
			ret = -1;
	}
	for (char **spec = own; *spec; spec++)
		if (report_scales(*spec, a, &pages) < 0)
			ret = -1;
	path_list_free(own);
	path_list_free(names);
	if (!pages.n)
		ret = error("no finished run in %s", results_folder(c->out));
	else if (page_write_index(&pages, path) < 0)
		ret = -1;
	else
		utf8_puts(path);
	page_index_release(&pages);
	free(path);
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

/* Pages of the experiments on the command line; without settings, of the last results of each. */
static int report_named(const struct args *a)
{
	const struct conf *c = a->conf;
	scoped_by(page_index_release) struct page_index pages = { 0 };
	int code = EXIT_OK;

	for (size_t i = 0; i < a->nwords; i++) {
		struct plan_request request = { .experiment = a->words[i], .scale = c->scale,
						.set = a->set, .out = results_folder(c->out) };
		scoped_by(latest_release) struct last last = { 0 };
		int ret = a->set->child ? 0 : latest_find(&last, &request, false);

		if (ret == 0)
			ret = report_one(&(struct page_request){ .name = a->words[i],
								 .scale = request.scale,
								 .set = request.set }, a, &pages);
		if (ret != 0)
			code = EXIT_BAD;
	}
	return code;
}

static int report(const struct args *a)
{
	const struct conf *c = a->conf;
	int ret;

	if ((c->all || c->md || c->again || c->claims) && (a->nwords || c->scale))
		return args_usage(a, "--all, --md, --plots and --claims take every experiment "
				     "and scale");
	if (!c->again && !c->claims && !c->md) {
		if (!c->all && !a->nwords)
			return args_usage(a, "no experiment is named. Name one, or give --all");
		for (size_t i = 0; i < a->nwords && answer_is_file(a->words[i]); i++)
			if (answer_report_file(a->words[i]) < 0)
				return EXIT_BAD;
			else if (i + 1 == a->nwords)
				return EXIT_OK;
		return c->all ? report_all(a) : report_named(a);
	}
	ret = c->again	  ? report_again(c->again)
	      : c->claims ? kept_claims_judge(c->claims)
			  : report_md(c->md, c->out ? c->out : "docs");
	return ret < 0 ? EXIT_BAD : EXIT_OK;
}

const struct syntax cmd_report = {
	.opts = opts, .conf_size = sizeof(struct conf), .settings = true,
	.usage = "report EXPERIMENT...|--all|(--md|--plots|--claims) FOLDER "
		 "[--scale SCALE] [OPTIONS]",
	.about = about, .run = report,
};
