/* The plots of a spec: script, data and pictures, or letters on a terminal. */
#include "report/plot/plot.h"

#include "core/base/env.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/terminal.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "report/report.h"
#include "report/text/output.h"

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

static const char *const picture_suffix[] = { ".svg", ".png", ".txt", ".pdf", ".tex" };
enum { PICTURES = sizeof(picture_suffix) / sizeof(picture_suffix[0]) };

static char *picture_path(const char *name, const char *dir, int i)
{
	return xasprintf("%s/%s%s", dir, name, picture_suffix[i]);
}

static void remove_pictures(const char *name, const char *dir)
{
	for (int i = 0; i < PICTURES; i++) {
		char *path = picture_path(name, dir, i);

		unlink(path);
		free(path);
	}
}

/* Lists the pictures that are there. */
static void add_pictures(cJSON *paths, const char *name, const char *dir)
{
	for (int i = 0; i < PICTURES; i++) {
		char *path = picture_path(name, dir, i);

		if (!access(path, R_OK))
			cJSON_AddItemToArray(paths, cJSON_CreateString(path));
		free(path);
	}
}

static void plot_draw(const char *name, const char *dir, bool *warned)
{
	char *script = xasprintf("./%s.gp", name), why[256];
	int rc;

	remove_pictures(name, dir);
	rc = gnuplot_run(script, dir, NULL, why);
	if (rc > 0 && !*warned)
		warning("gnuplot was not found: scripts and data are in '%s'", dir);
	if (rc < 0 && !gnuplot_stopped())
		warning("plot '%s' was not drawn: %s", name, why);
	*warned |= rc > 0;
	if (rc)
		remove_pictures(name, dir);
	free(script);
}

static int write_parts(cJSON *paths, const struct plot_parts *p, const char *dir, bool *warned)
{
	if (add_path(paths, write_part(p, dir, ".gp", p->script)) < 0 ||
	    add_path(paths, write_part(p, dir, ".dat", p->data)) < 0 ||
	    (p->csv && add_path(paths, write_part(p, dir, ".csv", p->csv)) < 0) ||
	    (p->json && add_path(paths, write_part(p, dir, ".json", p->json)) < 0))
		return -1;
	plot_draw(p->name, dir, warned);
	add_pictures(paths, p->name, dir);
	return 0;
}

cJSON *plot_write(const struct plot_parts *p, const char *dir)
{
	cJSON *paths = cJSON_CreateArray();
	bool warned = false;

	if (!dir_make(dir) && !write_parts(paths, p, dir, &warned))
		return paths;
	cJSON_Delete(paths);
	return NULL;
}

static void put_script(const void *figure, FILE *out)
{
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

static struct plot_parts parts_of(const struct figure *f)
{
	return (struct plot_parts){ .name = f->name, .ctx = f, .script = put_script,
				    .data = put_data, .csv = put_csv, .json = put_json };
}

cJSON *figure_write(const struct figure *f, const char *dir)
{
	const struct plot_parts parts = parts_of(f);

	return plot_write(&parts, dir);
}

static int write_figure(cJSON *paths, const struct figure *f, const char *dir, bool *warned)
{
	const struct plot_parts parts = parts_of(f);

	return write_parts(paths, &parts, dir, warned);
}

/* ---- for print ---- */

/* What is wrong with the drawing: 0, or error(). */
static int plot_judge(const char *name, int rc, const char *why)
{
	if (rc > 0)
		return error("gnuplot was not found: install it to draw plots");
	return rc < 0 ? error("plot '%s' was not drawn: %s", name, why) : 0;
}

static int pdf_figure(cJSON *paths, const struct figure *f, const char *dir, bool *warned)
{
	FILE *script = tmpfile();
	char path[64], why[256];
	int rc;

	(void)warned;
	if (!script)
		return error("no temporary file can be made");
	figure_script_pdf(f, script);
	fflush(script);
	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(script));
	rc = plot_judge(f->name, gnuplot_run(path, dir, NULL, why), why);
	fclose(script);
	return rc ? rc : add_path(paths, xasprintf("%s/%s.pdf", dir, f->name));
}

static void put_tex(const void *figure, FILE *out)
{
	figure_tex(figure, out);
}

static int tex_figure(cJSON *paths, const struct figure *f, const char *dir, bool *warned)
{
	const struct plot_parts parts = parts_of(f);
	const int rc = pdf_figure(paths, f, dir, warned);

	return rc ? rc : add_path(paths, write_part(&parts, dir, ".tex", put_tex));
}

cJSON *figure_write_as(const struct figure *f, const char *dir, const char *format)
{
	cJSON *paths = figure_write(f, dir);
	bool warned = false;
	int rc = 0;

	if (paths && !strcmp(format, "pdf"))
		rc = pdf_figure(paths, f, dir, &warned);
	else if (paths && !strcmp(format, "tex"))
		rc = tex_figure(paths, f, dir, &warned);
	if (!rc)
		return paths;
	cJSON_Delete(paths);
	return NULL;
}

/* ---- all plots of a spec ---- */

typedef int figure_drawer(cJSON *paths, const struct figure *f, const char *dir, bool *warned);

static cJSON *draw_all(figure_drawer *drawer, const cJSON *spec, const cJSON *runs,
		       const char *dir)
{
	cJSON *paths = cJSON_CreateArray();
	const cJSON *entry;
	bool warned = false;
	int rc = dir_make(dir);

	cJSON_ArrayForEach(entry, json_get(spec, "plots")) {
		struct figure f;

		if (gnuplot_stopped())
			break;
		if (!rc && figure_build(&f, entry, spec, runs))
			rc = drawer(paths, &f, dir, &warned);
		else if (!rc)
			warning("plot '%s' has nothing to draw yet", f.name);
		else
			break;
		figure_release(&f);
	}
	if (!rc)
		return paths;
	cJSON_Delete(paths);
	return NULL;
}

cJSON *plots_write(const cJSON *spec, const cJSON *runs, const char *dir)
{
	return draw_all(write_figure, spec, runs, dir);
}

cJSON *plots_pdf(const cJSON *spec, const cJSON *runs, const char *dir)
{
	return draw_all(pdf_figure, spec, runs, dir);
}

cJSON *plots_tex(const cJSON *spec, const cJSON *runs, const char *dir)
{
	return draw_all(tex_figure, spec, runs, dir);
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
