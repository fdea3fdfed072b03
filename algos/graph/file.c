/* Edges from a text file: two ranks a line, with a space or comma between; "#": a comment. */
#include "core/graph.h"

#include "core/base/error.h"
#include "core/file/textfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct file_conf {
	char *path;
	bool directed;
};

struct line_at {
	const char *path;
	int line;
};

/* Reads the number at *text, and moves *text after it, spaces, and `between`, if it follows. */
static int read_rank(const struct topology *t, const struct line_at *p, const char *between,
		     char **text, int *rank)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(*text, &end, 10);
	if (end == *text || errno ||
	    (*end && !isspace((unsigned char)*end) && !strchr(between, *end)))
		return error("%s:%d: expected two ranks, as in '0 1'", p->path, p->line);
	if (n < 0 || n >= t->n)
		return error("%s:%d: rank %ld: the ranks of %d workers are 0 to %d", p->path,
			     p->line, n, t->n, t->n - 1);
	*rank = (int)n;
	end += strspn(end, " \t");
	end += *end && strchr(between, *end);
	*text = end + strspn(end, " \t");
	return 0;
}

static int read_line(const struct file_conf *c, struct topology *t, const struct line_at *p,
		     char *text)
{
	int a, b;

	text[strcspn(text, "#")] = '\0';
	text += strspn(text, " \t");
	if (!*text)
		return 0;
	if (read_rank(t, p, ",;", &text, &a) < 0 || read_rank(t, p, "", &text, &b) < 0)
		return -1;
	if (*text)
		return error("%s:%d: more than two ranks", p->path, p->line);
	if (a == b)
		return error("%s:%d: an edge from rank %d to itself", p->path, p->line, a);
	topology_arc(t, a, b);
	if (!c->directed)
		topology_arc(t, b, a);
	return 0;
}

static int graph_file_make(const void *conf, struct topology *t, uint64_t seed)
{
	const struct file_conf *c = conf;
	struct line_at p = { .path = c->path };
	char *text, *rest, *line;
	int ret = 0;

	(void)seed;
	if (!c->path)
		return error("graph file: no file is named. Give file:path=PATH");
	rest = text = textfile_read(c->path);
	if (!text)
		return -1;
	while (ret == 0 && (line = textfile_line(&rest))) {
		p.line++;
		ret = read_line(c, t, &p, line);
	}
	free(text);
	return ret;
}

static const struct opt file_opts[] = {
	{ "path", OPT_AT(STRING, struct file_conf, path), NULL, "of the file: two ranks a line",
	  "PATH", 0, 0, NULL, OPT_NOHASH },
	OPT_FLAG(struct file_conf, directed,
		 "the first rank sends to the second, and not the other way"),
	{ 0 }
};

const struct graph_type graph_file = {
	.plugin = { .name = "file",
		    .brief = "edges from a file",
		    .also = "*.txt=file:path=*, *.csv=file:path=*",
		    .opts = file_opts,
		    .conf_size = sizeof(struct file_conf) },
	.make = graph_file_make,
};
