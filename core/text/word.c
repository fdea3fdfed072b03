/* Advice on an unknown word: the most similar known word, and translations from other programs. */
#include "core/text/word.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- words of other programs: mpirun, SLURM, PyTorch, Horovod, Ray ---- */

const struct foreign foreign_options[] = {
	/* number of processes and machines: mpirun, srun, torchrun, horovodrun */
	{ "np", "n", "-n" }, { "np", "workers", NULL },
	{ "nproc", "n", "-n" }, { "nproc", "workers", NULL },
	{ "nprocs", "n", "-n" }, { "nprocs", "workers", NULL },
	{ "ntasks", "n", "-n" }, { "ntasks", "workers", NULL },
	{ "num-proc", "n", "-n" }, { "num-proc", "workers", NULL },
	{ "num-processes", "n", "-n" }, { "num-processes", "workers", NULL },
	{ "nproc-per-node", "n", "-n" }, { "nproc-per-node", "workers", NULL },
	{ "ntasks-per-node", "n", "-n" }, { "ntasks-per-node", "workers", NULL },
	{ "world-size", "workers", NULL }, { "ranks", "workers", NULL },
	{ "processes", "workers", NULL }, { "nodes", "workers", NULL },
	{ "nnodes", "workers", NULL }, { "num-nodes", "workers", NULL },
	{ "num-workers", "workers", NULL }, { "n-workers", "workers", NULL },
	{ "gpus", "workers", NULL }, { "num-gpus", "workers", NULL },
	{ "gpus-per-node", "workers", NULL }, { "devices", "workers", NULL },
	{ "replicas", "workers", NULL }, { "num-replicas", "workers", NULL },
	{ "learners", "workers", NULL }, { "clients", "workers", NULL },
	{ "machinefile", "hostfile", NULL }, { "host-file", "hostfile", NULL },
	{ "host", "hosts", NULL }, { "nodelist", "hosts", NULL },
	{ "map-by", "mpirun", "--mpirun '--map-by ...'" },
	{ "bind-to", "mpirun", "--mpirun '--bind-to ...'" },
	{ "mca", "mpirun", "--mpirun '--mca ...'" },
	{ "oversubscribe", "mpirun", "--mpirun --oversubscribe" },
	{ "cpus-per-task", "threads", NULL }, { "num-threads", "threads", NULL },
	{ "omp-num-threads", "threads", NULL }, { "cpus", "threads", NULL },

	/* program and problem */
	{ "algorithm", "algo", NULL }, { "method", "algo", NULL }, { "strategy", "algo", NULL },
	{ "distributed-strategy", "algo", NULL }, { "kvstore", "algo", NULL },
	{ "sync-mode", "algo", NULL }, { "sync", "algo", "algo=allreduce" },
	{ "async", "algo", "algo=asgd" }, { "ps", "algo", "algo=asgd" },
	{ "ddp", "algo", "algo=allreduce" }, { "horovod", "algo", "algo=allreduce" },
	{ "staleness", "bound", NULL }, { "staleness", "algo", "algo=ssp:bound=..." },
	{ "max-staleness", "bound", NULL }, { "max-staleness", "algo", "algo=ssp:bound=..." },
	{ "slack", "bound", NULL }, { "slack", "algo", "algo=ssp:bound=..." },
	{ "local-steps", "period", NULL }, { "local-steps", "tau", NULL },
	{ "local-steps", "algo", "algo=local-sgd:period=..." },
	{ "sync-period", "period", NULL }, { "sync-period", "tau", NULL },
	{ "sync-period", "algo", "algo=local-sgd:period=..." },
	{ "communication-period", "period", NULL }, { "communication-period", "tau", NULL },
	{ "communication-period", "algo", "algo=local-sgd:period=..." },
	{ "backup-workers", "algo", "algo=backup:b=..." },
	{ "topology", "graph", NULL }, { "neighbors", "graph", NULL },
	{ "neighbours", "graph", NULL },
	{ "num-ps", "shards", NULL }, { "parameter-servers", "shards", NULL },
	{ "num-servers", "shards", NULL }, { "servers", "shards", NULL },
	{ "model", "net", NULL }, { "network", "net", NULL }, { "arch", "net", NULL },
	{ "architecture", "net", NULL }, { "backbone", "net", NULL },
	{ "dataset", "data", NULL }, { "data-dir", "data", "data=NAME:dir=..." },
	{ "data-path", "data", "data=NAME:dir=..." }, { "data-root", "data", "data=NAME:dir=..." },

	/* optimiser and learning rate */
	{ "learning-rate", "lr", NULL }, { "step-size", "lr", NULL }, { "base-lr", "lr", NULL },
	{ "initial-lr", "lr", NULL }, { "eta", "lr", NULL },
	{ "scale-lr", "lr_scaling", "lr-scaling=linear" },
	{ "linear-scaling", "lr_scaling", "lr-scaling=linear" },
	{ "momentum", "optim", "optim=sgd:momentum=..." },
	{ "nesterov", "optim", "optim=sgd:nesterov=..." },
	{ "weight-decay", "optim", "optim=sgd:weight_decay=..." },
	{ "wd", "optim", "optim=sgd:weight_decay=..." },
	{ "l2", "optim", "optim=sgd:weight_decay=..." },
	{ "betas", "optim", "optim=adam:beta1=..." },
	{ "optimizer", "optim", NULL }, { "optimiser", "optim", NULL }, { "opt", "optim", NULL },
	{ "scheduler", "schedule", NULL }, { "lr-schedule", "schedule", NULL },
	{ "lr-scheduler", "schedule", NULL }, { "lr-decay", "schedule", NULL },
	{ "lr-policy", "schedule", NULL }, { "milestones", "schedule", "schedule=steps:at=..." },
	{ "lr-steps", "schedule", "schedule=steps:at=..." },
	{ "warmup-epochs", "warmup", NULL }, { "lr-warmup", "warmup", NULL },
	{ "batch-size", "batch", NULL }, { "minibatch", "batch", NULL },
	{ "minibatch-size", "batch", NULL }, { "mini-batch", "batch", NULL },
	{ "bs", "batch", NULL }, { "local-batch-size", "batch", NULL },
	{ "train-batch-size", "batch", NULL }, { "per-device-batch-size", "batch", NULL },
	{ "num-epochs", "epochs", NULL }, { "max-epochs", "epochs", NULL },
	{ "n-epochs", "epochs", NULL },
	{ "steps", "gradients", NULL }, { "iterations", "gradients", NULL },
	{ "updates", "gradients", NULL }, { "iters", "gradients", NULL },
	{ "max-steps", "gradients", NULL }, { "num-steps", "gradients", NULL },
	{ "max-iter", "gradients", NULL }, { "total-steps", "gradients", NULL },
	{ "time-limit", "seconds", NULL }, { "max-time", "seconds", NULL },
	{ "duration", "seconds", NULL },
	{ "random-seed", "seed", NULL }, { "manual-seed", "seed", NULL },
	{ "rng-seed", "seed", NULL },
	{ "dtype", "precision", NULL }, { "amp", "precision", "precision=bf16" },
	{ "mixed-precision", "precision", "precision=bf16" },
	{ "bf16", "precision", "precision=bf16" },
	{ "compression", "codec", NULL }, { "compressor", "codec", NULL },
	{ "compress", "codec", NULL }, { "quantize", "codec", NULL }, { "sparsify", "codec", NULL },
	{ "gradient-compression", "codec", NULL },
	{ "fp16-allreduce", "codec", "codec=fp16" },
	{ "fusion-threshold", "bucket", NULL }, { "fusion-threshold-mb", "bucket", NULL },
	{ "bucket-cap-mb", "bucket", NULL }, { "bucket-size", "bucket", NULL },
	{ "eval-interval", "eval_every", NULL }, { "eval-freq", "eval_every", NULL },
	{ "test-interval", "eval_every", NULL }, { "log-interval", "train_every", NULL },
	{ "print-freq", "train_every", NULL }, { "pretrained", "init", NULL },
	{ "save-every", "checkpoint_every", NULL }, { "save-freq", "checkpoint_every", NULL },
	{ "checkpoint-interval", "checkpoint_every", NULL },
	{ "restore", "resume", NULL }, { "resume-from", "resume", NULL },

	/* machine and faults */
	{ "machine", "cluster", NULL }, { "platform", "cluster", NULL },
	{ "hardware", "cluster", NULL },
	{ "bandwidth", "link", "link=nic:bandwidth_GBps=..." },
	{ "latency", "link", "link=nic:latency_s=..." },
	{ "step-time", "compute_s", NULL }, { "compute-time", "compute_s", NULL },
	{ "gradient-time", "compute_s", NULL },
	{ "straggler", "slow", NULL }, { "stragglers", "slow", NULL }, { "slowdown", "slow", NULL },
	{ "jitter", "delay", NULL }, { "noise", "delay", NULL },
	{ "failures", "faults", NULL }, { "crash", "faults", NULL },

	/* files */
	{ "output", "out", NULL }, { "output-dir", "out", NULL }, { "outdir", "out", NULL },
	{ "log-dir", "out", NULL }, { "logdir", "out", NULL }, { "save-dir", "out", NULL },
	{ .word = NULL }
};

const char *foreign_option(const char *word, const char *const *names)
{
	for (const struct foreign *f = foreign_options; f->word; f++) {
		const char *const *name = names;

		if (!word_same(word, f->word))
			continue;
		while (*name && strcmp(*name, f->known) != 0)
			name++;
		if (*name)
			return f->text ? f->text : f->known;
	}
	return NULL;
}

/* True if a word is that of the entry, or has the form of it: "*.csv", "#". */
static bool foreign_fits(const char *entry, const char *word)
{
	return word_same(entry, word) || (*entry == '*' && word_ends(word, entry + 1)) ||
	       (strcmp(entry, "#") == 0 && isdigit((unsigned char)*word));
}

char *foreign_name(const char *also, const char *name, const char *word)
{
	size_t n;

	for (; also && *also; also += n + strspn(also + n, ", ")) {
		const size_t theirs = strcspn(also, ",=");
		char *text = xasprintf("%.*s", (int)theirs, also);
		const bool fits = foreign_fits(text, word);
		bool form;

		n = strcspn(also, ",");
		free(text);
		if (!fits)
			continue;
		if (theirs == n)
			return xstrdup(name);
		form = also[n - 1] == '*';
		return xasprintf("%.*s%s", (int)(n - theirs - 1 - form), also + theirs + 1,
				 form ? word : "");
	}
	return NULL;
}

/* ---- similar words ---- */

/*
 * Longer words are never similar, which bounds the table. Lists longer than SHOWN are not printed
 * as a whole; if some of their words are similar, neither are lists longer than BRIEF.
 */
enum { LONGEST = 63, FAR = 1000, SHOWN = 24, BRIEF = 5 };

/* Folds case, and '-' to '_'. */
static int word_fold(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static int least_of(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Damerau and Levenshtein's distance: insertions, deletions, changes and swaps of neighbours. Three
 * rows of the table are kept; row[j] is the distance of the first i letters of a from the first j
 * of b.
 */
static int word_distance(const char *a, const char *b)
{
	const int m = (int)strlen(a), n = (int)strlen(b);
	int rows[3][LONGEST + 1];

	for (int j = 0; j <= n; j++)
		rows[0][j] = j;
	for (int i = 1; i <= m; i++) {
		const int *up2 = rows[(i + 1) % 3], *up = rows[(i + 2) % 3];
		int *row = rows[i % 3];

		row[0] = i;
		for (int j = 1; j <= n; j++) {
			const int change = word_fold(a[i - 1]) != word_fold(b[j - 1]);

			row[j] = least_of(least_of(up[j], row[j - 1]) + 1, up[j - 1] + change);
			if (i > 1 && j > 1 && word_fold(a[i - 1]) == word_fold(b[j - 2]) &&
			    word_fold(a[i - 2]) == word_fold(b[j - 1]))
				row[j] = least_of(row[j], up2[j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

/* True when `word` begins with `start`. Such words count as similar: see word_farness(). */
static bool word_begins(const char *word, const char *start)
{
	size_t n = strlen(start);

	for (size_t i = 0; i < n; i++)
		if (word_fold(word[i]) != word_fold(start[i]))
			return false;
	return n >= 3;
}

/* True when `part` is the last part of the word: "accuracy" of "test_accuracy". */
static bool is_last_part(const char *word, const char *part)
{
	const size_t n = strlen(part), m = strlen(word);

	return n >= 3 && word_ends(word, part) && strchr("_-", word[m - n - 1]);
}

/* True when one letter of `word` differs from a known key without its unit: "bandwith". */
static bool is_near_stem(const char *word, const char *known)
{
	enum { FEWEST = 5 };            /* letters before the unit */
	const char *unit = strrchr(known, '_');
	char stem[LONGEST + 1];

	if (!unit || unit - known < FEWEST)
		return false;
	snprintf(stem, sizeof(stem), "%.*s", (int)(unit - known), known);
	return word_distance(word, stem) == 1;
}

/* Distance of a word from a known one; FAR if they are not similar. */
static int word_farness(const char *word, const char *known)
{
	const size_t m = strlen(word), n = strlen(known);
	const int longer = (int)(m > n ? m : n);
	int d, most;

	if (!m || longer > LONGEST)
		return FAR;
	d = word_distance(word, known);
	if (word_begins(known, word) || is_last_part(known, word))
		return least_of(d, 1);
	if (word_begins(word, known) || is_near_stem(word, known))
		return least_of(d, 2);
	/*
	 * A quarter of the letters may differ, or two letters; but only one in words of three
	 * letters, or of up to six whose first letters differ.
	 */
	most = longer > (word_fold(*word) == word_fold(*known) ? 3 : 6) ? 2 : 1;
	most = longer / 4 > most ? longer / 4 : most;
	return d <= most && d < longer ? d : FAR;
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

bool word_is_among(const char *word, const char *const *words)
{
	while (words && *words && strcmp(*words, word) != 0)
		words++;
	return words && *words;
}

bool word_part_is_among(const char *word, size_t n, const char *const *words)
{
	while (*words && (strncasecmp(word, *words, n) != 0 || (*words)[n]))
		words++;
	return *words;
}

void words_add(struct words *w, const char *word)
{
	if ((w->n & (w->n + 1)) == 0)           /* full: it holds 0, 1, 3, 7, ... and a NULL */
		w->v = xrealloc(w->v, 2 * w->n + 2, sizeof(*w->v));
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

void words_add_new(struct words *w, const char *word)
{
	if (!word_is_among(word, w->v))
		words_add(w, word);
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

/* "--optim sgd:momentum=..." for "optim=sgd:momentum=...": the text after '=' is a value. */
static char *word_typed(const char *word)
{
	char *text = word_option(word), *value = strchr(text, '=');

	if (value)
		*value = ' ';
	return text;
}

typedef char *spelling(const char *word);

/* "a, b, c", or "" when the list is too long to print. */
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

/* Makes the advice; `own` is the word to suggest first, or NULL. */
static char *word_advise(const char *word, const char *const *words, const char *own,
			 spelling *spelled)
{
	static const char *const none[] = { NULL };
	const char *near, **also = NULL;
	char *list, *name, *advice;
	size_t n = 0, k = 0;

	words = words ? words : none;
	near = own ? own : foreign_option(word, words);
	near = near ? near : nearest_word(word, words);
	while (words[n])
		n++;
	/* If the list is long, name only similar words besides the most similar one. */
	if (near && n > BRIEF) {
		also = xcalloc(n + 1, sizeof(*also));
		for (size_t i = 0; i < n; i++)
			if (strcmp(words[i], near) != 0 && word_farness(word, words[i]) < FAR)
				also[k++] = words[i];
	}
	list = word_listed(also ? also : words, spelled);
	name = near ? spelled(near) : xstrdup("");
	advice = xasprintf("%s%s%s%s%s", near ? "; did you mean '" : "", name, near ? "'?" : "",
			   !list[0] ? "" : !near ? "; known: " : also ? " Also near: " : " Known: ",
			   list);
	free_all(also, list, name);
	return advice;
}

char *word_advice(const char *word, const char *const *words)
{
	return word_advise(word, words, NULL, xstrdup);
}

/* Names the command that lists what has too many to stand in a message. */
static void advise_list(char **advice, const char *noun)
{
	static const char *const kinds[][2] = {
		{ "algorithm", "list algos" }, { "net", "list nets" },
		{ "experiment", "list experiments" }, { "setting", "help settings" },
		{ "command", "help" }, { "command or page", "help" }
	};

	for (size_t i = 0; !**advice && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(noun, kinds[i][0]))
			xappendf(advice, "", "; 'convoy %s' names all", kinds[i][1]);
}

char *word_advice_on(const char *noun, const char *word, const char *const *words)
{
	char *advice = word_advice(word, words);

	advise_list(&advice, noun);
	return advice;
}

char *word_option_advice(const char *word, const char *const *words)
{
	return word_advise(word, words, NULL, word_typed);
}

int word_unknown_but(const char *where, const char *noun, const char *word,
		     const char *const *words, const char *own)
{
	scoped char *advice = word_advise(word, words, own, xstrdup);

	advise_list(&advice, noun);
	error("%s%sunknown %s '%s'%s", where ? where : "", where ? ": " : "", noun, word, advice);
	return -1;
}

int word_unknown(const char *where, const char *noun, const char *word, const char *const *words)
{
	return word_unknown_but(where, noun, word, words, NULL);
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

bool word_starts(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
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

char *word_duration(double seconds)
{
	return seconds < 90 ? xasprintf("%.3g s", seconds) :
	       seconds < 5400 ? xasprintf("%.0f min", seconds / 60) :
				xasprintf("%.1f h", seconds / 3600);
}

const char *word_plural(double n)
{
	return fabs(n - 1) > 0 ? "s" : "";
}
