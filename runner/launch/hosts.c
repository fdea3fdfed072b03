/* Files of hosts, in the form of one launcher or another. */
#include "runner/launch/hosts.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST = 256 };

struct host_ranks {
	char host[HOST];
	int ranks;              /* 0: not said */
};

static FILE *open_temporary(char **path)
{
	const char *folder = getenv("TMPDIR");
	FILE *f = NULL;
	int fd;

	*path = xasprintf("%s/convoy-hosts-XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkstemp(*path);
	if (fd >= 0)
		f = fdopen(fd, "w");
	if (!f)
		error("cannot write %s: %s. Set TMPDIR to a folder that can be written into", *path,
		      strerror(errno));
	return f;
}

/* "host:2" or "host". */
static void hosts_read_word(const char *word, struct host_ranks *p)
{
	const char *colon = strrchr(word, ':');
	char *end = NULL;
	long n = colon ? strtol(colon + 1, &end, 10) : 0;
	const bool counted = colon && end > colon + 1 && *end == '\0' && n > 0 && n < 1 << 20;

	p->ranks = counted ? (int)n : 0;
	snprintf(p->host, sizeof(p->host), "%.*s",
		 counted ? (int)(colon - word) : (int)strlen(word), word);
}

/* A line of a file of hosts. False: it names none. */
static bool read_line(char *line, struct host_ranks *p)
{
	const char *slots = strstr(line, "slots");
	char word[HOST];
	int n;

	line[strcspn(line, "#")] = '\0';
	if (sscanf(line, "%255s", word) != 1)
		return false;
	hosts_read_word(word, p);
	if (slots && sscanf(slots, "slots = %d", &n) == 1)
		p->ranks = n;
	return true;
}

static void hosts_write(FILE *f, const struct host_ranks *p, char separator)
{
	if (!p->ranks)
		fprintf(f, "%s\n", p->host);
	else if (separator == ':')
		fprintf(f, "%s:%d\n", p->host, p->ranks);
	else
		fprintf(f, "%s slots=%d\n", p->host, p->ranks);
}

/* The path of a whole file, or NULL. */
static char *close_temporary(FILE *f, char *path)
{
	if (f && fclose(f) == 0)
		return path;
	if (f) {
		error("cannot write %s: %s", path, strerror(errno));
		unlink(path);
	}
	free(path);
	return NULL;
}

char *hosts_write_list(const char *hosts, char separator)
{
	char *path, *copy = xstrdup(hosts), *rest = copy;
	FILE *f = open_temporary(&path);
	struct host_ranks p;

	for (char *word; f && (word = strtok_r(rest, ",", &rest));) {
		hosts_read_word(word, &p);
		hosts_write(f, &p, separator);
	}
	free(copy);
	return close_temporary(f, path);
}

static FILE *open_hosts(const char *path)
{
	FILE *f = fopen(path, "r");

	if (!f)
		error("hostfile '%s': %s", path, strerror(errno));
	return f;
}

char *hosts_write_file(const char *path, char separator)
{
	FILE *in = open_hosts(path), *f;
	char line[1024], *written;
	struct host_ranks p;

	if (!in)
		return NULL;
	f = open_temporary(&written);
	while (f && fgets(line, sizeof(line), in))
		if (read_line(line, &p))
			hosts_write(f, &p, separator);
	fclose(in);
	return close_temporary(f, written);
}

bool hosts_file_differs(const char *path, char separator)
{
	FILE *f = fopen(path, "r");
	char line[1024];
	bool differs = false;
	struct host_ranks p;

	while (f && fgets(line, sizeof(line), f)) {
		const char form = strstr(line, "slots") ? ' ' : ':';

		differs |= read_line(line, &p) && p.ranks && form != separator;
	}
	if (f)
		fclose(f);
	return differs;
}
