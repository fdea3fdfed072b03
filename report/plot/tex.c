/* A figure of LaTeX around a plot's PDF. */
#include "report/plot/plot.h"

#include "report/text/escape.h"

void figure_tex(const struct figure *f, FILE *out)
{
	fputs("% Needs \\usepackage{graphicx}.\n\\begin{figure}[htbp]\n\\centering\n", out);
	fprintf(out, "\\includegraphics[width=\\linewidth]{%s.pdf}\n\\caption{", f->name);
	escape_latex(f->title ? f->title : f->name, out);
	fputs("}\n\\label{", out);
	escape_latex_label("fig:", f->name, out);
	fputs("}\n\\end{figure}\n", out);
}
