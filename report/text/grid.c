/* Prints rows of texts aligned, as CSV, Markdown, LaTeX or JSON. */
#include "report/text/grid.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "report/text/escape.h"
#include "report/text/width.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct text_grid *grid_new(void)
{
	return xcalloc(1, sizeof(struct text_grid));
}

void grid_free(struct text_grid *g)
{
	for (size_t i = 0; g && i < g->rows * g->columns; i++)
		free(g->cell[i]);
	if (g)
		free(g->cell);
	free(g);
}

void grid_scoped(struct text_grid **g)
{
	grid_free(*g);
}

void grid_row_own(struct text_grid *g, char *const *cell, size_t n)
{
	g->columns = n;
	g->cell = xrealloc(g->cell, (g->rows + 1) * n, sizeof(*g->cell));
	memcpy(g->cell + g->rows++ * n, cell, n * sizeof(*cell));
}

void grid_row(struct text_grid *g, ...)
{
	size_t n = g->rows * g->columns;
	const char *text;
	va_list ap;

	va_start(ap, g);
	while ((text = va_arg(ap, const char *)))
		APPEND(g->cell, n) = xstrdup(text);
	va_end(ap);
	g->columns = g->rows ? g->columns : n;
	g->rows++;
}

static const char *grid_cell(const struct text_grid *g, size_t row, size_t column)
{
	return g->cell[row * g->columns + column];
}

/* [columns], owned: those of the widest text in each. */
static int *grid_widths(const struct text_grid *g)
{
	int *width = xcalloc(g->columns + 1, sizeof(*width));

	for (size_t i = 0; i < g->rows * g->columns; i++) {
		const int own = text_width(g->cell[i]), at = (int)(i % g->columns);

		width[at] = own > width[at] ? own : width[at];
	}
	return width;
}

static void grid_print_aligned(const struct text_grid *g, FILE *out)
{
	scoped int *width = grid_widths(g);

	for (size_t i = 0; i < g->rows; i++)
		for (size_t k = 0; k < g->columns; k++) {
			const bool last = k + 1 == g->columns;

			text_pad(grid_cell(g, i, k), last ? 0 : width[k], out);
			fputs(last ? "\n" : "   ", out);
		}
}

static void grid_print_csv(const struct text_grid *g, FILE *out)
{
	for (size_t i = 0; i < g->rows * g->columns; i++) {
		escape_csv(g->cell[i], out);
		putc((i + 1) % g->columns ? ',' : '\n', out);
	}
}

static void grid_print_markdown(const struct text_grid *g, FILE *out)
{
	for (size_t i = 0; i < g->rows; i++) {
		fputs("| ", out);
		for (size_t k = 0; k < g->columns; k++) {
			escape_markdown(grid_cell(g, i, k), out);
			fputs(k + 1 < g->columns ? " | " : " |\n", out);
		}
		for (size_t k = 0; i == 0 && k < g->columns; k++)
			fputs(k && g->numbers ? "|---:" : "|---", out);
		fputs(i ? "" : "|\n", out);
	}
}

static void grid_print_json(const struct text_grid *g, FILE *out)
{
	scoped_json cJSON *list = cJSON_CreateArray();

	for (size_t i = 1; i < g->rows; i++) {
		cJSON *row = cJSON_CreateObject();

		for (size_t k = 0; k < g->columns; k++)
			ADD(row, j_text(grid_cell(g, 0, k), grid_cell(g, i, k)));
		list_add(list, row);
	}
	output_json(list, out);
}

/* ---- LaTeX ---- */

void tabular_open(const char *columns, bool wide, FILE *out)
{
	fprintf(out, "%s\\begin{tabular}{%s}\n\\toprule\n", wide ? "{\\def\\rows{" : "", columns);
}

void tabular_close(bool wide, FILE *out)
{
	static const char *const sizes[] = { "small", "footnotesize", "scriptsize", "tiny" };

	fputs("\\bottomrule\n\\end{tabular}", out);
	if (!wide) {
		putc('\n', out);
		return;
	}
	fputs("}\\setbox0\\hbox{\\rows}%\n", out);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		fprintf(out, "\\ifdim\\wd0>\\linewidth"
			"\\setbox0\\hbox{\\%s\\tabcolsep=.6\\tabcolsep\\rows}\\fi\n", sizes[i]);
	fputs("\\leavevmode\\box0 }\n", out);
}

/* Characters of a text that is not broken into lines. */
enum { LATEX_TEXT = 20 };

/*
 * A column has some number, and nothing else, below its head: "1.5 ± 0.1", "-3", "∞ (...)", and
 * "-", which stands for none.
 */
static bool has_numbers(const struct text_grid *g, size_t column)
{
	bool some = false;

	for (size_t i = 1; i < g->rows; i++) {
		const char *text = grid_cell(g, i, column), *number = text + (*text == '-');

		if (*number && !isdigit((unsigned char)*number) &&
		    strncmp(number, "∞", strlen("∞")) != 0)
			return false;
		some |= *text != '\0';
	}
	return some;
}

/* Texts of columns that stay positive in width[] are broken into lines; the others become <= 0. */
static char *latex_columns(const struct text_grid *g, int *width)
{
	char *columns = xstrdup("");
	double line = LATEX_LINE - LATEX_GAP * (double)g->columns;
	double all = 0.0, parts = 0.0;

	for (size_t i = 0; i < g->columns; i++)
		all += width[i];
	for (size_t i = 0; i < g->columns; i++) {
		width[i] = all > LATEX_LINE && width[i] > LATEX_TEXT ? width[i] : -width[i];
		line += width[i] < 0 ? width[i] : 0.0;
		parts += width[i] > 0 ? sqrt(width[i]) : 0.0;
	}
	line = fmax(line / LATEX_LINE, 0.3);
	for (size_t i = 0; i < g->columns; i++)
		xappend_own(&columns, "",
			    width[i] <= 0 ? xstrdup(has_numbers(g, i) ? "r" : "l") :
					    xasprintf("p{%.3f\\linewidth}",
						      line * sqrt(width[i]) / parts));
	return columns;
}

static void grid_print_latex(const struct text_grid *g, FILE *out)
{
	scoped int *width = grid_widths(g);
	scoped char *columns = latex_columns(g, width);

	fputs(LATEX_NEEDS, out);
	tabular_open(columns, true, out);
	for (size_t i = 0; i < g->rows; i++) {
		for (size_t k = 0; k < g->columns; k++) {
			if (width[k] > 0)
				fputs("\\raggedright ", out);
			escape_latex(grid_cell(g, i, k), out);
			fputs(k + 1 < g->columns ? " & " : " \\tabularnewline\n", out);
		}
		if (i == 0)
			fputs("\\midrule\n", out);
	}
	tabular_close(true, out);
}

void grid_print(const struct text_grid *g, enum table_format format, FILE *out)
{
	static void (*const print[])(const struct text_grid *, FILE *) = {
		[TABLE_TEXT] = grid_print_aligned, [TABLE_MARKDOWN] = grid_print_markdown,
		[TABLE_CSV] = grid_print_csv,      [TABLE_JSON] = grid_print_json,
		[TABLE_LATEX] = grid_print_latex,  [TABLE_TEX] = grid_print_latex,
	};

	print[format](g, out);
}
