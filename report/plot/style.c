/*
 * style.c - how a series looks: a colour, dashes and a mark that belong to its algorithm.
 *
 * The first eight colours are Okabe and Ito's, told apart by the colour-blind; dashes and marks
 * tell lines apart in grey, and those of similar colours. An algorithm looks the same in every
 * plot that compares algorithms; one that is not in the table gets, by its name, a look that no
 * entry of the table has. Where all series have one algorithm, or each mixes several, they take the
 * looks in turn.
 */
#include "report/plot/plot.h"

#include "core/base/hash.h"
#include "core/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLORS = 15, MARKS = 6 };

static const unsigned char color[COLORS][3] = {
	{ 0x00, 0x72, 0xB2 }, { 0xD5, 0x5E, 0x00 }, { 0x00, 0x9E, 0x73 }, { 0xCC, 0x79, 0xA7 },
	{ 0xE6, 0x9F, 0x00 }, { 0x56, 0xB4, 0xE9 }, { 0x00, 0x00, 0x00 }, { 0x8C, 0x7A, 0x00 },
	{ 0x8A, 0x1C, 0x56 }, { 0x5A, 0x3F, 0xC0 }, { 0x7A, 0x4A, 0x21 }, { 0x5F, 0x7C, 0x8A },
	{ 0x77, 0xB3, 0x00 }, { 0xFF, 0x6F, 0x91 }, { 0x00, 0xB5, 0xAD },
};
enum {
	BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, OLIVE, WINE, VIOLET, BROWN, STEEL, LIME,
	ROSE, TEAL
};

static const struct {
	const char *dash;
	int full, hollow;               /* gnuplot's point types */
} mark[MARKS] = {
	{ "1", 7, 6 }, { "(14,4)", 5, 4 }, { "(14,3,3,3)", 9, 8 }, { "(6,3)", 13, 12 },
	{ "(20,4,6,4)", 11, 10 }, { "(2,3)", 15, 14 },
};
enum { DISC, SQUARE, TRIANGLE, DIAMOND, TURNED, PENTAGON };

/* No two have both in common; those that are compared in the built-in plots have other colours. */
static const struct {
	const char *algo;
	int color, mark;
} looks[] = {
	{ "allreduce", BLUE, DISC },
	{ "ad-psgd", VERMILION, SQUARE }, { "multi-asgd", VERMILION, DISC },
	{ "k-async", VERMILION, TRIANGLE }, { "local-adam", VERMILION, PENTAGON },
	{ "d-psgd", GREEN, TRIANGLE }, { "ringmaster", GREEN, SQUARE },
	{ "gossip-pull", GREEN, PENTAGON },
	{ "asgd", PURPLE, DIAMOND }, { "async-local-sgd", PURPLE, SQUARE },
	{ "easgd", ORANGE, DIAMOND }, { "staleness-aware", ORANGE, SQUARE },
	{ "k-sync", ORANGE, DISC }, { "slowmo", ORANGE, TRIANGLE },
	{ "dana", SKY, SQUARE }, { "sgp", SKY, TURNED }, { "noloco", SKY, TRIANGLE },
	{ "groups", BLACK, TRIANGLE }, { "nag-asgd", BLACK, SQUARE },
	{ "k-batch-sync", BLACK, DIAMOND }, { "demo", BLACK, PENTAGON },
	{ "dc-asgd", OLIVE, PENTAGON }, { "backup", OLIVE, DISC },
	{ "downpour", OLIVE, TRIANGLE }, { "fedbuff", OLIVE, TURNED },
	{ "osgp", WINE, PENTAGON }, { "post-local-sgd", WINE, DIAMOND },
	{ "ssp", VIOLET, DIAMOND }, { "gossip-push", VIOLET, TRIANGLE },
	{ "eager-diloco", VIOLET, TURNED },
	{ "softsync", BROWN, SQUARE }, { "rennala", BROWN, TRIANGLE },
	{ "eamsgd", STEEL, DISC }, { "dynsgd", STEEL, TRIANGLE }, { "diloco", STEEL, TURNED },
	{ "gap-aware", LIME, TURNED }, { "streaming-diloco", LIME, DIAMOND },
	{ "hogwild", ROSE, DISC },
	{ "local-sgd", TEAL, DISC }, { "k-batch-async", TEAL, SQUARE },
	{ "delay-adaptive", TEAL, TRIANGLE },
};
enum { LOOKS = sizeof(looks) / sizeof(looks[0]) };

struct base {                   /* of the looks of an algorithm and its variants */
	int color, mark;
};

static bool is_taken(int which)
{
	for (int i = 0; i < LOOKS; i++)
		if (looks[i].color == which % COLORS && looks[i].mark == which / COLORS)
			return true;
	return false;
}

/* One that is not in the table is chosen by its name, among the looks that the table leaves. */
static struct base base_of(const char *algo)
{
	uint64_t skip = fnv_text(FNV_START, algo) % (COLORS * MARKS - LOOKS);
	int which = 0;

	for (int i = 0; i < LOOKS; i++)
		if (!strcmp(looks[i].algo, algo))
			return (struct base){ looks[i].color, looks[i].mark };
	for (; skip || is_taken(which); which++)
		skip -= !is_taken(which);
	return (struct base){ which % COLORS, which / COLORS };
}

/* A higher variant is further towards black or white; 0: the colour as it is. */
static struct look look_of(struct base base, size_t variant)
{
	static const struct {
		int towards;
		double share;
	} step[] = { { 0, 0 }, { 255, 0.45 }, { 0, 0.45 }, { 0, 0.75 } };
	const size_t k = variant % (sizeof(step) / sizeof(step[0]));
	const size_t which = ((size_t)base.mark + variant) % MARKS;
	struct look l = { .dash = mark[which].dash, .full = mark[which].full,
			  .hollow = mark[which].hollow };
	unsigned c[3];

	for (int i = 0; i < 3; i++) {
		const int from = color[base.color][i];

		c[i] = (unsigned)(int)(from + step[k].share * (step[k].towards - from)) & 255;
	}
	snprintf(l.color, sizeof(l.color), "#%02X%02X%02X", c[0], c[1], c[2]);
	return l;
}

bool figure_own_look(const struct figure *f, size_t i)
{
	const char *first = f->series[0].algo;
	bool compared = f->n == 1;

	for (size_t k = 1; k < f->n; k++)
		compared = compared || !first || !f->series[k].algo ||
			   strcmp(first, f->series[k].algo) != 0;
	return compared && f->series[i].algo;
}

/* In turn, the colours of other series' algorithms left out as long as there are others. */
static struct look look_in_turn(const struct figure *f, size_t i)
{
	bool used[COLORS] = { false };
	size_t turn = i, left = COLORS;

	for (size_t k = 0; k < f->n; k++)
		if (figure_own_look(f, k)) {
			left -= !used[base_of(f->series[k].algo).color];
			used[base_of(f->series[k].algo).color] = true;
		}
	for (size_t k = 0; k < i; k++)
		turn -= figure_own_look(f, k);
	for (int c = 0, free_colors = 0; c < COLORS; c++)
		if (!used[c] && (size_t)free_colors++ == turn % (left ? left : 1))
			return look_of((struct base){ c, (int)(turn % MARKS) },
				       turn / (left ? left : 1));
	return look_of((struct base){ (int)(turn % COLORS), (int)(turn % MARKS) }, turn / COLORS);
}

struct look figure_look(const struct figure *f, size_t i)
{
	struct base base;
	size_t variant = 0;

	if (!figure_own_look(f, i))
		return look_in_turn(f, i);
	base = base_of(f->series[i].algo);
	for (size_t k = 0; k < i; k++)
		if (figure_own_look(f, k)) {
			const struct base other = base_of(f->series[k].algo);

			variant += other.color == base.color && other.mark == base.mark;
		}
	return look_of(base, variant);
}

static bool color_is_used(const struct look *look, size_t n, const char *hex)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(look[i].color, hex) == 0)
			return true;
	return false;
}

void algo_looks(char *const *algo, size_t n, struct look *look)
{
	static const char *const others[] = { "#8F7700", "#CC79A7", "#56B4E9", "#7A3E9D", "#009E73",
					      "#A14A1F", "#5B5B5B", "#D4A017" };
	struct series *s = xcalloc(n + 1, sizeof(*s));
	const struct figure f = { .n = n, .series = s };

	for (size_t k = 0; k < n; k++)
		s[k].algo = xasprintf("%.*s", (int)strcspn(algo[k], ":, "), algo[k]);
	for (size_t k = 0; k < n; k++) {
		size_t next = 0;

		look[k] = figure_look(&f, k);
		while (color_is_used(look, k, look[k].color) &&
		       next < sizeof(others) / sizeof(others[0]))
			snprintf(look[k].color, sizeof(look[k].color), "%s", others[next++]);
	}
	for (size_t k = 0; k < n; k++)
		free(s[k].algo);
	free(s);
}
