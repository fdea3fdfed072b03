/* vocabulary.c - see vocabulary.h. */
#include "data/text/vocabulary.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_MAX = 1 << 20 };

static const char end_of_line[] = "<eos>";
enum { END_OF_LINE = 0 };

/* ---- the table ---- */

static size_t vocabulary_slot(const struct vocabulary *v, const char *at, size_t n)
{
	size_t slot = (size_t)fnv(FNV_START, at, n) & (v->capacity - 1);

	while (v->table[slot]) {
		const struct symbol *s = &v->symbols[v->table[slot] - 1];

		if (s->n == n && !memcmp(s->at, at, n))
			return slot;
		slot = (slot + 1) & (v->capacity - 1);
	}
	return slot;
}

static void vocabulary_fill_table(struct vocabulary *v)
{
	memset(v->table, 0, v->capacity * sizeof(*v->table));
	for (int32_t k = 0; k < v->n; k++)
		v->table[vocabulary_slot(v, v->symbols[k].at, v->symbols[k].n)] = k + 1;
}

static void vocabulary_grow(struct vocabulary *v)
{
	v->capacity = v->capacity ? 2 * v->capacity : 1024;
	v->symbols = xrealloc(v->symbols, v->capacity / 2, sizeof(*v->symbols));
	v->table = xrealloc(v->table, v->capacity, sizeof(*v->table));
	vocabulary_fill_table(v);
}

/* The symbol's number, which is a new one where there was none. */
static int32_t vocabulary_note(struct vocabulary *v, const char *at, size_t n)
{
	size_t slot;

	if (2 * (size_t)v->n >= v->capacity)
		vocabulary_grow(v);
	slot = vocabulary_slot(v, at, n);
	if (!v->table[slot]) {
		v->symbols[v->n] = (struct symbol){ at, n, 0, v->n };
		v->table[slot] = ++v->n;
	}
	v->symbols[v->table[slot] - 1].count++;
	return v->table[slot] - 1;
}

/* ---- cutting the text ---- */

struct cutter {
	enum unit unit;
	const char *path, *text;
	size_t size, at;
	int64_t line;
	const char *symbol;     /* the one that was cut last */
	size_t n;
};

/* Bytes of the character there; 0: it is not UTF-8. */
static size_t cut_character(const struct cutter *c)
{
	return (unsigned char)c->text[c->at] < 0x80 ? 1
		: utf8_character(c->text + c->at, c->size - c->at);
}

/* U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000. */
static bool vocabulary_is_wide_blank(const char *c, size_t n)
{
	static const char *const others[] = {
		"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
		"\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strlen(others[i]) == n && memcmp(others[i], c, n) == 0)
			return true;
	return n == 3 && !memcmp(c, "\xE2\x80", 2) && (unsigned char)c[2] <= 0x8A;
}

/* The white space of Unicode, as Python's split() knows it, but not the end of a line. */
static bool vocabulary_is_blank(const char *c, size_t n)
{
	if (n > 1)
		return vocabulary_is_wide_blank(c, n);
	return *c == ' ' || (*c >= '\t' && *c <= '\r' && *c != '\n') ||
	       (*c >= 0x1C && *c <= 0x1F);
}

/* Goes on while characters are white space, or are not. 0, or -1: one is not UTF-8. */
static int cut_while(struct cutter *c, bool blank)
{
	while (c->at < c->size && c->text[c->at] != '\n') {
		const size_t n = cut_character(c);

		if (!n)
			return -1;
		if (vocabulary_is_blank(c->text + c->at, n) != blank)
			break;
		c->at += n;
	}
	return 0;
}

/* The next word, or the end of a line: of the last one too where it has no line break. */
static int cut_word(struct cutter *c)
{
	if (cut_while(c, true))
		return -1;
	c->symbol = c->text + c->at;
	if (cut_while(c, false))
		return -1;
	c->n = (size_t)(c->text + c->at - c->symbol);
	if (c->n)
		return 1;
	c->symbol = end_of_line;
	c->n = strlen(end_of_line);
	c->line++;
	c->at++;
	return 1;
}

/* 1, 0 at the end, -1 after error(). */
static int cut_next(struct cutter *c)
{
	int ret = 1;

	if (c->at >= c->size)
		return 0;
	c->symbol = c->text + c->at;
	c->n = c->unit == UNIT_BYTE ? 1 : cut_character(c);
	if (c->unit == UNIT_WORD)
		ret = cut_word(c);
	else if (c->n)
		c->at += c->n;
	else
		ret = -1;
	if (ret < 0)
		return error("%s:%lld: byte %zu of the text is not UTF-8 (unit=%s needs UTF-8). "
			     "Convert the file, or choose unit=byte.", c->path, (long long)c->line,
			     c->at + 1, c->unit == UNIT_WORD ? "word" : "char");
	if (c->unit != UNIT_WORD && *c->symbol == '\n')
		c->line++;
	return ret;
}

/* True of words that no end of a line follows. */
static bool cut_is_open(const struct cutter *c)
{
	return c->unit == UNIT_WORD && c->symbol && c->symbol != end_of_line;
}

/* tokens[*n], with memory for as many as there are bytes, and one more. */
static int32_t *tokens_new(size_t size)
{
	return xcalloc(size + 2, sizeof(int32_t));
}

static int vocabulary_collect(struct vocabulary *v, struct cutter *c, int32_t *tokens, size_t *n)
{
	int more;

	*n = 0;
	while ((more = cut_next(c)) > 0) {
		tokens[(*n)++] = vocabulary_note(v, c->symbol, c->n);
		if (v->n > SYMBOLS_MAX)
			return error("%s: over %d different words (expected at most as many)",
				     c->path, SYMBOLS_MAX);
	}
	if (!more && !*n)
		return error("%s: there is no text in it", c->path);
	if (!more && cut_is_open(c))
		tokens[(*n)++] = vocabulary_note(v, end_of_line, strlen(end_of_line));
	return more;
}

/* ---- the order of tokens ---- */

static int vocabulary_by_bytes(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;
	const int order = memcmp(s->at, t->at, s->n < t->n ? s->n : t->n);

	return order ? order : (s->n > t->n) - (s->n < t->n);
}

static bool is_end_of_line(const struct symbol *s)
{
	return s->n == strlen(end_of_line) && memcmp(s->at, end_of_line, s->n) == 0;
}

static int vocabulary_by_count(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	if (is_end_of_line(s) != is_end_of_line(t))
		return is_end_of_line(s) ? -1 : 1;
	if (s->count != t->count)
		return s->count > t->count ? -1 : 1;
	return (s->first > t->first) - (s->first < t->first);
}

static void vocabulary_order(struct vocabulary *v, int32_t *tokens, size_t n)
{
	int32_t *now = xcalloc((size_t)v->n, sizeof(*now));

	qsort(v->symbols, (size_t)v->n, sizeof(*v->symbols),
	      v->unit == UNIT_WORD ? vocabulary_by_count : vocabulary_by_bytes);
	for (int32_t k = 0; k < v->n; k++)
		now[v->symbols[k].first] = k;
	for (size_t i = 0; i < n; i++)
		tokens[i] = now[tokens[i]];
	vocabulary_fill_table(v);
	free(now);
}

int32_t *vocabulary_make(struct vocabulary *v, enum unit unit, const char *path,
			 const char *text, size_t size, size_t *n)
{
	struct cutter c = { .unit = unit, .path = path, .text = text, .size = size, .line = 1 };
	int32_t *tokens = tokens_new(size);

	*v = (struct vocabulary){ .unit = unit, .spaced = unit == UNIT_WORD };
	if (vocabulary_collect(v, &c, tokens, n)) {
		free(tokens);
		vocabulary_release(v);
		return NULL;
	}
	vocabulary_order(v, tokens, *n);
	return xrealloc(tokens, *n, sizeof(*tokens));
}

char *symbol_text(const char *at, size_t n)
{
	if (n == 1 && (*at < ' ' || *at > '~'))
		return xasprintf("0x%02X", (unsigned)(unsigned char)*at);
	return xasprintf("'%.*s'", (int)(n < 64 ? n : 64), at);
}

/* Its symbol is unknown: error(). */
static int vocabulary_lacks(const struct cutter *c, const char *path)
{
	char *symbol = symbol_text(c->symbol, c->n);

	if (path)
		error("%s:%lld: %s is not in the vocabulary, which is that of the training text. "
		      "Take it out, or train on a text that has it.", path, (long long)c->line,
		      symbol);
	else
		error("prompt: %s is not in the vocabulary of the text that the model was trained "
		      "on. Choose another prompt.", symbol);
	free(symbol);
	return -1;
}

int32_t *vocabulary_encode(const struct vocabulary *v, const char *path, const char *text,
			   size_t size, size_t *n)
{
	struct cutter c = { .unit = v->unit, .path = path ? path : "prompt", .text = text,
			    .size = size, .line = 1 };
	int32_t *tokens = tokens_new(size);
	int more;

	*n = 0;
	while ((more = cut_next(&c)) > 0) {
		tokens[*n] = v->table[vocabulary_slot(v, c.symbol, c.n)] - 1;
		if (tokens[(*n)++] < 0)
			more = vocabulary_lacks(&c, path);
		if (more < 0)
			break;
	}
	if (more < 0) {
		free(tokens);
		return NULL;
	}
	if (cut_is_open(&c))
		tokens[(*n)++] = END_OF_LINE;
	return tokens;
}

void vocabulary_release(struct vocabulary *v)
{
	free(v->symbols);
	free(v->table);
	free(v->spelling);
	*v = (struct vocabulary){ 0 };
}
