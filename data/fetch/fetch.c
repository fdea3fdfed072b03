/* Downloads one file with libcurl: resumes, retries, and checks its SHA-256. */
#include "data/fetch/fetch.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/file/temporary.h"

#include <curl/curl.h>
#include <errno.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

static int add_file(const struct fetch *f, FILE *in, SHA2_CTX *s)
{
	static const size_t size = 1 << 18;
	uint8_t *block = xcalloc(size, 1);
	size_t n;
	int ret = 0;

	while (!ret && (n = fread(block, 1, size, in)) > 0) {
		SHA256Update(s, block, n);
		ret = f->progress && f->progress(f->ctx, f->bytes, f->bytes);
	}
	free(block);
	return ret;
}

/* 0: the open file has the published sum; -1: another; 1: stopped. */
static int check_sum(const struct fetch *f, FILE *in)
{
	char text[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX s;
	int ret;

	rewind(in);
	SHA256Init(&s);
	ret = add_file(f, in, &s);
	SHA256End(&s, text);
	return ret ? 1 : strcmp(text, f->sha256) ? -1 : 0;
}

int fetch_check(const struct fetch *f, const char *path)
{
	FILE *in = size_of(path) == f->bytes ? file_open(path) : NULL;
	int ret = in ? check_sum(f, in) : -1;

	if (in)
		fclose(in);
	return ret;
}

/* Attempts in a row without a byte more; seconds to connect, and without a byte. */
enum { TRIES = 3, CONNECT_S = 30, SILENT_S = 60 };

struct transfer {
	const struct fetch *f;
	const char *part;
	FILE *out;
	CURL *curl;
	int64_t done;           /* bytes of the part */
	bool resumed;           /* its beginning came earlier */
	bool asked;             /* for a range, and nothing has been seen of the answer */
	bool restarted;         /* the part has been given up once */
	bool whole_only;        /* the server gives no ranges */
	bool stopped, too_long, full;
	char why[CURL_ERROR_SIZE];
};

/* A server that gives no ranges answers 200 and begins again. */
static void heed_answer(struct transfer *t)
{
	long code = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
	if (t->asked && code != 206) {
		if (fflush(t->out) || ftruncate(fileno(t->out), 0))
			t->full = true;
		rewind(t->out);
		t->done = 0;
		t->resumed = false;
		t->whole_only = true;
	}
	t->asked = false;
}

static size_t fetch_take(char *at, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;

	heed_answer(t);
	t->too_long = t->done + (int64_t)(size * n) > t->f->bytes;
	if (t->too_long || t->full)
		return 0;
	t->full = fwrite(at, size, n, t->out) != n;
	t->done += t->full ? 0 : (int64_t)(size * n);
	return t->full ? 0 : size * n;
}

static int fetch_tell(void *ctx, curl_off_t all, curl_off_t now, curl_off_t up, curl_off_t sent)
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
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, fetch_take);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, fetch_tell);
	curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
}

static int fetch_explain(const struct transfer *t, CURLcode r)
{
	const char *why = *t->why ? t->why : curl_easy_strerror(r);

	if (t->too_long)
		return error("%s: more than the %lld bytes published: not this file", t->f->url,
			     (long long)t->f->bytes);
	if (t->full)
		return temporary_failed(t->part, errno);
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

/* One request. 0: it went as far as the server would; 1: stopped; -1: *r says why not. */
static int fetch_request(struct transfer *t, CURLcode *r)
{
	char range[32];

	snprintf(range, sizeof(range), "%lld-", (long long)t->done);
	curl_easy_setopt(t->curl, CURLOPT_RANGE, t->done ? range : NULL);
	t->asked = t->done > 0;
	t->resumed |= t->asked;
	t->too_long = t->full = false;
	*t->why = '\0';
	*r = curl_easy_perform(t->curl);
	if (fflush(t->out))
		t->full = true;
	if (t->stopped)
		return 1;
	return *r == CURLE_OK && !t->full ? 0 : -1;
}

/* Nothing more will come by asking again. */
static bool is_final(const struct transfer *t, CURLcode r)
{
	long code = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
	return t->too_long || t->full || r == CURLE_UNSUPPORTED_PROTOCOL
	       || r == CURLE_URL_MALFORMAT || r == CURLE_PEER_FAILED_VERIFICATION
	       || (code >= 400 && code < 500 && code != 408 && code != 429);
}

/* Keeps the first `at` bytes of the part. */
static int fetch_cut(struct transfer *t, int64_t at)
{
	if (ftruncate(fileno(t->out), (off_t)at) || fseeko(t->out, (off_t)at, SEEK_SET))
		return temporary_failed(t->part, errno);
	t->done = at;
	t->resumed = at > 0;
	return 0;
}

/* The server's file ends before the part does: once, that may be a part of another file. */
static bool is_too_short(struct transfer *t)
{
	long code = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
	if (code != 416 || t->restarted)
		return false;
	t->restarted = true;
	return fetch_cut(t, 0) == 0;
}

/* Asks until all has come, or TRIES times in a row brought no more than had come before. */
static int fetch_receive(struct transfer *t)
{
	int64_t most = t->done;

	for (int tries = 0; t->done < t->f->bytes; tries++) {
		CURLcode r = CURLE_OK;
		int ret = fetch_request(t, &r);

		if (ret == 1)
			return 1;
		if (is_too_short(t)) {
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

/* 0: whole and right; 1: stopped; 2: wrong, and to be fetched again; -1: error(). */
static int fetch_judge(struct transfer *t)
{
	int ret = fflush(t->out) ? -1 : check_sum(t->f, t->out);

	if (ret >= 0)
		return ret;
	ret = t->resumed && !t->restarted ? 0 : error("%s: the contents are not those published: "
						      "their SHA-256 is not %s", t->f->url,
						      t->f->sha256);
	t->restarted = true;
	return fetch_cut(t, 0) ? -1 : ret < 0 ? -1 : 2;
}

/* Receives and checks. A part whose beginning came earlier may be wrong: once, all again. */
static int receive_checked(struct transfer *t)
{
	int ret;

	do {
		ret = fetch_receive(t);
		if (!ret)
			ret = fetch_judge(t);
		else if (ret < 0 && t->too_long)
			fetch_cut(t, 0);
	} while (ret == 2);
	return ret;
}

static int fetch_transfer(struct transfer *t)
{
	int64_t held = size_of(t->part);
	int ret;

	if (fetch_cut(t, held > t->f->bytes ? 0 : held) < 0)
		return -1;
	t->curl = curl_easy_init();
	if (!t->curl)
		return error("libcurl cannot start");
	set_options(t);
	ret = receive_checked(t);
	curl_easy_cleanup(t->curl);
	return ret;
}

int fetch_file(const struct fetch *f)
{
	char *part = xasprintf("%s.part", f->path);
	struct transfer t = { .f = f, .part = part, .out = temporary_open(part) };
	int ret = -1;

	if (t.out) {
		ret = fetch_transfer(&t);
		if (!ret && temporary_finish(t.out, part, f->path))
			ret = temporary_failed(f->path, errno);
		if (ret < 0 && size_of(part) == 0)
			unlink(part);
		fclose(t.out);
	}
	free(part);
	return ret;
}
