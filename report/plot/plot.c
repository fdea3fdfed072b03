/* The plots of a spec: script, data and pictures, or letters on a terminal. */
#include "report/plot/plot.h"

#include "core/base/clock.h"
#include "core/base/env.h"
#include "core/base/error.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NO_GNUPLOT "gnuplot is not installed (Debian: apt install gnuplot-nox)"

/* ---- what is there already ---- */

static bool plot_exists(const char *dir, const char *name, const char *suffix)
{
	scoped char *path = xasprintf("%s/%s%s", dir, name, suffix);

	return access(path, F_OK) == 0;
}

/* Whether the file ends with the text, and a few bytes at most; *written <- when it was written. */
static bool file_ends_with(const char *path, const char *end, struct timespec *written)
{
	char last[24] = "";
	FILE *file = file_open(path);
	struct stat st;
	bool ends = false;
	size_t n;

	if (!file)
		return false;
	fseek(file, -(long)sizeof(last), SEEK_END);
	n = fread(last, 1, sizeof(last), file);
	for (size_t i = 0; i + strlen(end) <= n; i++)
		ends = ends || memcmp(last + i, end, strlen(end)) == 0;
	if (fstat(fileno(file), &st) == 0)
		*written = st.st_mtim;
	else
		ends = false;
	fclose(file);
	return ends;
}

/* Whether there are whole pictures, written after the script and the data. */
static bool plot_is_drawn(const char *dir, const char *name)
{
	static const struct {
		const char *suffix, *end;
	} picture[] = { { ".svg", "</svg>" }, { ".png", "IEND" } };
	static const char *const source[] = { ".gp", ".dat" };
	bool drawn = true;

	for (size_t i = 0; i < 4 && drawn; i++) {
		scoped char *path = xasprintf("%s/%s%s", dir, name, picture[i / 2].suffix);
		scoped char *from = xasprintf("%s/%s%s", dir, name, source[i % 2]);
		struct timespec written;
		struct stat st;

		drawn = file_ends_with(path, picture[i / 2].end, &written) && !stat(from, &st) &&
			time_is_later(written, st.st_mtim);
	}
	return drawn;
}

static void plot_remove(const char *dir, const char *name, const char *suffix)
{
	scoped char *path = xasprintf("%s/%s%s", dir, name, suffix);

	unlink(path);
}

bool plot_is_ours(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s.gp", dir, name), *head = NULL, line[1024];
	FILE *file = file_open(path), *out;
	size_t n = 0;
	bool ours = false;

	if (file && fgets(line, sizeof(line), file)) {
		out = xmemstream(&head, &n);
		gnuplot_head(name, out);
		xmemclose(out);
		ours = strncmp(line, head, strlen(line)) == 0;
	}
	if (file)
		fclose(file);
	free_all(head, path);
	return ours;
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
	if (!strcmp(format, "tex") || !strcmp(format, "tikz"))
		plot_remove(dir, name, !strcmp(format, "tex") ? ".tex" : ".tikz");
}

/* The stem is what is before a number at the end: "tuning" of "tuning-2". Its bytes. */
static size_t plot_stem(const char *name)
{
	const char *dash = strrchr(name, '-');
	const bool numbered = dash && dash[1] && !dash[1 + strspn(dash + 1, "0123456789")];

	return numbered ? (size_t)(dash - name) : strlen(name);
}

/* The list has other names of its stem, and not the name. */
static bool is_left_over(const char *name, const struct texts *names)
{
	const size_t n = plot_stem(name);
	bool stem = false;

	for (size_t i = 0; i < names->n; i++) {
		const char *now = names->v[i];

		if (!strcmp(now, name))
			return false;
		stem = stem || (plot_stem(now) == n && !strncmp(now, name, n));
	}
	return stem;
}

void plots_remove_others(const char *dir, const struct texts *names, const char *format)
{
	scoped_paths char **paths = dir_list(dir, ".gp");

	for (char **path = paths; path && *path; path++) {
		const char *base = path_base(*path);
		scoped char *name = xasprintf("%.*s", (int)(strlen(base) - strlen(".gp")), base);

		if (is_left_over(name, names))
			plot_discard(dir, name, format);
	}
}

/* ---- one plot ---- */

enum part { SCRIPT, PDF_SCRIPT, TIKZ_SCRIPT, DATA, CSV, JSON, TEX };

static void figure_put(const struct figure *f, enum part part, FILE *out)
{
	struct plot_form latex = f->form ? *f->form : (struct plot_form){ 0 };
	struct figure usual = *f, tikz = *f;

	latex.latex = true;
	usual.form = NULL;
	tikz.form = &latex;
	switch (part) {
	case SCRIPT:
		figure_script(&usual, PLOT_PICTURES, out);
		break;
	case PDF_SCRIPT:
		figure_script(f, PLOT_PDF, out);
		break;
	case TIKZ_SCRIPT:
		figure_script(&tikz, PLOT_TIKZ, out);
		break;
	case DATA:
		figure_data(f, out);
		break;
	case CSV:
		figure_csv(f, out);
		break;
	case JSON:
		figure_save(f, out);
		break;
	case TEX:
		figure_tex(f, out);
		break;
	}
}

/* Writes the script: what gnuplot draws on, and the picture. */
static void script_put(const struct plot_parts *p, enum plot_medium medium, FILE *out)
{
	const struct plot_file file = { .name = p->name, .medium = medium,
					.height = p->height ? p->height : PLOT_HEIGHT };
	scoped char *picture = NULL;
	size_t n = 0;
	FILE *to = xmemstream(&picture, &n);

	p->script(p->ctx, p->name, to);
	xmemclose(to);
	gnuplot_head(p->name, out);
	plot_terminals_begin(&file, out);
	fputs(picture, out);
	plot_terminals_end(&file, p->panels ? picture : "\treplot\n", out);
}

static void part_put(const struct plot_parts *p, enum part part, FILE *out)
{
	void (*const put)(const void *, FILE *) = part == DATA ? p->data : part == CSV ? p->csv :
						  p->json;

	if (p->figure)
		figure_put(p->figure, part, out);
	else if (part == SCRIPT || part == PDF_SCRIPT || part == TIKZ_SCRIPT)
		script_put(p, part == PDF_SCRIPT ? PLOT_PDF : PLOT_PICTURES, out);
	else
		put(p->ctx, out);
}

/* Adds DIR/NAMEsuffix to the paths. */
static void path_add(struct texts *paths, const char *dir, const char *name, const char *suffix)
{
	scoped char *path = xasprintf("%s/%s%s", dir, name, suffix);

	if (paths)
		texts_put(paths, path);
}

/* Whether the file at path holds these n bytes. */
static bool file_holds(const char *path, const char *text, size_t n)
{
	size_t size = 0;
	scoped char *own = file_is_regular(path) ? file_read(path, &size) : NULL;

	return own && size == n && memcmp(own, text, n) == 0;
}

/* Writes a file and sets *changed; does neither if it is there with this content. 0 or error(). */
static int part_write(struct texts *paths, const struct plot_parts *p, enum part part,
		      const char *dir, bool *changed)
{
	static const char *const suffix[] = { [SCRIPT] = ".gp", [DATA] = ".dat", [CSV] = ".csv",
					      [JSON] = ".json", [TEX] = ".tex" };
	scoped char *path = xasprintf("%s/%s%s", dir, p->name, suffix[part]), *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);
	int ret = 0;

	part_put(p, part, out);
	xmemclose(out);
	if (!file_holds(path, text, n)) {
		*changed = true;
		ret = output_write(path, text, n);
	}
	if (ret == 0)
		path_add(paths, dir, p->name, suffix[part]);
	return ret;
}

/* Makes the drawn SVG shorter and gives it its title, if it is there. 0, or -1 with the reason. */
static int svg_shorten(const char *dir, const struct plot_parts *p, char why[256])
{
	const char *title = p->figure && p->figure->title ? p->figure->title : p->name;
	char *path = xasprintf("%s/%s.svg", dir, p->name), *svg, *lean;
	int rc = 0;

	svg = access(path, F_OK) == 0 ? file_read(path, NULL) : NULL;
	if (svg) {
		lean = svg_lean(svg, title);
		rc = output_text(path, lean);
		free(lean);
	}
	if (rc)
		strcpy(why, "the picture was not written");
	free_all(svg, path);
	return rc;
}

/*
 * Draws what the script draws, unless that was done before, and lists it. What the script does not
 * draw is left alone. Returns what gnuplot_run() does.
 */
static int plot_draw(struct texts *paths, const struct plot_parts *p, const char *dir, bool changed,
		     char why[256])
{
	static const char *const pictures[] = { ".svg", ".png" };
	const char *name = p->name;
	scoped char *script = xasprintf("./%s.gp", name);
	const bool drawn = !changed && plot_is_drawn(dir, name);
	int rc = 0;

	for (int i = 0; i < 2 && !drawn; i++)
		plot_remove(dir, name, pictures[i]);
	if (!drawn)
		rc = gnuplot_run(script, dir, NULL, why);
	if (!drawn && rc == 0)
		rc = svg_shorten(dir, p, why);
	for (int i = 0; i < 2; i++)
		if (rc)
			plot_remove(dir, name, pictures[i]);
		else if (plot_exists(dir, name, pictures[i]))
			path_add(paths, dir, name, pictures[i]);
	return rc;
}

/* Runs a script in a file without a name, and closes it. 0 or error(). */
static int script_run(const char *name, FILE *script, const char *dir, FILE *picture)
{
	char path[64], why[256];
	int rc;

	fflush(script);
	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(script));
	rc = gnuplot_run(path, dir, picture, why);
	fclose(script);
	if (rc > 0)
		return error("plot '%s' is not drawn: " NO_GNUPLOT, name);
	return rc < 0 ? error("plot '%s' was not drawn: %s", name, why) : 0;
}

/* Draws the PDF or TikZ picture DIR/NAMEsuffix. 0 or error(), and there is no such file. */
static int print_picture_draw(const struct plot_parts *p, enum part part, const char *dir,
		       const char *suffix)
{
	FILE *script = tmpfile();

	if (!script)
		return error("no temporary file can be made");
	part_put(p, part, script);
	if (script_run(p->name, script, dir, NULL) == 0)
		return 0;
	plot_remove(dir, p->name, suffix);
	return -1;
}

/* Puts before a TikZ picture what it needs, and writes infinity so that LaTeX knows it. */
static int tikz_head_put(const char *name, const char *dir)
{
	static const char head[] =
		"% Needs \\usepackage{gnuplot-lua-tikz}, which comes with gnuplot, or is written\n"
		"% by gnuplot -e 'set terminal tikz createstyle'. Input it in a figure.\n";
	static const char sign[] = "∞";
	char *path = xasprintf("%s/%s.tikz", dir, name), *text = file_read(path, NULL);
	char *all = xstrdup(head), *rest = text, *found;
	int ret = text ? 0 : -1;

	for (; rest && (found = strstr(rest, sign)); rest = found + strlen(sign))
		xappendf(&all, "", "%.*s\\ensuremath{\\infty}", (int)(found - rest), rest);
	if (text) {
		xappend(&all, "", rest);
		ret = output_text(path, all);
	}
	free_all(all, text, path);
	return ret;
}

/* Writes script, data and numbers of a plot. *changed: script or data are not those of before. */
static int files_write(struct texts *paths, const struct plot_parts *p, const char *dir,
		       bool *changed)
{
	bool other = false;

	if (part_write(paths, p, SCRIPT, dir, changed) < 0 ||
	    part_write(paths, p, DATA, dir, changed) < 0 ||
	    ((p->figure || p->csv) && part_write(paths, p, CSV, dir, &other) < 0) ||
	    ((p->figure || p->json) && part_write(paths, p, JSON, dir, &other) < 0))
		return -1;
	return 0;
}

/* Draws the formats for print, and writes the LaTeX figure. */
static int print_format_write(struct texts *paths, const struct plot_parts *p, const char *dir,
			const char *format)
{
	const bool tex = !strcmp(format, "tex");
	bool other = false;

	if (tex || !strcmp(format, "pdf")) {
		if (print_picture_draw(p, PDF_SCRIPT, dir, ".pdf") < 0)
			return -1;
		path_add(paths, dir, p->name, ".pdf");
	} else if (!strcmp(format, "tikz")) {
		if (print_picture_draw(p, TIKZ_SCRIPT, dir, ".tikz") < 0 ||
		    tikz_head_put(p->name, dir) < 0)
			return -1;
		path_add(paths, dir, p->name, ".tikz");
	}
	return tex ? part_write(paths, p, TEX, dir, &other) : 0;
}

int plot_write(const struct plot_parts *p, const char *dir, const char *format,
	       struct texts *paths)
{
	bool changed = false;
	char why[256];
	int rc;

	if (dir_make(dir) < 0 || files_write(paths, p, dir, &changed) < 0)
		return -1;
	rc = plot_draw(paths, p, dir, changed, why);
	if (gnuplot_stopped())
		return 0;
	if (rc < 0)
		return error("plot '%s' was not drawn: %s", p->name, why);
	if (rc > 0)
		return error("plot '%s' is not drawn: " NO_GNUPLOT ". Script and data are in "
			     "%s/%s.gp and %s.dat", p->name, dir, p->name, p->name);
	return print_format_write(paths, p, dir, format);
}

int figure_write(const struct figure *f, const char *dir, const char *format, struct texts *paths)
{
	if ((strcmp(format, "tex") == 0 || strcmp(format, "tikz") == 0) &&
	    strpbrk(f->name, "\\{}%#$&^~\n"))
		return error("plot '%s': LaTeX does not take a file of this name. Choose one of "
			     "letters, digits, '-', '_' and '.'.", f->name);
	return plot_write(&(struct plot_parts){ .name = f->name, .figure = f }, dir, format, paths);
}

/* ---- all plots of a spec ---- */

int plots_write(const cJSON *spec, const struct results *runs, const char *name,
		const char *dir, const char *format, const struct plot_form *form,
		struct texts *paths)
{
	const cJSON *entry;
	bool warned = false;
	int rc = dir_make(dir);

	json_each(entry, spec, "plots") {
		bool changed = false;
		struct figure f;
		char why[256];
		int drawn;

		if (rc || gnuplot_stopped())
			break;
		if (name && strcmp(json_word(entry, "name"), name) != 0)
			continue;
		if (figure_build(&f, entry, spec, runs)) {
			const struct plot_parts parts = { .name = f.name, .figure = &f };

			f.form = form;
			rc = files_write(paths, &parts, dir, &changed);
			drawn = rc ? 0 : plot_draw(paths, &parts, dir, changed, why);
			if (drawn > 0 && !warned)
				warning(NO_GNUPLOT ": scripts and data are in '%s'", dir);
			if (drawn < 0 && !gnuplot_stopped())
				warning("plot '%s' was not drawn: %s", f.name, why);
			warned |= drawn > 0;
			rc = rc ? rc : print_format_write(paths, &parts, dir, format);
		} else {
			warning("plot '%s' has nothing to draw yet", f.name);
		}
		figure_release(&f);
	}
	return rc;
}

/* ---- on a terminal ---- */

/* As wide as $COLUMNS says. The script is in a file of its own, its output in another. */
static int figure_term(const struct figure *f, FILE *out)
{
	const int columns = env_count("COLUMNS", 10000);
	const int width = columns <= 0 ? 80 : columns < 40 ? 40 : columns > 250 ? 250 : columns;
	const struct plot_screen screen = { .width = width, .height = width >= 72 ? 24 : 20,
					    .colour = terminal_colour(out) };
	FILE *script = tmpfile(), *picture = tmpfile();
	int rc = -1, c;

	if (!script || !picture) {
		error("no temporary file can be made");
		if (script)
			fclose(script);
	} else {
		figure_script_term(f, &screen, script);
		rc = script_run(f->name, script, NULL, picture);
	}
	if (rc == 0) {
		/* gnuplot begins a picture with a form feed: some terminals clear the screen. */
		rewind(picture);
		while ((c = getc(picture)) != EOF)
			if (c != '\f')
				putc(c, out);
	}
	if (picture)
		fclose(picture);
	return rc;
}

int plots_term(const cJSON *spec, const struct results *runs, const char *name, FILE *out)
{
	const cJSON *entry;
	int drawn = 0;

	json_each(entry, spec, "plots") {
		struct figure f;
		int rc;

		if (drawn < 0 || (name && strcmp(name, json_word(entry, "name")) != 0))
			continue;
		rc = figure_build(&f, entry, spec, runs) ?
			     figure_term(&f, out) :
			     error("plot '%s' has nothing to draw yet", f.name);
		figure_release(&f);
		drawn = rc < 0 ? -1 : drawn + 1;
	}
	return drawn;
}
