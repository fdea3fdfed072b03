/* The plots of a spec: script, data and pictures, or letters on a terminal. */
#include "report/plot/plot.h"

#include "core/base/env.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes what `put` puts to DIR/NAMEsuffix; the path is the caller's, NULL after error(). */
static char *write_part(const struct plot_parts *p, const char *dir, const char *suffix,
			void (*put)(const void *, FILE *))
{
	char *path = xasprintf("%s/%s%s", dir, p->name, suffix), *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	put(p->ctx, out);
	if (fclose(out) || output_write(path, text, n) < 0) {
		free(path);
		path = NULL;
	}
	free(text);
	return path;
}

/* Adds a path to the list and frees it; -1 for NULL. */
static int add_path(cJSON *paths, char *path)
{
	if (!path)
		return -1;
	cJSON_AddItemToArray(paths, cJSON_CreateString(path));
	free(path);
	return 0;
}

/* ---- what is there already ---- */

static bool plot_exists(const char *dir, const char *name, const char *suffix)
{
	char *path = xasprintf("%s/%s%s", dir, name, suffix);
	const bool found = access(path, F_OK) == 0;

	free(path);
	return found;
}

static void plot_remove(const char *dir, const char *name, const char *suffix)
{
	char *path = xasprintf("%s/%s%s", dir, name, suffix);

	unlink(path);
	free(path);
}

bool plot_is_ours(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s.gp", dir, name), *head = NULL, *line = NULL;
	FILE *file = fopen(path, "re"), *out;
	size_t n = 0, size = 0;
	bool ours = false;

	if (file && getline(&line, &size, file) > 0) {
		out = xmemstream(&head, &n);
		gnuplot_head(name, out);
		xmemclose(out);
		ours = strncmp(line, head, strlen(line)) == 0;
	}
	if (file)
		fclose(file);
	free(line);
	free(head);
	free(path);
	return ours;
}

/* The stem is what is before a number at the end: "tuning" of "tuning-2". Its bytes. */
static size_t plot_stem(const char *name)
{
	const char *dash = strrchr(name, '-');
	const bool numbered = dash && dash[1] && !dash[1 + strspn(dash + 1, "0123456789")];

	return numbered ? (size_t)(dash - name) : strlen(name);
}

/* Whether the list has other names of its stem, and not the name. */
static bool is_left_over(const char *name, const cJSON *names)
{
	const size_t n = plot_stem(name);
	const cJSON *item;
	bool stem = false;

	cJSON_ArrayForEach(item, names) {
		const char *now = item->valuestring;

		if (!strcmp(now, name))
			return false;
		stem = stem || (plot_stem(now) == n && !strncmp(now, name, n));
	}
	return stem;
}

void plot_discard(const char *dir, const char *name, const char *format)
{
	static const char *const suffix[] = { ".gp", ".dat", ".csv", ".json", ".svg", ".png" };

	if (!plot_is_ours(dir, name))
		return;
	for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++)
		plot_remove(dir, name, suffix[i]);
	if (!strcmp(format, "pdf") || !strcmp(format, "tex"))
		plot_remove(dir, name, ".pdf");
	if (!strcmp(format, "tex"))
		plot_remove(dir, name, ".tex");
}

void plots_remove_others(const char *dir, const cJSON *names, const char *format)
{
	char **paths = dir_list(dir, ".gp");

	for (char **path = paths; path && *path; path++) {
		const char *base = path_base(*path);
		char *name = xasprintf("%.*s", (int)(strlen(base) - strlen(".gp")), base);

		if (is_left_over(name, names))
			plot_discard(dir, name, format);
		free(name);
	}
	path_list_free(paths);
}

/* ---- one plot ---- */

/* What its script draws: letters where gnuplot can draw nothing else. */
static const char *const pictures[] = { ".svg", ".png", ".txt" };
enum { LETTERS = 2, DRAWN = 3 };

/* Draws what the script draws, and lists it. What it does not draw it leaves alone. */
static void plot_draw(cJSON *paths, const char *name, const char *dir, bool *warned)
{
	char *script = xasprintf("./%s.gp", name), why[256];
	const int n = plot_exists(dir, name, ".txt") ? LETTERS : DRAWN;
	int rc;

	for (int i = 0; i < LETTERS; i++)
		plot_remove(dir, name, pictures[i]);
	rc = gnuplot_run(script, dir, NULL, why);
	if (rc > 0 && !*warned)
		warning("gnuplot was not found: scripts and data are in '%s'", dir);
	if (rc < 0 && !gnuplot_stopped())
		warning("plot '%s' was not drawn: %s", name, why);
	*warned |= rc > 0;
	for (int i = 0; i < n; i++)
		if (rc)
			plot_remove(dir, name, pictures[i]);
		else if (plot_exists(dir, name, pictures[i]))
			add_path(paths, xasprintf("%s/%s%s", dir, name, pictures[i]));
	free(script);
}

/* What is wrong with the drawing: 0, or error(). */
static int plot_judge(const char *name, int rc, const char *why)
{
	if (rc > 0)
		return error("gnuplot was not found: install it to draw plots");
	return rc < 0 ? error("plot '%s' was not drawn: %s", name, why) : 0;
}

/* NAME.pdf, by a script of its own. 0 or error(). */
static int plot_draw_pdf(cJSON *paths, const struct plot_parts *p, const char *dir)
{
	FILE *script = tmpfile();
	char path[64], why[256];
	int rc;

	if (!script)
		return error("no temporary file can be made");
	p->script(p->ctx, true, script);
	fflush(script);
	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(script));
	rc = plot_judge(p->name, gnuplot_run(path, dir, NULL, why), why);
	fclose(script);
	if (rc)
		plot_remove(dir, p->name, ".pdf");
	return rc ? rc : add_path(paths, xasprintf("%s/%s.pdf", dir, p->name));
}

static void put_script(const void *ctx, FILE *out)
{
	const struct plot_parts *p = ctx;

	p->script(p->ctx, false, out);
}

static int write_parts(cJSON *paths, const struct plot_parts *p, const char *dir,
		       const char *format, bool *warned)
{
	const struct plot_parts script = { .name = p->name, .ctx = p };
	const bool tex = !strcmp(format, "tex");

	if (add_path(paths, write_part(&script, dir, ".gp", put_script)) < 0 ||
	    add_path(paths, write_part(p, dir, ".dat", p->data)) < 0 ||
	    (p->csv && add_path(paths, write_part(p, dir, ".csv", p->csv)) < 0) ||
	    (p->json && add_path(paths, write_part(p, dir, ".json", p->json)) < 0))
		return -1;
	plot_draw(paths, p->name, dir, warned);
	if ((tex || !strcmp(format, "pdf")) && plot_draw_pdf(paths, p, dir) < 0)
		return -1;
	return tex ? add_path(paths, write_part(p, dir, ".tex", p->tex)) : 0;
}

cJSON *plot_write(const struct plot_parts *p, const char *dir, const char *format)
{
	cJSON *paths = cJSON_CreateArray();
	bool warned = false;

	if (!dir_make(dir) && !write_parts(paths, p, dir, format, &warned))
		return paths;
	cJSON_Delete(paths);
	return NULL;
}

static void put_figure(const void *figure, bool pdf, FILE *out)
{
	if (pdf)
		figure_script_pdf(figure, out);
	else
		figure_script(figure, out);
}

static void put_data(const void *figure, FILE *out)
{
	figure_data(figure, out);
}

static void put_csv(const void *figure, FILE *out)
{
	figure_csv(figure, out);
}

static void put_json(const void *figure, FILE *out)
{
	figure_save(figure, out);
}

static void put_tex(const void *figure, FILE *out)
{
	figure_tex(figure, out);
}

static struct plot_parts parts_of(const struct figure *f)
{
	return (struct plot_parts){ .name = f->name, .ctx = f, .script = put_figure,
				    .data = put_data, .csv = put_csv, .json = put_json,
				    .tex = put_tex };
}

cJSON *figure_write(const struct figure *f, const char *dir, const char *format)
{
	const struct plot_parts parts = parts_of(f);

	if (strcmp(format, "tex") == 0 && strpbrk(f->name, "\\{}%#$&^~\n")) {
		error("plot '%s': LaTeX does not take a file of this name. Choose one of letters, "
		      "digits, '-', '_' and '.'.", f->name);
		return NULL;
	}
	return plot_write(&parts, dir, format);
}

/* ---- all plots of a spec ---- */

cJSON *plots_write(const cJSON *spec, const cJSON *runs, const char *dir, const char *format)
{
	cJSON *paths = cJSON_CreateArray();
	const cJSON *entry;
	bool warned = false;
	int rc = dir_make(dir);

	cJSON_ArrayForEach(entry, json_get(spec, "plots")) {
		struct figure f;

		if (rc || gnuplot_stopped())
			break;
		if (figure_build(&f, entry, spec, runs)) {
			const struct plot_parts parts = parts_of(&f);

			rc = write_parts(paths, &parts, dir, format, &warned);
		} else {
			warning("plot '%s' has nothing to draw yet", f.name);
		}
		figure_release(&f);
	}
	if (!rc)
		return paths;
	cJSON_Delete(paths);
	return NULL;
}

/* ---- on a terminal ---- */

/* As wide as $COLUMNS says. */
static struct plot_screen screen_of(FILE *out)
{
	const int columns = env_count("COLUMNS", 10000);
	const int width = columns <= 0 ? 80 : columns < 40 ? 40 : columns > 250 ? 250 : columns;

	return (struct plot_screen){
		.width = width, .height = width >= 72 ? 24 : 20,
		.colour = terminal_colour(out),
	};
}

/* Without the form feeds that gnuplot begins a picture with: some terminals clear the screen. */
static void copy_picture(FILE *from, FILE *to)
{
	int c;

	rewind(from);
	while ((c = getc(from)) != EOF)
		if (c != '\f')
			putc(c, to);
}

/* Runs the script in a file of its own, its output in another. */
static int draw_term(const struct figure *f, FILE *script, FILE *picture, FILE *out)
{
	const struct plot_screen screen = screen_of(out);
	char path[64], why[256];
	int rc;

	figure_script_term(f, &screen, script);
	fflush(script);
	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(script));
	rc = gnuplot_run(path, NULL, picture, why);
	if (plot_judge(f->name, rc, why) < 0)
		return -1;
	copy_picture(picture, out);
	return 0;
}

static int term_figure(const struct figure *f, FILE *out)
{
	FILE *script = tmpfile(), *picture = tmpfile();
	int rc = script && picture ? draw_term(f, script, picture, out) :
				     error("no temporary file can be made");

	if (script)
		fclose(script);
	if (picture)
		fclose(picture);
	return rc;
}

static int term_entry(const cJSON *entry, const cJSON *spec, const cJSON *runs, FILE *out)
{
	struct figure f;
	int rc = figure_build(&f, entry, spec, runs) ?
			 term_figure(&f, out) :
			 error("plot '%s' has nothing to draw yet", f.name);

	figure_release(&f);
	return rc;
}

/* error() for a plot that the spec does not have. */
static int no_such_plot(const cJSON *spec, const char *name)
{
	const cJSON *plots = json_get(spec, "plots"), *entry;
	const char **names = xcalloc((size_t)cJSON_GetArraySize(plots) + 1, sizeof(*names));
	char *advice;
	size_t n = 0;

	cJSON_ArrayForEach(entry, plots)
		names[n++] = json_string(entry, "name");
	advice = word_advice(name, names);
	error("no plot '%s'%s", name, n ? advice : ": the experiment has none");
	free(advice);
	free(names);
	return -1;
}

int plots_term(const cJSON *spec, const cJSON *runs, const char *name, FILE *out)
{
	const cJSON *entry;
	bool drawn = false;

	cJSON_ArrayForEach(entry, json_get(spec, "plots")) {
		if (name && strcmp(name, json_string(entry, "name")) != 0)
			continue;
		if (term_entry(entry, spec, runs, out) < 0)
			return -1;
		drawn = true;
	}
	return drawn || !name ? 0 : no_such_plot(spec, name);
}
