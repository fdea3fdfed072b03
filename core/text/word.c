/* Finds the known word nearest to a misspelt one, and lists known words in advice. */
#include "core/text/word.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/foreign.h"
#include "core/text/opt.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Longer words are never near, which bounds the table; longer lists are not shown whole, nor, where
 * some of their words are near, lists of more than BRIEF.
 */
enum { LONGEST = 63, FAR = 1000, SHOWN = 24, BRIEF = 5 };

/* '-' and '_' are the same character, and so are a and A. */
static int word_fold(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static int word_least(int a, int b)
{
	return a < b ? a : b;
}

/*
 * One row of the table of distances: row[j] is what it takes to turn the first
 * letters of a, of which the last is a[0], into the first j letters of b.
 * up and up2 are the rows of one and of two letters of a less.
 */
static void next_row(const char *a, int i, const char *b, int n, const int *up2, const int *up,
		     int *row)
{
	row[0] = i;
	for (int j = 1; j <= n; j++) {
		int change = word_fold(a[0]) != word_fold(b[j - 1]);

		row[j] = word_least(word_least(up[j], row[j - 1]) + 1, up[j - 1] + change);
		if (i > 1 && j > 1 && word_fold(a[0]) == word_fold(b[j - 2]) &&
		    word_fold(a[-1]) == word_fold(b[j - 1]))
			row[j] = word_least(row[j], up2[j - 2] + 1);
	}
}

/* Damerau and Levenshtein's: insertions, deletions, changes and swaps of neighbours. */
static int word_distance(const char *a, const char *b)
{
	int m = (int)strlen(a), n = (int)strlen(b);
	int rows[3][LONGEST + 1];

	for (int j = 0; j <= n; j++)
		rows[0][j] = j;
	for (int i = 1; i <= m; i++)
		next_row(a + i - 1, i, b, n, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
	return rows[m % 3][n];
}

/* The beginning or the last part of a word is one mistake, letters after a word are two. */
static bool word_begins(const char *word, const char *start)
{
	size_t n = strlen(start);

	for (size_t i = 0; i < n; i++)
		if (word_fold(word[i]) != word_fold(start[i]))
			return false;
	return n >= 3;
}

/* "accuracy" of "test_accuracy". */
static bool is_last_part(const char *word, const char *part)
{
	const size_t n = strlen(part), m = strlen(word);

	return n >= 3 && word_ends(word, part) && strchr("_-", word[m - n - 1]);
}

/*
 * Mistakes that a word of so many letters may have: a quarter of them, or two, but one alone where
 * it has three letters, or up to six of which the first is another.
 */
static int word_tolerance(int letters, bool same_start)
{
	const int few = letters > (same_start ? 3 : 6) ? 2 : 1;

	return letters / 4 > few ? letters / 4 : few;
}

/* How far, or FAR beyond that. */
static int word_farness(const char *word, const char *known)
{
	size_t m = strlen(word), n = strlen(known);
	size_t longer = m > n ? m : n;
	int d;

	if (!m || longer > LONGEST)
		return FAR;
	d = word_distance(word, known);
	if (word_begins(known, word) || is_last_part(known, word))
		return word_least(d, 1);
	if (word_begins(word, known))
		return word_least(d, 2);
	return d <= word_tolerance((int)longer, word_fold(*word) == word_fold(*known)) &&
			       d < (int)longer ?
		       d :
		       FAR;
}

const char *nearest_word(const char *word, const char *const *words)
{
	const char *best = NULL;
	int best_d = FAR;

	for (; *words; words++) {
		int d = word_farness(word, *words);

		if (d < best_d) {
			best_d = d;
			best = *words;
		}
	}
	return best;
}

bool word_same(const char *a, const char *b)
{
	while (*a && word_fold(*a) == word_fold(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

char *word_dashed(const char *word)
{
	char *text = xstrdup(word);

	for (char *c = text; *c && *c != '='; c++)
		*c = *c == '_' ? '-' : *c;
	return text;
}

char *word_option(const char *name)
{
	char *text = word_dashed(name), *option;

	option = xasprintf("%s%s", *name == '-' ? "" : name[1] ? "--" : "-", text);
	free(text);
	return option;
}

/* "--optim sgd:momentum=..." for "optim=sgd:momentum=...": what stands after '=' is a value. */
static char *option(const char *word)
{
	char *text = word_option(word), *value = strchr(text, '=');

	if (value)
		*value = ' ';
	return text;
}

typedef char *spelling(const char *word);

/* "a, b, c", or "" when there are too many to read. */
static char *word_listed(const char *const *words, spelling *spelled)
{
	char *list = xstrdup("");
	int n = 0;

	for (; words[n] && n <= SHOWN; n++)
		xappend_own(&list, ", ", spelled(words[n]));
	if (n > SHOWN)
		list[0] = '\0';
	return list;
}

static size_t words_count(const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

/* The words that are near, but for the nearest; NULL-ended. The caller frees. */
static const char **words_also_near(const char *word, const char *const *words, const char *nearest)
{
	const char **also = xcalloc(words_count(words) + 1, sizeof(*also));
	size_t n = 0;

	for (; *words; words++)
		if (*words != nearest && word_farness(word, *words) < FAR)
			also[n++] = *words;
	return also;
}

static char *word_advise(const char *word, const char *const *words, spelling *spelled)
{
	const char *own = foreign_find(word, words);
	const char *near = own ? own : nearest_word(word, words);
	const char **also = near && words_count(words) > BRIEF ?
		words_also_near(word, words, near) : NULL;
	char *list = word_listed(also ? also : words, spelled);
	char *name = near ? spelled(near) : xstrdup("");
	const char *title = !near ? "; known: " : also ? " Also near: " : " Known: ";
	char *advice = xasprintf("%s%s%s%s%s", near ? "; did you mean '" : "", name,
				 near ? "'?" : "", list[0] ? title : "", list);

	free(also);
	free(list);
	free(name);
	return advice;
}

char *word_advice(const char *word, const char *const *words)
{
	return word_advise(word, words, xstrdup);
}

char *word_option_advice(const char *word, const char *const *words)
{
	return word_advise(word, words, option);
}

int word_unknown(const char *where, const char *noun, const char *word, const char *const *words)
{
	char *advice = word_advice(word, words);

	error("%s%sunknown %s '%s'%s", where ? where : "", where ? ": " : "", noun, word, advice);
	free(advice);
	return -1;
}

char *word_trim(char *text)
{
	size_t n;

	text += strspn(text, " \t\r\n");
	n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	return text;
}

bool word_ends(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

bool word_is_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && (!strchr("-_.", *p) || p == name))
			return false;
	return true;
}

int word_check_name(const char *name, const char *where)
{
	if (!word_is_name(name))
		return error("%s: name '%s' must be of letters, digits, '-', '_' and '.'", where,
			     name);
	if (!*name || strlen(name) > 100)
		return error("%s: a name has 1 to 100 characters", where);
	return 0;
}

const char *word_plural(double n)
{
	return fabs(n - 1) > 0 ? "s" : "";
}
