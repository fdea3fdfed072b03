/*
 * style.c - how a series looks: a colour, dashes and a mark that belong to its algorithm.
 *
 * Colours are Okabe and Ito's, told apart by the colour-blind; dashes and marks tell lines apart
 * in grey. An algorithm looks the same in every plot that compares algorithms. Where all series
 * have one algorithm, or each mixes several, they take the looks in turn.
 */
#include "report/plot/plot.h"

#include <stdio.h>
#include <string.h>

enum { COLORS = 8, MARKS = 6 };

static const unsigned char color[COLORS][3] = {
	{ 0x00, 0x72, 0xB2 }, { 0xD5, 0x5E, 0x00 }, { 0x00, 0x9E, 0x73 }, { 0xCC, 0x79, 0xA7 },
	{ 0xE6, 0x9F, 0x00 }, { 0x56, 0xB4, 0xE9 }, { 0x00, 0x00, 0x00 }, { 0x8C, 0x7A, 0x00 },
};
enum { BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, OLIVE };

static const struct {
	const char *dash;
	int full, hollow;               /* gnuplot's point types */
} mark[MARKS] = {
	{ "1", 7, 6 }, { "(14,4)", 5, 4 }, { "(14,3,3,3)", 9, 8 }, { "(6,3)", 13, 12 },
	{ "(20,4,6,4)", 11, 10 }, { "(2,3)", 15, 14 },
};
enum { DISC, SQUARE, TRIANGLE, DIAMOND, TURNED, PENTAGON };

/* No two have both in common; those that are often compared have other colours. */
static const struct {
	const char *algo;
	int color, mark;
} looks[] = {
	{ "allreduce", BLUE, DISC }, { "softsync", BLUE, SQUARE }, { "rennala", BLUE, TRIANGLE },
	{ "ad-psgd", VERMILION, SQUARE }, { "multi-asgd", VERMILION, DISC },
	{ "k-async", VERMILION, TRIANGLE }, { "ssp", VERMILION, DIAMOND },
	{ "d-psgd", GREEN, TRIANGLE }, { "gap-aware", GREEN, TURNED },
	{ "local-sgd", GREEN, DISC }, { "ringmaster", GREEN, SQUARE },
	{ "asgd", PURPLE, DIAMOND }, { "hogwild", PURPLE, DISC },
	{ "k-batch-async", PURPLE, SQUARE }, { "groups", PURPLE, TRIANGLE },
	{ "eamsgd", ORANGE, TURNED }, { "easgd", ORANGE, DIAMOND },
	{ "staleness-aware", ORANGE, SQUARE }, { "k-sync", ORANGE, DISC },
	{ "gossip-pull", GREEN, PENTAGON }, { "dana", SKY, DISC }, { "sgp", SKY, SQUARE },
	{ "dynsgd", SKY, TRIANGLE },
	{ "gossip-push", BLACK, DISC }, { "nag-asgd", BLACK, SQUARE },
	{ "delay-adaptive", BLACK, TRIANGLE }, { "osgp", BLACK, DIAMOND },
	{ "dc-asgd", OLIVE, SQUARE }, { "backup", OLIVE, DISC }, { "downpour", OLIVE, TRIANGLE },
	{ "k-batch-sync", OLIVE, DIAMOND },
	{ "diloco", VERMILION, PENTAGON }, { "streaming-diloco", SKY, DIAMOND },
	{ "eager-diloco", OLIVE, TURNED }, { "async-local-sgd", PURPLE, PENTAGON },
	{ "fedbuff", BLACK, TURNED }, { "post-local-sgd", GREEN, DIAMOND },
	{ "local-adam", OLIVE, PENTAGON }, { "slowmo", ORANGE, TRIANGLE },
	{ "noloco", SKY, TURNED }, { "demo", BLACK, PENTAGON },
};
enum { LOOKS = sizeof(looks) / sizeof(looks[0]) };

/* Towards black or white, more so the higher the variant; 0: as it is. */
static void plot_style_shade(const unsigned char base[3], size_t variant, char out[8])
{
	static const struct {
		int towards;
		double share;
	} step[] = { { 0, 0 }, { 255, 0.45 }, { 0, 0.45 }, { 0, 0.75 } };
	const size_t k = variant % (sizeof(step) / sizeof(step[0]));
	int c[3];

	for (int i = 0; i < 3; i++)
		c[i] = (int)(base[i] + step[k].share * (step[k].towards - base[i]));
	snprintf(out, 8, "#%02X%02X%02X", (unsigned)c[0] & 255, (unsigned)c[1] & 255,
		 (unsigned)c[2] & 255);
}

static struct look look_of(int which_color, size_t which_mark, size_t variant)
{
	struct look l = { .dash = mark[which_mark % MARKS].dash,
			  .full = mark[which_mark % MARKS].full,
			  .hollow = mark[which_mark % MARKS].hollow };

	plot_style_shade(color[which_color], variant, l.color);
	return l;
}

static int plot_style_row_of(const char *algo)
{
	for (int i = 0; algo && i < LOOKS; i++)
		if (!strcmp(looks[i].algo, algo))
			return i;
	return -1;
}

static bool same_algo(const struct series *a, const struct series *b)
{
	return a->algo && b->algo && !strcmp(a->algo, b->algo);
}

/* Algorithms are compared, or one is alone. */
static bool by_algorithm(const struct figure *f)
{
	for (size_t i = 1; i < f->n; i++)
		if (!same_algo(&f->series[0], &f->series[i]))
			return true;
	return f->n == 1;
}

static int own_row(const struct figure *f, size_t i)
{
	return by_algorithm(f) ? plot_style_row_of(f->series[i].algo) : -1;
}

bool figure_own_look(const struct figure *f, size_t i)
{
	return own_row(f, i) >= 0;
}

struct look figure_look(const struct figure *f, size_t i)
{
	const int row = own_row(f, i);
	size_t variant = 0;

	if (row < 0)
		return look_of((int)(i % COLORS), i, i / COLORS);
	for (size_t k = 0; k < i; k++)
		variant += same_algo(&f->series[k], &f->series[i]);
	return look_of(looks[row].color, (size_t)looks[row].mark + variant, variant);
}
