/* Reads the items of a JSON file, plain or gzip, through a buffer. */
#include "record/trace/json_items.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Bytes of an item: a thousand times that of an event with its stack. */
static const size_t LARGEST_ITEM = (size_t)16 << 20;

enum { READER_BUFFER = 1 << 16, READER_END = -1, READER_FAILED = -2 };

struct json_reader {
	const char *path, *array;
	gzFile file;
	unsigned char buffer[READER_BUFFER];
	size_t used, filled;
	size_t offset;          /* bytes before buffer[used] */
	char *text;             /* [capacity] of the item, with a zero byte after it */
	size_t size, capacity;
	size_t number;          /* of elements */
	json_item_fn *take;
	void *ctx;
};

/* ---- characters ---- */

/* Fills the buffer. 0; READER_END at the file's end; READER_FAILED after error(). */
static int reader_fill(struct json_reader *r)
{
	const int got = gzread(r->file, r->buffer, READER_BUFFER);
	int code;
	const char *why = gzerror(r->file, &code);

	r->used = 0;
	r->filled = got > 0 ? (size_t)got : 0;
	if (got > 0)
		return 0;
	if (code == Z_OK || code == Z_STREAM_END)
		return READER_END;
	if (code == Z_BUF_ERROR)
		error("%s: truncated gzip file. Copy or export it again", r->path);
	else
		error("%s: cannot be read: %s", r->path, code == Z_ERRNO ? strerror(errno) : why);
	return READER_FAILED;
}

static int reader_next(struct json_reader *r)
{
	if (r->used == r->filled) {
		const int ret = reader_fill(r);

		if (ret < 0)
			return ret;
	}
	r->offset++;
	return r->buffer[r->used++];
}

/* Undoes reader_next() once. */
static void reader_back(struct json_reader *r)
{
	r->used--;
	r->offset--;
}

/* The next character that is no space. */
static int reader_token(struct json_reader *r)
{
	int c;

	do
		c = reader_next(r);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	return c;
}

/* error() that `want` is not there but c; -1. */
static int reader_unexpected(const struct json_reader *r, int c, const char *want)
{
	if (c == READER_FAILED)
		return -1;
	if (c == READER_END)
		return error("%s: the JSON ends after byte %zu (%s expected). Copy or export the "
			     "file again", r->path, r->offset, want);
	return error("%s: byte %zu: not JSON (%s expected). Export the file again", r->path,
		     r->offset, want);
}

/* ---- values ---- */

static int reader_put(struct json_reader *r, int c)
{
	if (r->size == LARGEST_ITEM)
		return error("%s: byte %zu: an item of more than %zu bytes is too large", r->path,
			     r->offset, LARGEST_ITEM);
	if (r->size + 1 >= r->capacity) {
		r->capacity = r->capacity ? 2 * r->capacity : 4096;
		r->text = xrealloc(r->text, r->capacity, 1);
	}
	r->text[r->size++] = (char)c;
	r->text[r->size] = '\0';
	return 0;
}

/* A raw control character, which some profilers leave in names, as JSON escapes it. */
static int reader_put_control(struct json_reader *r, int c)
{
	char escape[16];

	if (c == 0)
		return error("%s: byte %zu: a zero byte in a string. The file is damaged: copy or "
			     "export it again", r->path, r->offset);
	snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)c);
	for (const char *e = escape; *e; e++)
		if (reader_put(r, *e) < 0)
			return -1;
	return 0;
}

/* After the opening quote. */
static int reader_string(struct json_reader *r)
{
	bool escaped = false;

	for (;;) {
		const int c = reader_next(r);

		if (c < 0)
			return reader_unexpected(r, c, "the end of a string");
		if (c < ' ' ? reader_put_control(r, c) < 0 : reader_put(r, c) < 0)
			return -1;
		if (c == '"' && !escaped)
			return 0;
		escaped = c == '\\' && !escaped;
	}
}

/* A number, true, false or null, whose first character is in the text. */
static int reader_word(struct json_reader *r)
{
	for (;;) {
		const int c = reader_next(r);

		if (c == READER_END)
			return 0;
		if (c == READER_FAILED)
			return -1;
		if (strchr(",]} \t\r\n", c)) {
			reader_back(r);
			return 0;
		}
		if (reader_put(r, c) < 0)
			return -1;
	}
}

/* text <- the value whose first character is c. */
static int reader_value(struct json_reader *r, int c)
{
	size_t depth = 0;

	r->size = 0;
	for (;; c = reader_next(r)) {
		if (c < 0)
			return reader_unexpected(r, c, "the end of a value");
		if (reader_put(r, c) < 0)
			return -1;
		if (c == '"' && reader_string(r) < 0)
			return -1;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && depth > 0)
			depth--;
		else if (depth == 0 && c != '"')
			return reader_word(r);
		if (depth == 0)
			return 0;
	}
}

/* ---- items ---- */

static int reader_array(struct json_reader *r, const char *key)
{
	int c = reader_token(r);

	r->number = 0;
	if (c == ']')
		return 0;
	for (;; c = reader_token(r)) {
		struct json_item item = { r->path, key, NULL, true, r->number++ };

		if (reader_value(r, c) < 0)
			return -1;
		item.text = r->text;
		if (r->take(r->ctx, &item) < 0)
			return -1;
		c = reader_token(r);
		if (c == ']')
			return 0;
		if (c != ',')
			return reader_unexpected(r, c, "',' or ']'");
	}
}

/* c begins the value. */
static int reader_member(struct json_reader *r, const char *key, int c)
{
	struct json_item item = { r->path, key, NULL, false, 0 };

	if (c == '[' && strcmp(key, r->array) == 0)
		return reader_array(r, key);
	if (reader_value(r, c) < 0)
		return -1;
	item.text = r->text;
	return r->take(r->ctx, &item);
}

/* A key without its quotes, which the caller frees; NULL after error(). */
static char *reader_key(struct json_reader *r, int c)
{
	if (c != '"') {
		reader_unexpected(r, c, "a key");
		return NULL;
	}
	if (reader_value(r, c) < 0)
		return NULL;
	r->text[r->size - 1] = '\0';
	c = reader_token(r);
	if (c == ':')
		return xstrdup(r->text + 1);
	reader_unexpected(r, c, "':'");
	return NULL;
}

static int reader_object(struct json_reader *r)
{
	int c = reader_token(r), ret;

	if (c == '}')
		return 0;
	for (;; c = reader_token(r)) {
		char *key = reader_key(r, c);

		if (!key)
			return -1;
		ret = reader_member(r, key, reader_token(r));
		free(key);
		if (ret < 0)
			return -1;
		c = reader_token(r);
		if (c == '}')
			return 0;
		if (c != ',')
			return reader_unexpected(r, c, "',' or '}'");
	}
}

/* The first character after a byte order mark and spaces. */
static int reader_begin(struct json_reader *r)
{
	static const unsigned char mark[] = "\xef\xbb\xbf";
	int c = reader_next(r);

	if (c == 0xfe || c == 0xff) {
		error("%s: a text in UTF-16 (expected UTF-8). Save it as UTF-8", r->path);
		return READER_FAILED;
	}
	for (size_t i = 0; mark[i] && c == mark[i]; i++)
		c = reader_next(r);
	if (c >= 0)
		reader_back(r);
	return c < 0 ? c : reader_token(r);
}

static int reader_file(struct json_reader *r)
{
	int c = reader_begin(r), ret = 0;

	if (c < 0)
		return reader_unexpected(r, c, "'{' or '['");
	for (; c >= 0 && ret == 0; c = ret == 0 ? reader_token(r) : 0) {
		if (c == '{')
			ret = reader_object(r);
		else if (c == '[')
			ret = reader_array(r, "");
		else
			ret = reader_unexpected(r, c, "'{' or '['");
	}
	return c == READER_FAILED ? -1 : ret;
}

static gzFile reader_open(const char *path)
{
	const int fd = file_open_input(path);

	if (fd < 0)
		error("cannot open '%s': %s", path, file_why());
	return fd < 0 ? NULL : must_have(gzdopen(fd, "rb"), "an open file");
}

int json_items_read(const char *path, const char *array, json_item_fn *take, void *ctx)
{
	struct json_reader *r = xcalloc(1, sizeof(*r));
	int ret = -1;

	r->path = path;
	r->array = array;
	r->take = take;
	r->ctx = ctx;
	r->file = reader_open(path);
	if (r->file) {
		ret = reader_file(r);
		gzclose_r(r->file);
	}
	free_all(r->text, r);
	return ret;
}

cJSON *json_item_parse(const struct json_item *item)
{
	scoped char *name = item->element ?
				    xasprintf("%s: %s[%zu]", item->path, item->key, item->number) :
				    xasprintf("%s: %s", item->path, item->key);

	return json_parse(item->text, name);
}

bool json_items_are_in(const char *path)
{
	const int fd = file_open_input(path);
	gzFile file;
	int c = 0, next = 0;

	if (fd < 0)
		return false;
	file = must_have(gzdopen(fd, "rb"), "an open file");
	do
		c = gzgetc(file);
	while (c > 0 && strchr(" \t\n\r\xef\xbb\xbf", c));
	do
		next = gzgetc(file);
	while (next > 0 && strchr(" \t\n\r", next));
	gzclose_r(file);
	/* no "[rank3]: step 10", and no "{'loss': 2.3}" */
	return (c == '{' && next != '\'') || (c == '[' && !isalnum(next));
}
