/* Reads lists and files of hosts, counts their ranks, and writes them for a launcher. */
#include "runner/launch/launch.h"

#include "core/base/env.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/textfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 1 << 20 };          /* as -n takes them */
static const char blanks[] = " \t\r\n";

struct host_ranks {
	char *host;             /* owned */
	char *options;          /* owned; other words of a file's line, each after a space */
	int ranks;
};

/* Hosts in the order in which they first come. */
struct host_list {
	struct host_ranks *v;   /* [n], owned */
	size_t n;
	int64_t ranks;
	bool by_colon, by_word; /* some have a number like "a:2", like "a slots=2" */
	bool uncounted;         /* some have none */
	bool repeated;          /* some come more than once */
};

static void host_list_release(struct host_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_all(l->v[i].host, l->v[i].options);
	free(l->v);
}

/* Takes options. */
static void host_list_add(struct host_list *l, const char *host, int length, int ranks,
			  char *options)
{
	size_t i = 0;

	while (i < l->n && !(strncmp(l->v[i].host, host, (size_t)length) == 0 &&
			     !l->v[i].host[length]))
		i++;
	if (i == l->n) {
		APPEND(l->v, l->n) = (struct host_ranks){ .host = xasprintf("%.*s", length, host),
							 .options = options };
		options = NULL;
	}
	free(options);
	l->repeated |= l->v[i].ranks > 0;
	l->v[i].ranks += ranks;
	l->ranks += ranks;
}

/*
 * "host:2" or "host". Sets the length of the host's name, and its ranks, 0 where they are not said.
 * A name with more colons is an address of IPv6, unless that is in brackets. -1: no such number.
 */
static int read_word(const char *word, int *length, int *ranks)
{
	const char *colon = strrchr(word, ':');

	*length = (int)strlen(word);
	*ranks = 0;
	if (!colon || (strchr(word, ':') != colon && colon[-1] != ']'))
		return *word ? 0 : -1;
	*length = (int)(colon - word);
	*ranks = text_count(colon + 1, MOST_RANKS);
	return *length > 0 && *ranks > 0 ? 0 : -1;
}

static int read_hosts(struct host_list *l, const char *hosts)
{
	char *copy = xstrdup(hosts), *rest = NULL;
	int length, ranks, r = 0;

	for (char *word = strtok_r(copy, ", \t\r\n", &rest); word && r == 0;
	     word = strtok_r(NULL, ", \t\r\n", &rest)) {
		if (read_word(word, &length, &ranks) < 0)
			r = error("hosts: '%s' is no host (expected HOST or HOST:RANKS, with 1 to "
				  "%d ranks)", word, MOST_RANKS);
		else
			host_list_add(l, word, length, ranks ? ranks : 1, NULL);
	}
	free(copy);
	if (r == 0 && l->n == 0)
		r = error("hosts: '%s' names no host (expected HOST:RANKS,...)", hosts);
	return r;
}

/* Takes the blanks around each "=" out of the text. */
static void join_pairs(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		if (*from == '=') {
			while (to > text && strchr(blanks, to[-1]))
				to--;
			*to++ = '=';
			from += strspn(from + 1, blanks);
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/*
 * A line of a file of hosts: "a slots=2" as Open MPI has it, "a:2" as Hydra, or "a", and other
 * options; "#" begins a comment. -1: there is a number of ranks that is none.
 */
static int read_line(struct host_list *l, char *line)
{
	static const char *const numbers[] = { "slots=", "count=", "cpu=", "cpus=" };
	char *rest = NULL, *options = NULL, *host;
	int length, counted, ranks = 0, r;

	line[strcspn(line, "#")] = '\0';
	join_pairs(line);
	host = strtok_r(line, blanks, &rest);
	if (!host)
		return 0;
	r = read_word(host, &length, &counted);
	for (char *word; r == 0 && (word = strtok_r(NULL, blanks, &rest));) {
		const char *number = NULL;

		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
			if (strncmp(word, numbers[i], strlen(numbers[i])) == 0)
				number = word + strlen(numbers[i]);
		if (!number)
			xappend_own(&options, " ", xstrdup(word));
		else if ((ranks = text_count(number, MOST_RANKS)) < 1)
			r = -1;
	}
	l->by_colon |= counted;
	l->by_word |= ranks;
	l->uncounted |= !counted && !ranks;
	if (r == 0)
		host_list_add(l, host, length, ranks ? ranks : counted ? counted : 1, options);
	else
		free(options);
	return r;
}

static int read_file(struct host_list *l, const char *path)
{
	char *text = textfile_read(path), *rest = text, *line;
	size_t number = 0;
	int r = text ? 0 : -1;

	while (r == 0 && (line = textfile_line(&rest))) {
		number++;
		if (read_line(l, line) < 0 || l->ranks > MOST_RANKS)
			r = error("%s:%zu: a number of ranks is wrong (expected 'HOST slots=RANKS' "
				  "or 'HOST:RANKS', with 1 to %d ranks in all)", path, number,
				  MOST_RANKS);
	}
	free(text);
	if (r == 0 && l->n == 0)
		r = error("hostfile '%s' names no host (expected a host in each line)", path);
	return r;
}

int hosts_ranks(const char *hosts, const char *file)
{
	scoped_by(host_list_release) struct host_list l = { 0 };
	int r = hosts ? read_hosts(&l, hosts) : file ? read_file(&l, file) : 0;

	if (r == 0 && l.ranks > MOST_RANKS)
		r = error("hosts: %lld ranks (expected at most %d)", (long long)l.ranks,
			  MOST_RANKS);
	if (r == 0)
		r = (int)l.ranks;
	return r;
}

char *hosts_tidy(const char *hosts)
{
	char *copy = xstrdup(hosts), *rest = NULL, *tidy = NULL;

	for (char *word = strtok_r(copy, ", \t\r\n", &rest); word;
	     word = strtok_r(NULL, ", \t\r\n", &rest))
		xappend_own(&tidy, ",", xstrdup(word));
	free(copy);
	return tidy ? tidy : xstrdup("");
}

/* A temporary file of the hosts. Options are those of Open MPI, for it alone. */
static char *host_list_write(const struct host_list *l, char separator)
{
	const char *folder = getenv("TMPDIR");
	char *path = xasprintf("%s/convoy-hosts-XXXXXX", folder && *folder ? folder : "/tmp");
	const int fd = mkstemp(path);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	for (size_t i = 0; f && i < l->n; i++) {
		const struct host_ranks *h = &l->v[i];

		if (separator == ':')
			fprintf(f, "%s:%d\n", h->host, h->ranks);
		else
			fprintf(f, "%s slots=%d%s%s\n", h->host, h->ranks, h->options ? " " : "",
				h->options ? h->options : "");
	}
	if (f && fclose(f) == 0)
		return path;
	error("cannot write %s: %s%s", path, strerror(errno),
	      f ? "" : ". Set TMPDIR to a folder that can be written into");
	if (f)
		unlink(path);
	free(path);
	return NULL;
}

char *hosts_write_list(const char *hosts, char separator)
{
	scoped_by(host_list_release) struct host_list l = { 0 };

	return read_hosts(&l, hosts) < 0 ? NULL : host_list_write(&l, separator);
}

int hosts_write_file(const char *file, char separator, char **path)
{
	scoped_by(host_list_release) struct host_list l = { 0 };
	int r = read_file(&l, file);

	*path = NULL;
	if (r == 0 && (separator == ':' ? l.by_word : l.by_colon || l.uncounted || l.repeated)) {
		*path = host_list_write(&l, separator);
		r = *path ? 0 : -1;
	}
	return r;
}
