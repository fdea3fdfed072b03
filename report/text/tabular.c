/* Sets a table once in each size of type, until it fits. */
#include "report/text/grid.h"

#include <stddef.h>

void tabular_open(const char *columns, FILE *out)
{
	fprintf(out, "{\\def\\rows{\\begin{tabular}{%s}\n\\hline\n", columns);
}

void tabular_close(FILE *out)
{
	static const char *const sizes[] = { "small", "footnotesize", "scriptsize", "tiny" };

	fputs("\\hline\n\\end{tabular}}\\setbox0\\hbox{\\rows}%\n", out);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		fprintf(out, "\\ifdim\\wd0>\\linewidth"
			"\\setbox0\\hbox{\\%s\\tabcolsep=.6\\tabcolsep\\rows}\\fi\n", sizes[i]);
	fputs("\\leavevmode\\box0 }\n", out);
}
