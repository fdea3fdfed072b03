/* A paper's notes on its page of Markdown, and where the page's links go. */
#define _XOPEN_SOURCE 700         /* realpath() */
#include "cmd/report/md_paper.h"

#include "core/base/mem.h"
#include "core/file/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- where a link goes ---- */

/* The real path of a folder, then a path from there, '/' at its end; the caller frees. */
static char *real_folder(const char *folder, const char *path)
{
	char *real = realpath(folder, NULL);
	char *full = xasprintf("%s/%s/", real ? real : folder, path);

	free(real);
	return full;
}

/* Takes out of an absolute path "//", "." and, with the folder before it, "..". */
static void path_shorten(char *path)
{
	size_t n = 0;

	for (const char *c = path + 1; *c; c += strcspn(c, "/") + 1) {
		const size_t m = strcspn(c, "/");

		if (m == 2 && !strncmp(c, "..", 2)) {
			while (n > 0 && path[--n] != '/')
				;
		} else if (m > 0 && (m != 1 || *c != '.')) {
			path[n] = '/';
			memmove(path + n + 1, c, m);
			n += m + 1;
		}
	}
	memcpy(path + n, "/", 2);
}

char *report_md_way(const struct page *p, const char *path)
{
	char *a = real_folder(p->dir, ""), *b = real_folder(p->of->folder, path);
	char *way = xstrdup("");
	size_t same = 0;

	path_shorten(a);
	path_shorten(b);
	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			same = i + 1;
	for (const char *c = a + same; *c; c++)
		if (*c == '/')
			xappend(&way, "", "../");
	xappend(&way, "", b + same);
	if (*way)
		way[strlen(way) - 1] = '\0';
	free(a);
	free(b);
	return way;
}

/* ---- notes ---- */

/* Bytes of the path that begins here and is a link's target; 0: no link to a file begins here. */
static int link_length(const char *text)
{
	const int n = strncmp(text, "](", 2) ? 0 : (int)strcspn(text + 2, ":)\n");

	return n > 0 && text[2] != '#' && text[2 + n] == ')' ? n : 0;
}

/* A line of n bytes; its links to files go there from the page. */
static void put_line(const struct page *p, const char *paper, const char *line, int n)
{
	for (int i = 0; i < n; i++) {
		const int m = link_length(line + i);

		if (m > 0) {
			char *path = xasprintf("%s/%.*s", paper, m, line + i + 2);
			char *way = report_md_way(p, path);

			fprintf(p->f, "](%s", way);
			i += m + 1;
			free(way);
			free(path);
		} else {
			fputc(line[i], p->f);
		}
	}
	fputc('\n', p->f);
}

/* The lines of a text of Markdown, its heads one level lower. */
static void put_lowered(const struct page *p, const char *paper, const char *text)
{
	bool code = false;

	while (*text) {
		const int n = (int)strcspn(text, "\n");

		if (strncmp(text, "```", 3) == 0)
			code = !code;
		if (*text == '#' && !code)
			fputc('#', p->f);
		put_line(p, paper, text, n);
		text += n + (text[n] == '\n');
	}
}

int report_md_notes(const struct page *p, const char *paper)
{
	char *path = xasprintf("%s/%s/README.md", p->of->folder, paper);
	char *text = NULL;
	int ret = 0;

	if (access(path, F_OK) == 0) {
		text = file_read(path, NULL);
		ret = text ? 0 : -1;
	}
	if (text) {
		fputc('\n', p->f);
		put_lowered(p, paper, text);
	}
	free(text);
	free(path);
	return ret;
}
