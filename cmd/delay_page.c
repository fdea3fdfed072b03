/* Fills the page of `convoy delay fit`: slow ranks, their map, and the delay to give to advise. */
#include "cmd/delay_page.h"

#include "core/base/mem.h"
#include "core/text/word.h"
#include "record/environ.h"
#include "report/page/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranks in the table at most, the slowest first. */
enum { MOST_ROWS = 8 };

/* ---- the answer in a sentence, and its doubt ---- */

static char *page_answer(const struct fit *f)
{
	const struct outliers *o = &f->outliers;
	char *text = NULL, *together = together_words(&f->together, f->log.workers);
	char *lasting = lasting_words(&f->log, o);

	for (size_t i = 0, n, rows = 0; i < o->n; i += n) {
		if (rows++ == MOST_ROWS) {
			xappendf(&text, "; ", "and %zu more", o->n - i);
			break;
		}
		xappend_own(&text, "; ", outliers_words(o, i, f->log.steps, &n));
	}
	if (lasting)
		xappend_own(&text, "; ", lasting);
	if (!text)
		text = slower_words(&f->log);
	if (text) {
		text[0] = (char)(text[0] == 'r' ? 'R' : text[0]);
		xappend(&text, "", ".");
	} else if (f->log.workers < FIT_FEWEST_RANKS) {
		text = xasprintf("No rank is told from the others: that needs at least %d ranks.",
				 FIT_FEWEST_RANKS);
	} else {
		text = xstrdup("No rank is slow throughout or has bursts of its own.");
	}
	if (together)
		xappend(&text, " ", together);
	xappendf(&text, " ", "An all-reduce step takes %.3g s", f->step);
	if (o->n)
		xappendf(&text, "", ", and %.3g s of the other ranks alone", f->own.step);
	xappend(&text, "", ".");
	free(together);
	return text;
}

static char *page_doubt(const struct fit *f)
{
	const struct fit_comparison *c = &f->of[f->best];
	const char *name = f->model[f->best].name;
	const char *rest = f->outliers.n ? "The other ranks" : "All ranks";

	if (strcmp(name, "constant") == 0)
		return xasprintf("%s always take the same time.", rest);
	if (!c->fits)
		return xasprintf("%s are described by none of the models; the nearest is %s, in "
				 "which their all-reduce step takes %.3g s (%.3g to %.3g), but "
				 "%.3g s in the log. %s.", rest, name, c->step.middle, c->step.low,
				 c->step.high, f->own.step, fit_replays(f)
				 ? "So the settings replay the log" : "Give --csv FILE, and the "
				 "settings replay the log");
	return xasprintf("%s are described by the model %s (largest difference of distribution "
			 "functions %.3f, in its own runs up to %.3f; their all-reduce step takes "
			 "%.3g s, in its own runs %.3g to %.3g). Factors in parentheses: 95 %% "
			 "intervals, from 20 parts of the log.", rest, name, c->ks, c->ks_most,
			 f->own.step, c->step.low, c->step.high);
}

/* ---- table and map ---- */

struct rank_mean {
	size_t rank;
	double mean;
};

static int rank_order(const void *a, const void *b)
{
	const struct rank_mean *x = a, *y = b;

	if (x->mean != y->mean)
		return x->mean > y->mean ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static const struct outlier *outlier_of(const struct outliers *o, size_t rank)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].worker == rank)
			return &o->v[i];
	return NULL;
}

static void page_add_table(struct answer_page *p, const struct fit *f)
{
	const size_t ranks = f->log.workers, shown = ranks < MOST_ROWS ? ranks : MOST_ROWS;
	struct rank_mean *v = xcalloc(ranks, sizeof(*v));
	struct text_grid *g = grid_new();
	double median;          /* rank's mean */

	for (size_t i = 0; i < ranks; i++)
		v[i] = (struct rank_mean){ i, fit_mean(f->log.seconds + i * f->log.steps,
						       f->log.steps) };
	qsort(v, ranks, sizeof(*v), rank_order);
	median = 0.5 * (v[ranks / 2].mean + v[(ranks - 1) / 2].mean);
	grid_row(g, "rank", "mean [s]", "times the median rank's", "in bursts [%]", "finding",
		 NULL);
	for (size_t r = 0; r < shown; r++) {
		const struct outlier *o = outlier_of(&f->outliers, v[r].rank);
		char *rank = xasprintf("%zu", v[r].rank), *mean = xasprintf("%.4g", v[r].mean);
		char *ratio = xasprintf("%.3g", v[r].mean / median);
		const double bursts = o ? 100.0 * (double)o->burst_steps : 0.0;
		char *share = o && o->phases ? xasprintf("%.2g", bursts / (double)f->log.steps)
					     : xstrdup("-");

		grid_row(g, rank, mean, ratio, share,
			 !o ? "like the others"
			 : o->phases && o->throughout ? "slow throughout, and bursts"
			 : o->phases ? "bursts"
			 : o->level < 1.0 ? "fast throughout" : "slow throughout", NULL);
		free_all(rank, mean, ratio, share);
	}
	free(v);
	p->table = g;
	p->table_title = xstrdup("Slowest ranks");
	if (shown < ranks)
		texts_putf(&p->table_notes, "The other %zu ranks are faster.", ranks - shown);
}

static void page_add_map(struct answer_page *p, struct fit_map *m)
{
	struct chart *c = p->chart = xcalloc(1, sizeof(*p->chart));

	p->ncharts = 1;
	c->kind = CHART_HEAT;
	c->title = xasprintf("Colour: mean time of %.3g step%s of a rank in medians of the log, "
			     "%.4g s", (double)m->steps / (double)m->columns,
			     m->steps > m->columns ? "s" : "", m->median);
	c->xlabel = xstrdup("step");
	c->ylabel = xstrdup("rank");
	c->n = m->columns;
	c->x = xcalloc(c->n, sizeof(*c->x));
	for (size_t k = 0; k < c->n; k++)
		c->x[k] = (double)(m->steps - 1) * (double)k / (double)(c->n - 1);
	c->nup = m->ranks;
	c->up = xcalloc(c->nup, sizeof(*c->up));
	for (size_t i = 0; i < c->nup; i++) {
		const size_t rank = i * m->workers / m->ranks;

		c->up[i] = (double)rank;
	}
	c->heat = m->v;
	m->v = NULL;
}

/* ---- the page ---- */

/* --compute-s, --delay and --slow as a command takes them. The caller frees. */
static char *page_settings(const struct fit *f, struct answer_page *p)
{
	struct fit_settings s = fit_settings(f, false);
	char *seconds = xasprintf("%.5g", s.compute_s);
	char *text = xasprintf("--compute-s %s --delay '%s'%s%s", seconds, s.delay,
			       *s.slow ? " --slow " : "", s.slow);

	answer_fact_add(p, "--compute-s", seconds, "seconds of a step");
	answer_fact_add(p, "--delay", s.delay, "how steps vary");
	if (*s.slow)
		answer_fact_add(p, "--slow", s.slow, "rank:factor");
	fit_settings_release(&s);
	free(seconds);
	return text;
}

int delay_page_write(const struct fit *f, const struct delay_page *to)
{
	struct answer_page p = { .title = xstrdup("Which ranks are slow, and when?") };
	struct fit_map map = fit_map(&f->log);
	char *settings = page_settings(f, &p);
	char *batch = to->batch ? xasprintf(" --batch %lld", (long long)to->batch) : xstrdup("");
	int ret;

	p.question = xasprintf("%s: %zu rank%s, %zu steps each. Does one of them slow down a "
			       "synchronous run, always or at times, and what delay describes the "
			       "log?", f->path, f->log.workers, word_plural((double)f->log.workers),
			       f->log.steps);
	p.answer = page_answer(f);
	p.doubt = page_doubt(f);
	page_add_table(&p, f);
	page_add_map(&p, &map);
	p.facts_title = xstrdup("Settings that describe this cluster");
	p.command_title = xstrdup("Next: which algorithm suits this cluster");
	/* a cluster's network, or one that stands for it until it is known */
	p.command = xasprintf("convoy advise --among allreduce,local-sgd:period=8,asgd %s%s --net "
			      "%s%s --workers %zu %s", to->cluster ? "--cluster " : "--link nic:",
			      to->cluster ? to->cluster : "bandwidth_GBps=12.5",
			      to->net ? to->net : "resnet50", batch, f->log.workers, settings);
	if (!to->net)
		texts_put(&p.next, "The net: resnet50 stands for yours in the command below. Give "
				   "--net and --batch.");
	if (!to->cluster)
		texts_put(&p.next, "The network: a NIC of 12.5 GB/s stands for yours. convoy "
				   "calibrate measures it.");
	p.made = xasprintf("convoy %s, commit %s, by: %s", environ_version, environ_commit,
			   to->command);
	ret = answer_page_write(&p, to->path);
	answer_page_release(&p);
	fit_map_release(&map);
	free_all(settings, batch);
	return ret;
}
