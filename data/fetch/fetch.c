/* Downloads files of a published set with libcurl, checks their SHA-256, and unpacks archives. */
#include "data/fetch/get.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"
#include "data/archive_library.h"
#include "data/fetch/curl_library.h"

#include <errno.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one published file over HTTP, by libcurl, with its SHA-256, by libmd ---- */

struct fetch {
	const char *url, *path; /* PATH.part holds the bytes received until the file is complete */
	int64_t bytes;          /* published size, as downloaded */
	const char *sha256;     /* published checksum, 64 digits */
	/* Called with the bytes received so far; nonzero stops. NULL: not called. */
	int (*progress)(void *ctx, int64_t done, int64_t bytes);
	void *ctx;
};

/* Bytes of a regular file; -1: there is none. */
static int64_t regular_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

/* Compares the open file's SHA-256 with the published one. 0: equal; -1: not equal; 1: stopped. */
static int compare_sha256(const struct fetch *f, FILE *in)
{
	static const size_t size = 1 << 18;
	uint8_t *block = xcalloc(size, 1);
	char text[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX s;
	size_t n;
	int ret = 0;

	rewind(in);
	SHA256Init(&s);
	while (!ret && (n = fread(block, 1, size, in)) > 0) {
		SHA256Update(&s, block, n);
		ret = f->progress && f->progress(f->ctx, f->bytes, f->bytes);
	}
	free(block);
	SHA256End(&s, text);
	return ret ? 1 : strcmp(text, f->sha256) ? -1 : 0;
}

/*
 * 0 when the file at `path` has the published size and checksum; -1, without a message, when it has
 * not; 1 when stopped.
 */
static int fetch_check(const struct fetch *f, const char *path)
{
	FILE *in = regular_size(path) == f->bytes ? file_open(path) : NULL;
	int ret = in ? compare_sha256(f, in) : -1;

	if (in)
		fclose(in);
	return ret;
}

/* Requests in a row that bring no new byte; time limits to connect, and without a byte. */
enum { TRIES = 3, CONNECT_S = 30, SILENT_S = 60 };

struct transfer {
	const struct fetch *f;
	const char *part;
	FILE *out;
	CURL *curl;
	int64_t done;           /* bytes in the part */
	bool resumed;           /* part of it was received earlier */
	bool asked;             /* a range was requested, and no answer has come yet */
	bool restarted;         /* the received part was discarded once */
	bool whole_only;        /* the server does not support ranges */
	bool stopped;           /* by progress() */
	bool too_long;          /* the server sent more than the published bytes */
	int failed;             /* errno with which the part could not be written; 0: it could */
	char why[CURL_ERROR_SIZE];
};

/*
 * At the first bytes of an answer: a server without ranges answers 200 and sends the file from its
 * beginning. Then what the part holds is discarded.
 */
static void check_range(struct transfer *t)
{
	long code = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
	if (t->asked && code != 206) {
		if (fflush(t->out) || ftruncate(fileno(t->out), 0))
			t->failed = errno;
		rewind(t->out);
		t->done = 0;
		t->resumed = false;
		t->whole_only = true;
	}
	t->asked = false;
}

/* libcurl's CURLOPT_WRITEFUNCTION: appends received bytes to the part; 0 ends the request. */
static size_t write_received(char *at, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;

	check_range(t);
	t->too_long = t->done + (int64_t)(size * n) > t->f->bytes;
	if (t->too_long || t->failed)
		return 0;
	if (fwrite(at, size, n, t->out) != n) {
		t->failed = errno;
		return 0;
	}
	t->done += (int64_t)(size * n);
	return size * n;
}

/* libcurl's CURLOPT_XFERINFOFUNCTION: nonzero ends the request. */
static int report_progress(void *ctx, curl_off_t all, curl_off_t now, curl_off_t up,
			   curl_off_t sent)
{
	struct transfer *t = ctx;

	(void)all, (void)now, (void)up, (void)sent;
	t->stopped = t->f->progress && t->f->progress(t->f->ctx, t->done, t->f->bytes);
	return t->stopped;
}

static void set_options(struct transfer *t)
{
	CURL *c = t->curl;

	curl_easy_setopt(c, CURLOPT_URL, t->f->url);
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(c, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
	curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(c, CURLOPT_MAXREDIRS, 5L);
	curl_easy_setopt(c, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "convoy/" CONVOY_VERSION);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->why);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, write_received);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, report_progress);
	curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
}

/* error() for a transfer that has failed with r. */
static int fetch_explain(const struct transfer *t, CURLcode r)
{
	const char *why = *t->why ? t->why : curl_easy_strerror(r);

	if (t->too_long)
		return error("%s: more than the %lld bytes published: not this file", t->f->url,
			     (long long)t->f->bytes);
	if (t->failed)
		return temporary_failed(t->part, t->failed);
	if (r == CURLE_UNSUPPORTED_PROTOCOL)
		return error("%s: only http and https addresses are fetched", t->f->url);
	if (t->done && t->done < t->f->bytes)
		return error("%s: %s; %lld of %lld bytes are in %s, %s", t->f->url, why,
			     (long long)t->done, (long long)t->f->bytes, t->part,
			     t->whole_only ? "but the server gives no ranges: each attempt begins "
					     "again"
					   : "and the next attempt continues there");
	return error("%s: %s", t->f->url, why);
}

/* Makes one request. 0: the server sent all that it would; 1: stopped; -1: failed with *r. */
static int fetch_request(struct transfer *t, CURLcode *r)
{
	char range[32];

	snprintf(range, sizeof(range), "%lld-", (long long)t->done);
	curl_easy_setopt(t->curl, CURLOPT_RANGE, t->done ? range : NULL);
	t->asked = t->done > 0;
	t->resumed |= t->asked;
	t->too_long = false;
	t->failed = 0;
	*t->why = '\0';
	*r = curl_easy_perform(t->curl);
	if (fflush(t->out))
		t->failed = errno;
	if (t->stopped)
		return 1;
	return *r == CURLE_OK && !t->failed ? 0 : -1;
}

static long answer_code(const struct transfer *t)
{
	long code = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
	return code;
}

/* True when another request would not bring more. */
static bool is_final(const struct transfer *t, CURLcode r)
{
	const long code = answer_code(t);

	return t->too_long || t->failed || r == CURLE_UNSUPPORTED_PROTOCOL
	       || r == CURLE_URL_MALFORMAT || r == CURLE_PEER_FAILED_VERIFICATION
	       || (code >= 400 && code < 500 && code != 408 && code != 429);
}

/* Cuts the part to its first `at` bytes. */
static int fetch_cut(struct transfer *t, int64_t at)
{
	if (ftruncate(fileno(t->out), (off_t)at) || fseeko(t->out, (off_t)at, SEEK_SET))
		return temporary_failed(t->part, errno);
	t->done = at;
	t->resumed = at > 0;
	return 0;
}

/* Makes requests until the file is complete, or TRIES in a row brought no new byte. */
static int fetch_receive(struct transfer *t)
{
	int64_t most = t->done;         /* largest t->done so far */

	for (int tries = 0; t->done < t->f->bytes; tries++) {
		CURLcode r = CURLE_OK;
		int ret = fetch_request(t, &r);

		if (ret == 1)
			return 1;
		/*
		 * The server's file is shorter than the part: discard it, once, as it may be of
		 * another file.
		 */
		if (answer_code(t) == 416 && !t->restarted) {
			t->restarted = true;
			if (fetch_cut(t, 0) < 0)
				return -1;
			most = 0;
			continue;
		}
		if (t->done > most) {
			most = t->done;
			tries = 0;
		}
		if (t->done == t->f->bytes && !t->too_long)
			break;
		if (is_final(t, r) || tries + 1 == TRIES)
			return fetch_explain(t, ret ? r : CURLE_PARTIAL_FILE);
	}
	return 0;
}

/*
 * Compares the complete part with the checksum. 0: equal; 1: stopped; 2: not equal, emptied to be
 * received once more, as it had been begun earlier; -1 after error().
 */
static int fetch_verify(struct transfer *t)
{
	int ret = fflush(t->out) ? -1 : compare_sha256(t->f, t->out);

	if (ret >= 0)
		return ret;
	ret = t->resumed && !t->restarted ? 0 : error("%s: the contents are not those published: "
						      "their SHA-256 is not %s", t->f->url,
						      t->f->sha256);
	t->restarted = true;
	return fetch_cut(t, 0) ? -1 : ret < 0 ? -1 : 2;
}

/*
 * Receives what the part lacks, and verifies it. If the part was begun earlier and is wrong, the
 * whole file is received again, once. 0; 1 when stopped; -1 after error().
 */
static int fetch_checked(struct transfer *t)
{
	int64_t held = regular_size(t->part);
	int ret;

	if (fetch_cut(t, held > t->f->bytes ? 0 : held) < 0)
		return -1;
	t->curl = curl_easy_init();
	if (!t->curl)
		return error("libcurl cannot start");
	set_options(t);
	do {
		ret = fetch_receive(t);
		if (!ret)
			ret = fetch_verify(t);
		else if (ret < 0 && t->too_long)
			fetch_cut(t, 0);
	} while (ret == 2);
	curl_easy_cleanup(t->curl);
	return ret;
}

/*
 * Fetches a file: receives what PATH.part lacks (all, if the server does not support ranges),
 * verifies size and checksum, and renames it to PATH. 0; 1 when stopped; -1 after error() naming
 * the address. PATH.part is kept for another attempt, unless it has the contents of another file.
 */
static int fetch_file(const struct fetch *f)
{
	scoped char *part = temporary_name(f->path, ".part");
	struct transfer t = { .f = f, .part = part, .out = temporary_open(part) };
	int ret = -1;

	if (t.out) {
		ret = fetch_checked(&t);
		if (!ret && temporary_finish(t.out, part, f->path))
			ret = temporary_failed(f->path, errno);
		if (ret < 0 && regular_size(part) == 0)
			unlink(part);
		fclose(t.out);
	}
	return ret;
}

/* ---- archives ---- */

enum { BLOCK = 1 << 17 };

/* Largest size of a file in an archive, in bytes; more is an error or an attack. */
static const int64_t largest = (int64_t)1 << 30;

/* State of unpacking a tar or zip archive; the first members are tar_unpack()'s arguments. */
struct tar {
	const char *archive, *dir, *folder;
	bool flat;
	int (*stop)(void *ctx);
	void *ctx;
	struct archive *in;
	struct archive_entry *entry;    /* the present entry */
	uint8_t block[BLOCK];
};

/* error() with libarchive's reason. */
static int tar_broken(const struct tar *t)
{
	const char *why = archive_error_string(t->in);

	return error("%s: cannot unpack: %s", t->archive, why ? why : "corrupt");
}

static const char *entry_name(const struct tar *t)
{
	const char *name = archive_entry_pathname(t->entry);

	return name ? name : "";
}

/* Reads the next entry's header: 0; 1 at the end; -1 after error(). */
static int entry_next(struct tar *t)
{
	int r = archive_read_next_header(t->in, &t->entry);

	if (r == ARCHIVE_EOF)
		return 1;
	if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
		return tar_broken(t);
	if (archive_entry_size(t->entry) > largest)
		return error("%s: '%s' has an impossible size", t->archive, entry_name(t));
	return 0;
}

/* True when no component of the path is empty, "." or "..", and all characters are plain. */
static bool is_plain_path(const char *path)
{
	for (const char *c = path;; c++) {
		size_t n = strcspn(c, "/");

		if (n == 0 || (n == 1 && *c == '.') || (n == 2 && !memcmp(c, "..", 2)))
			return false;
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)c[i] < 0x20 || c[i] == '\\')
				return false;
		c += n;
		if (!*c)
			return true;
	}
}

/* True if the present entry is a regular file below the folder; with `flat`, in no folder. */
static bool is_wanted(const struct tar *t)
{
	const char *name = entry_name(t);
	const size_t n = strlen(t->folder);
	const bool inside = !strncmp(name, t->folder, n) && name[n] == '/';

	return archive_entry_filetype(t->entry) == AE_IFREG &&
	       !archive_entry_hardlink(t->entry) && is_plain_path(name) &&
	       (t->flat ? !strchr(name, '/') : inside);
}

/* Copies the entry's bytes to `out`. 0; -1 after error(); 1: stopped. */
static int tar_copy(struct tar *t, FILE *out, const char *path)
{
	int64_t left = archive_entry_size(t->entry);

	while (left > 0) {
		size_t most = left < BLOCK ? (size_t)left : BLOCK;
		la_ssize_t n = archive_read_data(t->in, t->block, most);

		if (n <= 0)
			return tar_broken(t);
		if (fwrite(t->block, 1, (size_t)n, out) != (size_t)n)
			return temporary_failed(path, errno);
		left -= n;
		if (t->stop && t->stop(t->ctx))
			return 1;
	}
	return 0;
}

/* Unpacks the present entry. 0; -1 after error(); 1 when stopped. */
static int unpack_file(struct tar *t)
{
	char *path = xasprintf("%s/%s%s%s", t->dir, t->flat ? t->folder : "",
			       t->flat ? "/" : "", entry_name(t));
	char *part = temporary_name(path, ".part"), *slash = strrchr(path, '/');
	FILE *out = NULL;
	int ret;

	*slash = '\0';
	ret = dir_make(path);
	*slash = '/';
	if (!ret && !(out = temporary_open(part)))
		ret = -1;
	if (out) {
		ret = ftruncate(fileno(out), 0) ? temporary_failed(part, errno)
						: tar_copy(t, out, part);
		if (!ret && temporary_finish(out, part, path))
			ret = temporary_failed(path, errno);
		if (ret)
			unlink(part);
		fclose(out);
	}
	free_all(part, path);
	return ret;
}

static int unpack_all(struct tar *t)
{
	for (;;) {
		int ret = entry_next(t);

		if (ret)
			return ret < 0 ? -1 : 0;
		ret = is_wanted(t) ? unpack_file(t) : 0;
		if (ret)
			return ret;
	}
}

int tar_unpack(const char *archive, const char *dir, const char *folder, bool flat,
	       int (*stop)(void *ctx), void *ctx)
{
	scoped struct tar *t = xcalloc(1, sizeof(*t));
	int ret;

	*t = (struct tar){ .archive = archive, .dir = dir, .folder = folder, .flat = flat,
			   .stop = stop, .ctx = ctx, .in = archive_read_new() };
	must_have(t->in, "an archive");
	archive_read_support_filter_gzip(t->in);
	archive_read_support_format_tar(t->in);
	archive_read_support_format_zip(t->in);
	ret = archive_read_open_filename(t->in, archive, BLOCK) ? tar_broken(t) : unpack_all(t);
	archive_read_free(t->in);
	return ret;
}

/* ---- all files of a data set ---- */

/* State of fetching one data set. */
struct get {
	const struct get_set *set;
	const struct get_conf *conf;
	const struct get_file *file;    /* the present one */
	int64_t before, all;    /* bytes of the files before this one, and of all */
};

/* progress() of one file: reports the progress of the data set. */
static int set_progress(void *ctx, int64_t done, int64_t bytes)
{
	const struct get *g = ctx;

	(void)bytes;
	return g->conf->progress
	       && g->conf->progress(g->conf->ctx, g->file->name, g->before + done, g->all);
}

/* Fetches the present file below the address `base`, unless `path` is that file already. */
static int fetch_from(struct get *g, const char *base, const char *path)
{
	size_t n = strlen(base);
	scoped char *url =
		xasprintf("%s%s%s", base, n && base[n - 1] == '/' ? "" : "/", g->file->name);
	struct fetch f = {
		.url = url, .path = path, .bytes = g->file->bytes, .sha256 = g->file->sha256,
		.progress = set_progress, .ctx = g,
	};
	int ret = fetch_check(&f, path);

	if (ret < 0)
		ret = fetch_file(&f);
	return ret;
}

/* Fetches the present file from the first address that has it. */
static int fetch_any(struct get *g, const char *path)
{
	const char *const one[] = { g->conf->url, NULL };
	const char *const *base = g->conf->url ? one : g->set->urls;
	int ret;

	for (;;) {
		ret = fetch_from(g, *base, path);
		if (ret >= 0 || !*++base)
			return ret;
		note("now from %s", *base);
	}
}

/* True when all files of the archive exist; each was renamed when it was complete. */
static bool is_unpacked(const struct get *g)
{
	bool there = g->set->unpacked;

	for (const char *const *name = g->set->unpacked; there && *name; name++) {
		scoped char *path = xasprintf("%s/%s/%s", g->conf->dir, g->set->folder, *name);

		there = regular_size(path) > 0;
	}
	return there;
}

/* stop() while the present file, which is complete, is unpacked. */
static int get_stop(void *ctx)
{
	const struct get *g = ctx;

	return set_progress(ctx, g->file->bytes, g->file->bytes);
}

/* Fetches the present file; unpacks and removes it, if it is an archive. */
static int get_present(struct get *g)
{
	const struct get_set *set = g->set;
	scoped char *folder = set->unpacked ? xstrdup(g->conf->dir)
					    : xasprintf("%s/%s", g->conf->dir, set->folder);
	scoped char *path = xasprintf("%s/%s", folder, g->file->name);
	int ret = dir_make(folder);

	if (!ret)
		ret = fetch_any(g, path);
	if (!ret && set->unpacked) {
		ret = tar_unpack(path, g->conf->dir, set->folder, set->flat, get_stop, g);
		if (!ret && !is_unpacked(g))
			ret = error("%s: not all of the set's files are in it", path);
		if (!ret)
			unlink(path);
	}
	return ret;
}

int get_fetch(const struct get_set *set, const struct get_conf *conf)
{
	struct get g = { .set = set, .conf = conf };
	int ret = 0;

	if (is_unpacked(&g))
		return 0;
	for (const struct get_file *f = set->files; f->name; f++)
		g.all += f->bytes;
	for (g.file = set->files; g.file->name && !ret; g.file++) {
		ret = get_present(&g);
		g.before += g.file->bytes;
	}
	return ret;
}
