/* A table as aligned text, Markdown, CSV (a line for each cell), JSON or LaTeX. */
#include "report/table/table.h"

#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "core/text/wrap.h"
#include "report/text/escape.h"
#include "report/text/grid.h"
#include "report/text/width.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const table_format_name[] = { "text", "md", "csv", "json", "latex", "tex",
					  NULL };

/* ---- numbers and cells ---- */

/* Decimals with which the shortest notation of x is printed: 11.51 -> 2. */
static int decimals_of(double x)
{
	char text[64];
	const char *dot;

	snprintf(text, sizeof(text), "%.15g", x);
	dot = strchr(text, '.');
	return dot && !strchr(text, 'e') ? (int)strlen(dot + 1) : 0;
}

/* Decimals that show `digits` significant ones. */
static int decimals_for(double x, int digits)
{
	int magnitude = isfinite(x) && fabs(x) > 0 ? (int)floor(log10(fabs(x))) : 0;
	int decimals = digits - 1 - magnitude;

	return decimals > 0 ? decimals : 0;
}

/* Decimals with which a number stands next to `like`, or alone. */
static int decimals_like(double x, double like)
{
	const int least = decimals_for(x, isfinite(like) ? 3 : 4);

	return isfinite(like) && decimals_of(like) > least ? decimals_of(like) : least;
}

void number_format(double x, double like, char out[64])
{
	if (fabs(x) >= 1e7 || (fabs(x) < 1e-4 && fabs(x) > 0))
		snprintf(out, 64, "%.3e", x);
	else if (fabs(x - rint(x)) <= 0 && !isfinite(like))
		snprintf(out, 64, "%.0f", x);
	else
		snprintf(out, 64, "%.*f", decimals_like(x, like), x);
}

/* Both have the decimals of the deviation, but no fewer than a published number. */
static void spread_text(double x, double dev, double like, struct cell_text *w)
{
	int decimals = decimals_for(dev, 2);

	if (decimals > 12 || fabs(x) >= 1e7) {
		number_format(x, like, w->number);
		snprintf(w->spread, sizeof(w->spread), "± %.2g", dev);
		return;
	}
	if (isfinite(like) && decimals_like(x, like) > decimals)
		decimals = decimals_like(x, like);
	snprintf(w->number, sizeof(w->number), "%.*f", decimals, x);
	snprintf(w->spread, sizeof(w->spread), "± %.*f", decimals, dev);
}

void measured_text(double x, double dev, double like, struct cell_text *w)
{
	w->spread[0] = '\0';
	if (!isfinite(x)) {
		strcpy(w->number, isnan(x) ? "-" : "∞");
	} else if (isfinite(dev) && dev > 0) {
		spread_text(x, dev, like, w);
	} else {
		number_format(x, like, w->number);
		if (isfinite(dev))
			strcpy(w->spread, "± 0");
	}
}

const char *table_printed_as(bool calculated)
{
	return calculated ? "calculated" : "paper";
}

char *lost_text(const struct table_cell *c)
{
	char *both = xstrdup("");

	if (c->runs > 1 && c->reached > 0 && c->reached < c->n)
		xappendf(&both, "", "%d of %d runs reached it", c->reached, c->runs);
	else if (c->n + c->diverged < c->runs && c->n)
		xappendf(&both, "", "%d of %d runs", c->n, c->runs);
	if (c->diverged && c->runs > 1)
		xappendf(&both, ", ", "%d of %d diverged", c->diverged, c->runs);
	else if (c->diverged)
		xappend(&both, ", ", "diverged");
	if (c->counted && !*both)
		xappendf(&both, "", "%d seed%s", c->runs, word_plural(c->runs));
	return both;
}

/* ", +0.1 %", of a share ", +1.4 points". */
static char *difference_text(const struct table_cell *c)
{
	const double off = 100 * (c->share ? c->mean - c->published.number : c->relative_error);
	const char *unit = c->share ? "points" : "%";

	return fabs(off) < 0.05 ? xasprintf(", 0.0 %s", unit) :
				  xasprintf(", %+.1f %s", off, unit);
}

/* "(paper 1.22, +0.1 %; 2 of 3 runs)": the number of the paper, and what the mean lacks. */
static char *published_text(const struct table_cell *c)
{
	char *lost = lost_text(c), *verdict = xstrdup(""), *text;

	if (isfinite(c->relative_error))
		xappend_own(&verdict, "", difference_text(c));
	else if (c->holds >= 0)
		xappend(&verdict, "", c->holds ? ", holds" : ", does not hold");
	if (c->published.text)
		text = xasprintf("(%s %s%s%s%s)", table_printed_as(c->calculated),
				 c->published.text, verdict, *lost ? "; " : "", lost);
	else
		text = *lost ? xasprintf("(%s)", lost) : xstrdup("");
	free_all(lost, verdict);
	return text;
}

struct cell_text cell_text_of(const struct table_cell *c)
{
	struct cell_text w = { .published = published_text(c) };

	measured_text(c->mean, c->deviation, c->published.number, &w);
	return w;
}

void cell_text_release(struct cell_text *w)
{
	free(w->published);
}

/* ---- blocks ---- */

bool table_block(const struct table *t, size_t i, struct block *b)
{
	*b = (struct block){ .table = t, .label = "" };
	if (!*t->columns_by)
		return i == 0;
	if (i >= t->nheads || strcmp(t->head[i].value, t->head[0].value) != 0)
		return false;
	b->measure = t->head[i].measure;
	b->label = t->head[i].label;
	return true;
}

bool block_shows(const struct block *b, size_t column)
{
	return !b->measure || !strcmp(b->table->head[column].measure, b->measure);
}

const char *block_words(const struct block *b, size_t column)
{
	const struct table_head *h = &b->table->head[column];

	return b->measure ? h->group : h->label;
}

/* ---- text and Markdown ---- */

struct widths {                 /* of a column's parts */
	int number, spread;
};

static int wider(int width, const char *s)
{
	const int own = text_width(s);

	return own > width ? own : width;
}

static struct widths column_widths(const struct table *t, size_t column)
{
	struct widths w = { 0 };

	for (size_t i = 0; i < t->nrows; i++) {
		scoped_by(cell_text_release) struct cell_text c =
			cell_text_of(&t->row[i].cell[column]);

		w.number = wider(w.number, c.number);
		w.spread = wider(w.spread, c.spread);
	}
	return w;
}

/* The parts of a cell, with those of the same column under each other. The caller frees. */
static char *cell_joined(const struct table_cell *cell, struct widths w)
{
	scoped_by(cell_text_release) struct cell_text t = cell_text_of(cell);
	const bool spread = *t.spread || (w.spread && *t.published);
	char *text = xasprintf("%*s%s%s%s", wider(w.number, t.number) - text_width(t.number), "",
			       t.number, spread ? " " : "", t.spread);

	if (*t.published)
		xappendf(&text, "", "%*s %s", wider(w.spread, t.spread) - text_width(t.spread), "",
			 t.published);
	return text;
}

/* A block as rows of texts. `aligned`: the parts of cells, too. */
static struct text_grid *block_grid(const struct block *b, bool aligned)
{
	const struct table *t = b->table;
	struct text_grid *g = grid_new();
	scoped char **cell = xcalloc(t->nheads + 1, sizeof(*cell));
	scoped struct widths *w = xcalloc(t->nheads + 1, sizeof(*w));

	g->numbers = true;
	for (size_t k = 0; k < t->nheads && aligned; k++)
		w[k] = column_widths(t, k);
	for (size_t i = 0; i <= t->nrows; i++) {
		size_t n = 0;

		cell[n++] = xstrdup(i ? t->row[i - 1].label : t->corner);
		for (size_t k = 0; k < t->nheads; k++)
			if (block_shows(b, k))
				cell[n++] = i ? cell_joined(&t->row[i - 1].cell[k], w[k])
					      : xstrdup(block_words(b, k));
		grid_row_own(g, cell, n);
	}
	return g;
}

static void put_markdown(const char *before, const char *text, const char *after, FILE *out)
{
	fputs(before, out);
	escape_markdown(text, out);
	fputs(after, out);
}

static void put_note(const char *what, const char *text, bool markdown, FILE *out)
{
	enum { WIDEST = 96 };
	const int columns = text_columns(out, WIDEST);
	scoped char *line = xasprintf("%s: %s", what, text);

	if (markdown)
		put_markdown("- ", line, "\n", out);
	else
		wrap_print(line, 0, 6, columns < WIDEST ? columns : WIDEST, out);
}

static void print_text(const struct table *t, bool markdown, FILE *out)
{
	const char *source = t->source ? t->source : "";
	struct text_grid *g;
	struct block b;

	if (markdown)
		put_markdown("### ", t->title, "\n\n", out);
	else
		fprintf(out, "%s\n\n", t->title);
	if (!t->nrows)
		fputs("(no runs)\n", out);
	for (size_t i = 0; t->nrows && table_block(t, i, &b); i++) {
		fputs(*b.label && i ? "\n" : "", out);
		if (*b.label && markdown)
			put_markdown("**", b.label, "**\n\n", out);
		else if (*b.label)
			fprintf(out, "%s\n", b.label);
		g = block_grid(&b, !markdown);
		grid_print(g, markdown ? TABLE_MARKDOWN : TABLE_TEXT, out);
		grid_free(g);
	}
	if (*source || t->notes)
		putc('\n', out);
	if (*source)
		put_note(table_printed_as(t->calculated), source, markdown, out);
	for (char **note = t->notes; note && *note; note++)
		put_note("note", *note, markdown, out);
}

/* ---- LaTeX ---- */

/* Characters of a line in an article of 10 pt; of a line over a column of a wider table. */
enum { ARTICLE_LINE = 60, HEAD_LETTERS = 14 };

/*
 * The first published number of a column, which then stand in a column of their own; NULL: there is
 * none.
 */
static const struct table_cell *column_published(const struct table *t, size_t column)
{
	for (size_t i = 0; i < t->nrows; i++)
		if (t->row[i].cell[column].published.text)
			return &t->row[i].cell[column];
	return NULL;
}

/*
 * A measured cell as plain text: a deviation of nothing but zeros is left out, as of runs that are
 * all equal. The caller frees.
 */
static char *latex_measured(const struct table_cell *cell)
{
	char *lost = lost_text(cell), *text;
	struct cell_text t;
	bool spread;

	measured_text(cell->mean, cell->deviation, cell->published.number, &t);
	spread = strpbrk(t.spread, "123456789") != NULL;
	text = xasprintf("%s%s%s%s%s%s", t.number, spread ? " " : "", spread ? t.spread : "",
			 *lost ? " (" : "", lost, *lost ? ")" : "");
	free(lost);
	return text;
}

/*
 * A cell of numbers: a hyphen before a digit is a minus sign, alone it stands for no number;
 * 1.5e-06 becomes a power of ten.
 */
static void put_latex_number(const char *text, FILE *out)
{
	const bool minus = text[0] == '-' && isdigit((unsigned char)text[1]);
	const char *from = text + (text[0] == '-');
	const size_t n = strspn(from, ".0123456789");

	if (text[0] == '-')
		fputs(minus ? "$-$" : "--", out);
	if (n && from[n] == 'e' && strchr("+-", from[n + 1])) {
		char *rest;
		const long power = strtol(from + n + 1, &rest, 10);

		fprintf(out, "$%.*s\\times10^{%ld}$", (int)n, from, power);
		from = rest;
	}
	escape_latex(from, out);
}

static const char *latex_published(const struct table_cell *cell)
{
	return cell->published.text ? cell->published.text : "";
}

static void put_latex_row(const struct block *b, const struct table_row *row, FILE *out)
{
	escape_latex(row->label, out);
	for (size_t k = 0; k < b->table->nheads; k++) {
		char *text;

		if (!block_shows(b, k))
			continue;
		text = latex_measured(&row->cell[k]);
		fputs(" & ", out);
		put_latex_number(text, out);
		free(text);
		if (column_published(b->table, k)) {
			fputs(" & ", out);
			put_latex_number(latex_published(&row->cell[k]), out);
		}
	}
	fputs(" \\\\\n", out);
}

/* The words over a column, in lines of so many letters; 0: in one. */
static void put_latex_words(const char *words, int letters, FILE *out)
{
	char *lines = letters ? text_wrap(words, letters) : xstrdup(words), *rest;
	const bool several = strchr(lines, '\n') != NULL;

	fputs(several ? "\\shortstack[r]{" : "", out);
	for (char *line = strtok_r(lines, "\n", &rest), *next; line; line = next) {
		next = strtok_r(NULL, "\n", &rest);
		escape_latex(line, out);
		fputs(next ? "\\\\" : "", out);
	}
	fputs(several ? "}" : "", out);
	free(lines);
}

/* The words over the columns; two that belong together have a rule over them. */
static void put_latex_heads(const struct block *b, int letters, FILE *out)
{
	const struct table *t = b->table;
	bool published = false;
	int column = 2;

	escape_latex(t->corner, out);
	for (size_t k = 0; k < t->nheads; k++) {
		if (!block_shows(b, k))
			continue;
		fputs(" & ", out);
		published |= column_published(t, k) != NULL;
		if (column_published(t, k))
			fputs("\\multicolumn{2}{c}{", out);
		put_latex_words(block_words(b, k), letters, out);
		if (column_published(t, k))
			putc('}', out);
	}
	fputs(" \\\\\n", out);
	if (!published)
		return;
	for (size_t k = 0; k < t->nheads; k++) {
		if (!block_shows(b, k))
			continue;
		if (column_published(t, k))
			fprintf(out, "\\cmidrule(lr){%d-%d}", column, column + 1);
		column += column_published(t, k) ? 2 : 1;
	}
	putc('\n', out);
	for (size_t k = 0; k < t->nheads; k++) {
		const struct table_cell *printed = column_published(t, k);

		if (block_shows(b, k) && printed)
			fprintf(out, " & measured & %s", table_printed_as(printed->calculated));
		else if (block_shows(b, k))
			fputs(" &", out);
	}
	fputs(" \\\\\n", out);
}

/*
 * Characters of a measured column and of the published one next to it, with words over them in
 * lines of so many letters; 0: in one.
 */
static int latex_column_width(const struct block *b, size_t column, int letters)
{
	const int words = text_width(block_words(b, column));
	const bool printed = column_published(b->table, column);
	int measured = printed ? text_width("measured") : 0;
	int published = printed ? text_width("paper") : 0, all;

	for (size_t i = 0; i < b->table->nrows; i++) {
		const struct table_cell *cell = &b->table->row[i].cell[column];
		scoped char *text = latex_measured(cell);

		measured = wider(measured, text);
		published = wider(published, latex_published(cell));
	}
	all = measured + (printed ? LATEX_GAP + published : 0);
	if (letters && words > letters)
		return letters > all ? letters : all;
	return words > all ? words : all;
}

/* Characters of a line, about: a wide table is shrunk to the width of the text. */
static int latex_width(const struct block *b, int letters)
{
	const struct table *t = b->table;
	int all = text_width(t->corner);

	for (size_t i = 0; i < t->nrows; i++)
		all = wider(all, t->row[i].label);
	for (size_t k = 0; k < t->nheads; k++)
		if (block_shows(b, k))
			all += LATEX_GAP + latex_column_width(b, k, letters);
	return all;
}

static void put_latex_block(const struct block *b, FILE *out)
{
	char *columns = xstrdup("l");
	const int letters = latex_width(b, 0) > ARTICLE_LINE ? HEAD_LETTERS : 0;
	const bool wide = latex_width(b, letters) > ARTICLE_LINE;

	if (*b->label) {
		escape_latex(b->label, out);
		fputs("\\\\[0.5ex]\n", out);
	}
	for (size_t k = 0; k < b->table->nheads; k++)
		if (block_shows(b, k))
			xappend(&columns, "", column_published(b->table, k) ? "rr" : "r");
	tabular_open(columns, wide, out);
	free(columns);
	put_latex_heads(b, letters, out);
	fputs("\\midrule\n", out);
	for (size_t i = 0; i < b->table->nrows; i++)
		put_latex_row(b, &b->table->row[i], out);
	tabular_close(wide, out);
}

static void put_latex_note(const char *what, const char *text, FILE *out)
{
	fprintf(out, "%s: ", what);
	escape_latex(text, out);
	fputs("\\par\n", out);
}

static void print_latex(const struct table *t, FILE *out)
{
	struct block b;

	fputs(LATEX_NEEDS "\\begin{table}[htbp]\n\\centering\n\\caption{", out);
	escape_latex(t->title, out);
	fputs("}\n\\label{", out);
	escape_latex_label("tab:", t->name, out);
	fputs("}\n", out);
	for (size_t i = 0; table_block(t, i, &b); i++) {
		if (i)
			fputs("\n\\medskip\n", out);
		put_latex_block(&b, out);
	}
	if ((t->source && *t->source) || (t->notes && *t->notes))
		fputs("\n\\medskip\n{\\footnotesize\\raggedright\n", out);
	if (t->source && *t->source)
		put_latex_note(t->calculated ? "Calculated" : "Paper", t->source, out);
	for (char **note = t->notes; note && *note; note++)
		put_latex_note("Note", *note, out);
	if ((t->source && *t->source) || (t->notes && *t->notes))
		fputs("}\n", out);
	fputs("\\end{table}\n", out);
}

/* ---- CSV ---- */

static void print_csv(const struct table *t, FILE *out)
{
	const int rows = csv_count(t->rows_by), columns = csv_count(t->columns_by);

	csv_joined(t->rows_by, rows, out);
	if (*t->columns_by) {
		putc(',', out);
		csv_joined(t->columns_by, columns, out);
	}
	fputs(",measure,measured,deviation,n,published,relative_error,holds,diverged\n", out);
	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->nheads; k++) {
			const struct table_cell *c = &t->row[i].cell[k];

			csv_joined(t->row[i].value, rows, out);
			if (*t->columns_by) {
				putc(',', out);
				csv_joined(t->head[k].value, columns, out);
			}
			csv_text(t->head[k].measure, out);
			csv_number(c->mean, out);
			csv_number(c->deviation, out);
			csv_number(c->n, out);
			if (c->published.kind == PUBLISHED_NUMBER)
				csv_number(c->published.number, out);
			else
				csv_text(c->published.text, out);
			csv_number(c->relative_error, out);
			csv_text(c->holds < 0 ? "" : c->holds ? "true" : "false", out);
			csv_number(c->diverged ? c->diverged : (double)NAN, out);
			putc('\n', out);
		}
}

/* ---- any format ---- */

void table_print(const struct table *t, enum table_format format, FILE *out)
{
	cJSON *json;

	switch (format) {
	case TABLE_TEXT:
	case TABLE_MARKDOWN:
		print_text(t, format == TABLE_MARKDOWN, out);
		break;
	case TABLE_LATEX:
	case TABLE_TEX:
		print_latex(t, out);
		break;
	case TABLE_CSV:
		print_csv(t, out);
		break;
	case TABLE_JSON:
		json = table_json(t);
		output_json(json, out);
		cJSON_Delete(json);
		break;
	}
}

static int write_table(const struct table *t, const char *dir, enum table_format format)
{
	static const char *const suffix[] = { "txt", "md", "csv", "json" };
	scoped char *path = xasprintf("%s/%s.%s", dir, t->name, suffix[format]), *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);
	int rc = -1;

	table_print(t, format, out);
	if (!fclose(out))
		rc = output_write(path, text, n);
	return rc;
}

int tables_write(const struct tables *tables, const char *dir)
{
	if (dir_make(dir) < 0)
		return -1;
	for (size_t i = 0; i < tables->n; i++)
		for (int f = TABLE_TEXT; f <= TABLE_JSON; f++)
			if (write_table(&tables->v[i], dir, (enum table_format)f) < 0)
				return -1;
	return 0;
}
