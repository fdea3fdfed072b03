/* Turns text into tokens (bytes, characters, words or those of GPT-2), and back. */
#include "data/text/vocabulary.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_MAX = 1 << 20 };

static const char end_of_line[] = "<eos>";
enum { END_OF_LINE = 0 };

/* ---- the hash table ---- */

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

/* Number of the symbol, which is added if it is new. */
static int32_t vocabulary_note(struct vocabulary *v, const char *at, size_t n)
{
	size_t slot;

	if (2 * (size_t)v->n >= v->capacity) {
		v->capacity = v->capacity ? 2 * v->capacity : 1024;
		v->symbols = xrealloc(v->symbols, v->capacity / 2, sizeof(*v->symbols));
		v->table = xrealloc(v->table, v->capacity, sizeof(*v->table));
		vocabulary_fill_table(v);
	}
	slot = vocabulary_slot(v, at, n);
	if (!v->table[slot]) {
		v->symbols[v->n] = (struct symbol){ at, n, 0, v->n };
		v->table[slot] = ++v->n;
	}
	v->symbols[v->table[slot] - 1].count++;
	return v->table[slot] - 1;
}

/* ---- cutting text into symbols ---- */

struct cutter {
	enum unit unit;
	const char *path, *text;
	size_t size, at;
	int64_t line;
	const char *symbol;     /* the latest symbol */
	size_t n;
};

/* Bytes of the next character; 0: it is not UTF-8. */
static size_t cut_character(const struct cutter *c)
{
	return (unsigned char)c->text[c->at] < 0x80 ? 1
		: utf8_character(c->text + c->at, c->size - c->at);
}

/* True for Unicode's white space, as in Python's split(), except a line end. */
static bool is_blank(const char *c, size_t n)
{
	/* U+0085, U+00A0, U+1680, U+2028, U+2029, U+202F, U+205F, U+3000; U+2000 to U+200A */
	static const char *const others[] = {
		"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
		"\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"
	};

	if (n == 1)
		return *c == ' ' || (*c >= '\t' && *c <= '\r' && *c != '\n') ||
		       (*c >= 0x1C && *c <= 0x1F);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strlen(others[i]) == n && memcmp(others[i], c, n) == 0)
			return true;
	return n == 3 && !memcmp(c, "\xE2\x80", 2) && (unsigned char)c[2] <= 0x8A;
}

/* Advances over characters that are white space, or that are not. 0, or -1: one is not UTF-8. */
static int cut_while(struct cutter *c, bool blank)
{
	while (c->at < c->size && c->text[c->at] != '\n') {
		const size_t n = cut_character(c);

		if (!n)
			return -1;
		if (is_blank(c->text + c->at, n) != blank)
			break;
		c->at += n;
	}
	return 0;
}

/* Cuts the next word, or a line end; the last line ends even without a line break. */
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

/* Cuts the next symbol: 1; 0 at the end; -1 after error(). */
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

/* True if the text's last words are not followed by a line end. */
static bool cut_is_open(const struct cutter *c)
{
	return c->unit == UNIT_WORD && c->symbol && c->symbol != end_of_line;
}

/* ---- numbering of tokens ---- */

static int by_bytes(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;
	const int order = memcmp(s->at, t->at, s->n < t->n ? s->n : t->n);

	return order ? order : (s->n > t->n) - (s->n < t->n);
}

static bool is_end_of_line(const struct symbol *s)
{
	return s->n == strlen(end_of_line) && memcmp(s->at, end_of_line, s->n) == 0;
}

static int by_count(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	if (is_end_of_line(s) != is_end_of_line(t))
		return is_end_of_line(s) ? -1 : 1;
	if (s->count != t->count)
		return s->count > t->count ? -1 : 1;
	return (s->first > t->first) - (s->first < t->first);
}

int32_t *vocabulary_make(struct vocabulary *v, enum unit unit, const char *path,
			 const char *text, size_t size, size_t *n)
{
	struct cutter c = { .unit = unit, .path = path, .text = text, .size = size, .line = 1 };
	int32_t *tokens = xcalloc(size + 2, sizeof(int32_t)), *now;
	int more;

	*v = (struct vocabulary){ .unit = unit, .spaced = unit == UNIT_WORD };
	*n = 0;
	while ((more = cut_next(&c)) > 0) {
		tokens[(*n)++] = vocabulary_note(v, c.symbol, c.n);
		if (v->n > SYMBOLS_MAX) {
			more = error("%s: over %d different words (expected at most as many)",
				     path, SYMBOLS_MAX);
			break;
		}
	}
	if (!more && !*n)
		more = error("%s: there is no text in it", path);
	if (more) {
		free(tokens);
		vocabulary_release(v);
		return NULL;
	}
	if (cut_is_open(&c))
		tokens[(*n)++] = vocabulary_note(v, end_of_line, strlen(end_of_line));
	qsort(v->symbols, (size_t)v->n, sizeof(*v->symbols),
	      unit == UNIT_WORD ? by_count : by_bytes);
	now = xcalloc((size_t)v->n, sizeof(*now));
	for (int32_t k = 0; k < v->n; k++)
		now[v->symbols[k].first] = k;
	for (size_t i = 0; i < *n; i++)
		tokens[i] = now[tokens[i]];
	vocabulary_fill_table(v);
	free(now);
	return xrealloc(tokens, *n, sizeof(*tokens));
}

char *symbol_text(const char *at, size_t n)
{
	if (n == 1 && (*at < ' ' || *at > '~'))
		return xasprintf("0x%02X", (unsigned)(unsigned char)*at);
	return xasprintf("'%.*s'", (int)(n <= 64 ? n : utf8_whole(at, 64)), at);
}

int32_t *vocabulary_encode(const struct vocabulary *v, const char *path, const char *text,
			   size_t size, size_t *n)
{
	struct cutter c = { .unit = v->unit, .path = path ? path : "prompt", .text = text,
			    .size = size, .line = 1 };
	int32_t *tokens = xcalloc(size + 2, sizeof(int32_t));
	char *symbol;
	int more;

	*n = 0;
	while ((more = cut_next(&c)) > 0) {
		tokens[*n] = v->table[vocabulary_slot(v, c.symbol, c.n)] - 1;
		if (tokens[(*n)++] >= 0)
			continue;
		symbol = symbol_text(c.symbol, c.n);
		if (path)
			error("%s:%lld: %s is not in the vocabulary, which is that of the training "
			      "text. Take it out, or train on a text that has it.", path,
			      (long long)c.line, symbol);
		else
			error("prompt: %s is not in the vocabulary of the text that the model was "
			      "trained on. Choose another prompt.", symbol);
		free(symbol);
		more = -1;
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
	free_all(v->symbols, v->table, v->spelling);
	*v = (struct vocabulary){ 0 };
}

/* ---- files of GPT-2's tokens ---- */

enum { HEADER_WORDS = 256, HEADER_BYTES = 4 * HEADER_WORDS, NUMBER_MOST = 8 };
enum { TOKENS_MAGIC = 20240520, TOKENS_VERSION = 1 };
enum { SPELLING_MAGIC = 20240328, SPELLING_VERSION = 2 };

static const size_t tokenizer_most = (size_t)1 << 25;

static uint32_t tokens_word(const uint8_t *header, int k)
{
	const uint8_t *at = header + 4 * k;

	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* 0, or error() unless the header begins with these two words. */
static int tokens_check_header(const char *path, const struct bytes *b, uint32_t magic,
			       uint32_t version, const char *what)
{
	if (b->n < HEADER_BYTES)
		return error("%s: %zu bytes are no %s of llm.c (expected at least %d). Choose "
			     "another file.", path, b->n, what, HEADER_BYTES);
	if (tokens_word(b->at, 0) != magic || tokens_word(b->at, 1) != version)
		return error("%s: it begins with %u and %u, so it is no %s of llm.c (expected %u "
			     "and %u). Choose another file.", path, tokens_word(b->at, 0),
			     tokens_word(b->at, 1), what, magic, version);
	return 0;
}

int32_t *tokens_read(const char *path, const struct bytes *b, size_t *n)
{
	int32_t *tokens;

	if (tokens_check_header(path, b, TOKENS_MAGIC, TOKENS_VERSION, "file of tokens"))
		return NULL;
	*n = tokens_word(b->at, 2);
	if (b->n != HEADER_BYTES + 2 * *n || !*n) {
		error("%s: %zu tokens in %zu bytes (expected %zu bytes). The file is not whole; "
		      "get it again.", path, *n, b->n, HEADER_BYTES + 2 * *n);
		return NULL;
	}
	tokens = xcalloc(*n, sizeof(*tokens));
	for (size_t i = 0; i < *n; i++) {
		const uint8_t *at = b->at + HEADER_BYTES + 2 * i;

		tokens[i] = at[0] | at[1] << 8;
		if (tokens[i] < GPT2_TOKENS)
			continue;
		error("%s: token %zu of the file is %d (expected less than %d). It is not of "
		      "GPT-2; choose another file.", path, i + 1, tokens[i], GPT2_TOKENS);
		free(tokens);
		return NULL;
	}
	return tokens;
}

/* Takes the symbols' bytes from the file, whose memory the vocabulary then owns. */
static int spell_words(struct vocabulary *v, const char *path, struct bytes *b)
{
	size_t at = HEADER_BYTES;

	v->spelling = (char *)b->at;
	if (tokens_check_header(path, b, SPELLING_MAGIC, SPELLING_VERSION, "tokenizer"))
		return -1;
	if (tokens_word(b->at, 2) != GPT2_TOKENS)
		return error("%s: it spells %u tokens (expected the %d of GPT-2). Choose another "
			     "file.", path, tokens_word(b->at, 2), GPT2_TOKENS);
	for (int32_t k = 0; k < GPT2_TOKENS; k++) {
		const size_t length = at < b->n ? b->at[at] : 0;

		if (at >= b->n || b->n - at - 1 < length)
			return error("%s: it ends before token %d. Get it again.", path, k);
		v->symbols[k].at = (const char *)b->at + at + 1;
		v->symbols[k].n = length;
		at += 1 + length;
	}
	return 0;
}

int tokens_spell(struct vocabulary *v, const char *tokenizer)
{
	struct bytes b;

	*v = (struct vocabulary){ .unit = UNIT_GPT2, .n = GPT2_TOKENS, .spaced = !tokenizer };
	v->symbols = xcalloc(GPT2_TOKENS, sizeof(*v->symbols));
	if (tokenizer)
		return data_read(tokenizer, tokenizer_most, &b) ? -1
								: spell_words(v, tokenizer, &b);
	v->spelling = xcalloc(GPT2_TOKENS, NUMBER_MOST);
	for (int32_t k = 0; k < GPT2_TOKENS; k++) {
		char *at = v->spelling + (size_t)k * NUMBER_MOST;

		v->symbols[k].n = (size_t)snprintf(at, NUMBER_MOST, "%d", k);
		v->symbols[k].at = at;
	}
	return 0;
}
