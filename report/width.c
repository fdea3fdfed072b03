#include "report/width.h"

int text_width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xC0) != 0x80;
	return n;
}

void text_pad(const char *s, int width, bool right, FILE *out)
{
	int space = width - text_width(s);

	if (right && space > 0)
		fprintf(out, "%*s", space, "");
	fputs(s, out);
	if (!right && space > 0)
		fprintf(out, "%*s", space, "");
}
