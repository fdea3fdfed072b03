/* Prints rows of texts aligned, as CSV, Markdown, LaTeX or JSON. */
#include "report/text/grid.h"

#include "core/base/mem.h"
#include "core/file/output.h"
#include "report/text/escape.h"
#include "report/text/width.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

cJSON *grid_row(cJSON *rows, ...)
{
	cJSON *row = cJSON_CreateArray();
	const char *text;
	va_list ap;

	va_start(ap, rows);
	while ((text = va_arg(ap, const char *)))
		cJSON_AddItemToArray(row, cJSON_CreateString(text));
	va_end(ap);
	cJSON_AddItemToArray(rows, row);
	return row;
}

/* ---- text ---- */

static int *widths_of(const cJSON *rows)
{
	int *width = xcalloc((size_t)cJSON_GetArraySize(rows->child) + 1, sizeof(*width));
	const cJSON *row, *cell;

	cJSON_ArrayForEach(row, rows) {
		int i = 0;

		cJSON_ArrayForEach(cell, row) {
			int own = text_width(cell->valuestring);

			width[i] = own > width[i] ? own : width[i];
			i++;
		}
	}
	return width;
}

static void print_aligned(const cJSON *rows, FILE *out)
{
	int *width = widths_of(rows);
	const cJSON *row, *cell;

	cJSON_ArrayForEach(row, rows) {
		int i = 0;

		cJSON_ArrayForEach(cell, row) {
			text_pad(cell->valuestring, cell->next ? width[i] : 0, false, out);
			fputs(cell->next ? "   " : "\n", out);
			i++;
		}
	}
	free(width);
}

/* ---- what differs by a few strings ---- */

struct style {
	void (*escape)(const char *s, FILE *out);
	const char *before, *between, *after;           /* of a row's texts */
};

static void text_grid_print_row(const cJSON *row, const struct style *s, FILE *out)
{
	const cJSON *cell;

	fputs(s->before, out);
	cJSON_ArrayForEach(cell, row) {
		s->escape(cell->valuestring, out);
		fputs(cell->next ? s->between : s->after, out);
	}
}

static void print_rows(const cJSON *row, const struct style *s, FILE *out)
{
	for (; row; row = row->next)
		text_grid_print_row(row, s, out);
}

static void print_csv(const cJSON *rows, FILE *out)
{
	print_rows(rows->child, &(struct style){ escape_csv, "", ",", "\n" }, out);
}

static void print_markdown(const cJSON *rows, FILE *out)
{
	const struct style s = { escape_markdown, "| ", " | ", " |\n" };

	text_grid_print_row(rows->child, &s, out);
	for (int i = cJSON_GetArraySize(rows->child); i > 0; i--)
		fputs(i > 1 ? "|---" : "|---|\n", out);
	print_rows(rows->child->next, &s, out);
}

/* "1.5 ± 0.1", "-3", "∞ (...)", and "-", which stands for none. */
static bool is_number(const char *text)
{
	text += *text == '-';
	return !*text || isdigit((unsigned char)*text) || !strncmp(text, "∞", strlen("∞"));
}

/* Whether a column has some number, and nothing else, below its head. */
static bool has_numbers(const cJSON *rows, int column)
{
	bool some = false;

	for (const cJSON *row = rows->child->next; row; row = row->next) {
		const char *text = cJSON_GetArrayItem(row, column)->valuestring;

		if (!is_number(text))
			return false;
		some |= *text != '\0';
	}
	return some;
}

/* ---- LaTeX ---- */

/* Characters: of a line, of the gap between columns, of a text that is not broken. */
enum { LATEX_LINE = 90, LATEX_GAP = 2, LATEX_TEXT = 20 };

/* Texts of columns that stay positive in width[] are broken into lines; the others become <= 0. */
static char *latex_columns(const cJSON *rows, int *width)
{
	char *columns = xstrdup("");
	const int n = cJSON_GetArraySize(rows->child);
	double line = LATEX_LINE - LATEX_GAP * n, all = 0.0, parts = 0.0;

	for (int i = 0; i < n; i++)
		all += width[i];
	for (int i = 0; i < n; i++) {
		width[i] = all > LATEX_LINE && width[i] > LATEX_TEXT ? width[i] : -width[i];
		line += width[i] < 0 ? width[i] : 0.0;
		parts += width[i] > 0 ? sqrt(width[i]) : 0.0;
	}
	line = fmax(line / LATEX_LINE, 0.3);
	for (int i = 0; i < n; i++) {
		char *column = width[i] <= 0 ? xstrdup(has_numbers(rows, i) ? "r" : "l") :
				xasprintf("p{%.3f\\linewidth}", line * sqrt(width[i]) / parts);

		xappend(&columns, "", column);
		free(column);
	}
	return columns;
}

static void latex_put_row(const cJSON *row, const int *width, FILE *out)
{
	const cJSON *cell;

	cJSON_ArrayForEach(cell, row) {
		if (*width++ > 0)
			fputs("\\raggedright ", out);
		escape_latex(cell->valuestring, out);
		fputs(cell->next ? " & " : " \\tabularnewline\n", out);
	}
}

static void print_latex(const cJSON *rows, FILE *out)
{
	int *width = widths_of(rows);
	char *columns = latex_columns(rows, width);

	tabular_open(columns, out);
	latex_put_row(rows->child, width, out);
	fputs("\\hline\n", out);
	for (const cJSON *row = rows->child->next; row; row = row->next)
		latex_put_row(row, width, out);
	tabular_close(out);
	free(columns);
	free(width);
}

static cJSON *row_object(const cJSON *heads, const cJSON *row)
{
	cJSON *object = cJSON_CreateObject();
	const cJSON *head = heads->child, *cell;

	cJSON_ArrayForEach(cell, row) {
		cJSON_AddStringToObject(object, head->valuestring, cell->valuestring);
		head = head->next;
	}
	return object;
}

static void text_grid_print_json(const cJSON *rows, FILE *out)
{
	cJSON *list = cJSON_CreateArray();

	for (const cJSON *row = rows->child->next; row; row = row->next)
		cJSON_AddItemToArray(list, row_object(rows->child, row));
	output_json(list, out);
	cJSON_Delete(list);
}

void grid_print(const cJSON *rows, enum table_format format, FILE *out)
{
	static void (*const print[])(const cJSON *, FILE *) = {
		[TABLE_TEXT] = print_aligned, [TABLE_MARKDOWN] = print_markdown,
		[TABLE_CSV] = print_csv,      [TABLE_JSON] = text_grid_print_json,
		[TABLE_LATEX] = print_latex,  [TABLE_TEX] = print_latex,
	};

	print[format](rows, out);
}
