/*
 * terminal.c - what gnuplot draws on: an SVG and, of the same shape, dots, letters or a PDF.
 *
 * The SVG's letters are large for its width, so that they can be read where a telephone shrinks
 * it to a half.
 */
#include "report/plot/plot.h"

enum { SVG, CAIRO, PNG, DUMB };

static void put_set(int terminal, int height, FILE *out)
{
	switch (terminal) {
	case SVG:
		fprintf(out, "svg size %d,%d font 'sans-serif,%d' background rgb 'white'\n",
			PLOT_WIDTH, height, PLOT_FONT);
		break;
	case CAIRO:
		fprintf(out, "pngcairo size %d,%d font 'Sans,17' fontscale 1.6 linewidth 2 "
			"pointscale 3\n", 2 * PLOT_WIDTH, 2 * height);
		break;
	case PNG:
		fprintf(out, "png size %d,%d font ',28' linewidth 2\n", 2 * PLOT_WIDTH, 2 * height);
		break;
	default:
		fputs("dumb 100 32\n", out);
	}
}

static void put_terminal(const char *condition, int terminal, const struct plot_file *p,
			 const char *again, FILE *out)
{
	static const char *const suffix[] = { ".svg", ".png", ".png", ".txt" };

	fprintf(out, "if (%s) {\n\tset terminal ", condition);
	put_set(terminal, p->height, out);
	fputs("\tset output ", out);
	gnuplot_path(p->name, suffix[terminal], out);
	fprintf(out, "\n%s}\n", again);
}

static void put_pdf(const struct plot_file *p, FILE *out)
{
	fprintf(out, "set terminal pdfcairo size 16cm,%.1fcm font 'Sans,11' linewidth 1.5\n"
		"set output ", 16.0 * p->height / PLOT_WIDTH);
	gnuplot_path(p->name, ".pdf", out);
	putc('\n', out);
}

void plot_terminals_begin(const struct plot_file *p, FILE *out)
{
	if (p->pdf) {
		put_pdf(p, out);
		return;
	}
	fputs("terminals = ' '.GPVAL_TERMINALS.' '\n", out);
	fputs("svg = strstrt(terminals, ' svg ') > 0\n", out);
	fputs("cairo = strstrt(terminals, ' pngcairo ') > 0\n", out);
	fputs("png = !cairo && strstrt(terminals, ' png ') > 0\n", out);
	put_terminal("svg", SVG, p, "", out);
	put_terminal("!svg && cairo", CAIRO, p, "", out);
	put_terminal("!svg && png", PNG, p, "", out);
	put_terminal("!svg && !cairo && !png", DUMB, p, "", out);
}

void plot_terminals_end(const struct plot_file *p, const char *again, FILE *out)
{
	if (!p->pdf) {
		put_terminal("svg && cairo", CAIRO, p, again, out);
		put_terminal("svg && png", PNG, p, again, out);
	}
	fputs("set output\n", out);
}
