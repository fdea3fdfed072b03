/*
 * muon.c - momentum of a matrix, made orthogonal by Newton-Schulz steps; AdamW for the rest.
 *
 *     m <- mu m + g;   u <- nesterov ? g + mu m : m            for every matrix [rows][columns]
 *     X <- u / (||u||_F + 1e-7), transposed if rows > columns
 *     for each triple (a, b, c):   A <- X X^T;   X <- a X + (b A + c A^2) X
 *     x <- (1 - lr wd) x - lr s X
 *
 * Each singular value of u takes the path p(s) = a s + b s^3 + c s^5, which ends near 1. So the
 * size of the gradient does not matter, nor a factor on m: the form with (1 - mu) g gives the same
 * step. s is, by scale: max  sqrt(max(1, rows/columns)) (Jordan); fan  sqrt(rows/columns) (MuLoCo);
 * none  1. A filter of a convolution has a row for each output channel.
 *
 * The matrices are, by tensors: hidden  those that neither read the input nor give the output, so
 * no embedding, no output head and no first convolution; matrices  all tensors of two dimensions
 * or more. The others take AdamW's step with the learning rate lr rest.
 *
 * Papers: Jordan, Jin, Boza, You, Cesista, Newhouse, Bernstein 2024; Therien et al. 2025 (MuLoCo).
 */
#include "algos/optim/adam.h"
#include "algos/optim/layers.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/matrix.h"
#include "core/math/vec.h"
#include "core/run.h"

#include <stdlib.h>

enum { TENSORS_HIDDEN, TENSORS_MATRICES };
enum { TRIPLES_JORDAN, TRIPLES_MULOCO };
enum { SCALE_MAX, SCALE_FAN, SCALE_NONE };
enum { STEPS_MOST = 5 };

struct muon_conf {
	double momentum, weight_decay, rest, beta1, beta2, eps;
	int64_t steps;
	bool nesterov;
	int triples, scale, tensors;
};

struct triple {
	float a, b, c;
};

static const struct triple triples[][STEPS_MOST] = {
	[TRIPLES_JORDAN] = { { 3.4445f, -4.7750f, 2.0315f }, { 3.4445f, -4.7750f, 2.0315f },
			     { 3.4445f, -4.7750f, 2.0315f }, { 3.4445f, -4.7750f, 2.0315f },
			     { 3.4445f, -4.7750f, 2.0315f } },
	[TRIPLES_MULOCO] = { { 4.0848f, -6.8946f, 2.9270f }, { 3.9505f, -6.3029f, 2.6377f },
			     { 3.7418f, -5.5913f, 2.3037f }, { 2.8769f, -3.1427f, 1.2046f },
			     { 2.8366f, -3.0525f, 1.2012f } },
};

static bool muon_takes(const struct muon_conf *c, const struct blob *b)
{
	return b->rank >= 2 && (c->tensors == TENSORS_MATRICES || b->hidden);
}

/*
 * X [few][many] <- X after the first `steps` triples; few <= many. work: [few][few] twice, then
 * [few][many]. Returns where X is: x or the last of work.
 */
static float *newton_schulz(const struct triple *t, int64_t steps, size_t few, size_t many,
			    float *x, float *work)
{
	float *gram = work, *poly = gram + few * few, *next = poly + few * few;

	for (int64_t i = 0; i < steps; i++, t++) {
		float *last = x;

		matrix_product(false, true, few, few, many, 1.0f, x, many, x, many, 0.0f, gram,
			       few);
		vec_copy(few * few, gram, poly);
		matrix_product(false, false, few, few, few, t->c, gram, few, gram, few, t->b, poly,
			       few);
		vec_copy(few * many, x, next);
		matrix_product(false, false, few, many, few, 1.0f, poly, few, x, many, t->a, next,
			       many);
		x = next;
		next = last;
	}
	return x;
}

/* Factor on the orthogonal step of a matrix. */
static double muon_scale(int scale, size_t rows, size_t columns)
{
	const double ratio = (double)rows / (double)columns;

	if (scale == SCALE_NONE)
		return 1.0;
	return sqrt(scale == SCALE_MAX && ratio < 1.0 ? 1.0 : ratio);
}

/* A step of the matrix x [rows][columns] with momentum m. work: as newton_schulz(), after X. */
static void muon_step_matrix(const struct muon_conf *c, const struct stepping *s, bool decays,
			     size_t rows, size_t columns, const float *g, float *x, float *m,
			     float *work)
{
	const size_t n = rows * columns, few = rows < columns ? rows : columns;
	const float mu = (float)c->momentum;
	const bool turned = rows > columns;
	float *u = work, *spare = work + n, *step;

	vec_axpby(n, s->w, g, mu, m);
	vec_copy(n, m, u);
	if (c->nesterov)
		vec_axpby(n, s->w, g, mu, u);
	vec_scale(n, (float)(1.0 / (sqrt(vec_dot(n, u, u)) + 1e-7)), u);
	if (turned) {
		matrix_transpose(rows, columns, u, spare);
		vec_copy(n, spare, u);
	}
	step = newton_schulz(triples[c->triples], c->steps, few, n / few, u, spare);
	if (turned) {
		float *other = step == u ? spare : u;

		matrix_transpose(columns, rows, step, other);
		step = other;
	}
	if (decays)
		vec_scale(n, (float)(1.0 - (double)s->lr * c->weight_decay), x);
	vec_axpy(n, -(float)((double)s->lr * muon_scale(c->scale, rows, columns)), step, x);
}

/* Floats that muon_step_matrix() needs for the largest matrix. */
static size_t muon_work(const struct muon_conf *c, const struct stepping *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->nblobs; i++) {
		const struct blob *b = &s->blobs[i];
		size_t rows, few, floats;

		if (!muon_takes(c, b))
			continue;
		rows = (size_t)b->shape[0];
		few = rows < b->count / rows ? rows : b->count / rows;
		floats = 2 * b->count + 2 * few * few;
		most = floats > most ? floats : most;
	}
	return most;
}

static void muon_step(const void *conf, const struct stepping *s, size_t n, const float *g,
		      float *x, float *state)
{
	const struct muon_conf *c = conf;
	const struct adam_conf rest = { .beta1 = c->beta1, .beta2 = c->beta2, .eps = c->eps,
					.weight_decay = c->weight_decay, .decoupled = true };
	const float lr = (float)((double)s->lr * c->rest);
	float *t = state + 2 * n, *work = vec_new(muon_work(c, s));

	*t += 1.0f;
	for (size_t i = 0; i < layers(s); i++) {
		const struct layer l = layer_at(s, n, i);
		float *m = state + l.at;

		if (s->nblobs && muon_takes(c, &s->blobs[i])) {
			const size_t rows = (size_t)s->blobs[i].shape[0];

			muon_step_matrix(c, s, l.decay, rows, l.n / rows, g + l.at, x + l.at, m,
					 work);
		} else {
			adam_move(l.n, adam_rates(&rest, (double)*t, lr, s->w, l.decay), g + l.at,
				  x + l.at, m, m + n);
		}
	}
	free(work);
}

/* Refuses a net without a matrix to make orthogonal, where all of x would take AdamW's step. */
static int muon_check(const void *conf, const struct run *run)
{
	const struct muon_conf *c = conf;
	bool matrices = false;

	for (size_t i = 0; run->layers && i < run->nlayers; i++) {
		if (muon_takes(c, &run->layers[i]))
			return 0;
		matrices = matrices || run->layers[i].rank >= 2;
	}
	if (!run->layers)
		return 0;
	if (matrices)
		return error("muon: all matrices of the net read its input or give its output. "
			     "Choose muon:tensors=matrices, which takes them too, or "
			     "adam:decoupled=true.");
	return error("muon: the net has no matrices, only vectors. Choose a net with layers, or "
		     "another optimiser, such as sgd or adam:decoupled=true.");
}

static const char *const which_tensors[] = { "hidden", "matrices", NULL };
static const char *const which_triples[] = { "jordan", "muloco", NULL };
static const char *const which_scale[] = { "max", "fan", "none", NULL };

static const struct opt muon_opts[] = {
	OPT_NUMBER(struct muon_conf, momentum, "0.95", "mu", "MU", 0, 0.999999),
	{ "nesterov", OPT_AT(BOOL, struct muon_conf, nesterov), "true",
	  "steps along g + mu m instead of m", NULL, 0, 0, NULL, 0 },
	OPT_NUMBER(struct muon_conf, steps, "5", "Newton-Schulz steps", "N", 1, STEPS_MOST),
	OPT_CHOICE(struct muon_conf, triples, "jordan",
		   "their coefficients: jordan, one triple; muloco, five", "WHOSE", which_triples),
	OPT_CHOICE(struct muon_conf, scale, "max",
		   "factor on a step: max sqrt(max(1, rows/columns)); fan sqrt(rows/columns); none",
		   "HOW", which_scale),
	OPT_NUMBER(struct muon_conf, weight_decay, "0", "wd, decoupled, of all that decays", "WD",
		   0, 1),
	OPT_CHOICE(struct muon_conf, tensors, "hidden",
		   "hidden: matrices but those of the first and last layer; matrices: all",
		   "WHICH", which_tensors),
	OPT_NUMBER(struct muon_conf, rest, "0.015", "learning rate of the rest, a share of lr", "R",
		   0, 1e6),
	OPT_NUMBER(struct muon_conf, beta1, "0.9", "of the rest: mean of gradients", "B", 0,
		   0.999999),
	OPT_NUMBER(struct muon_conf, beta2, "0.95", "of the rest: mean of their squares", "B", 0,
		   0.999999),
	OPT_NUMBER(struct muon_conf, eps, "1e-8", "of the rest: added to the root of that mean",
		   "EPS", 1e-30, 1),
	{ 0 }
};

const struct optim optim_muon = {
	.plugin = { .name = "muon",
		    .brief = "matrices step along their momentum, made orthogonal; the rest: AdamW",
		    .cite = "Jordan et al. 2024, kellerjordan.github.io/posts/muon",
		    .opts = muon_opts, .conf_size = sizeof(struct muon_conf) },
	.vectors = 2, .scalars = 1, .step = muon_step, .check = muon_check,
};
