/* Learning-rate schedules, and how the learning rate scales with the batch. */
#include "core/base/error.h"
#include "core/optim.h"

#include <math.h>

struct steps_conf {
	struct opt_doubles at;
	double factor;
};

static double steps_factor(const void *conf, double epoch, double epochs)
{
	const struct steps_conf *c = conf;
	double f = 1.0;

	(void)epochs;
	for (size_t i = 0; i < c->at.n; i++)
		if (epoch >= c->at.v[i])
			f *= c->factor;
	return f;
}

static const struct opt steps_opts[] = {
	{ "at", OPT_AT(DOUBLES, struct steps_conf, at), "80/120",
	  "epochs at which the learning rate falls", "E/E/...", 0, 1e9, NULL, 0 },
	OPT_NUMBER(struct steps_conf, factor, "0.1", "what it is multiplied by each time", "F",
		   1e-9, 1),
	{ 0 }
};

static const struct schedule schedule_steps = {
	.plugin = { .name = "steps", .brief = "falls by a factor at given epochs",
		    .also = "step, steplr, multistep, multisteplr, piecewise, exponential",
		    .opts = steps_opts, .conf_size = sizeof(struct steps_conf) },
	.factor = steps_factor,
};

struct poly_conf {
	double power;
};

/* (1 - epoch / epochs)^power */
static double poly_factor(const void *conf, double epoch, double epochs)
{
	const struct poly_conf *c = conf;

	return epoch >= epochs ? 0.0 : pow(1.0 - epoch / epochs, c->power);
}

static const struct opt poly_opts[] = {
	OPT_NUMBER(struct poly_conf, power, "2", "(1 - epoch / epochs) to this power", "P", 0, 100),
	{ 0 }
};

static const struct schedule schedule_poly = {
	.plugin = { .name = "poly", .brief = "falls to 0 as a power of what is left of the run",
		    .also = "linear=poly:power=1, polynomial, polynomiallr", .opts = poly_opts,
		    .conf_size = sizeof(struct poly_conf) },
	.factor = poly_factor, .to_the_end = true,
};

struct cosine_conf {
	double from, min;
};

/* min + (1 - min) (1 + cos(pi (epoch - from) / (epochs - from))) / 2; 1 before `from` */
static double cosine_factor(const void *conf, double epoch, double epochs)
{
	const struct cosine_conf *c = conf;
	const double pi = 3.14159265358979323846;
	const double turn = pi * (epoch - c->from) / (epochs - c->from);

	if (epoch >= epochs)
		return c->min;
	return epoch <= c->from ? 1.0 : c->min + (1.0 - c->min) * 0.5 * (1.0 + cos(turn));
}

static const struct opt cosine_opts[] = {
	{ "from", OPT_AT(DOUBLE, struct cosine_conf, from), "0",
	  "epochs before it begins to fall, such as those of the warm-up", "EPOCHS", 0, 1e9, NULL,
	  OPT_ADDED },
	{ "min", OPT_AT(DOUBLE, struct cosine_conf, min), "0",
	  "factor that it falls to", "FACTOR", 0, 1, NULL, OPT_ADDED },
	{ 0 }
};

static const struct schedule schedule_cosine = {
	.plugin = { .name = "cosine", .brief = "falls to min along half a cosine over the run",
		    .also = "cosineannealing, cosine-annealing, cosineannealinglr",
		    .cite = "Loshchilov, Hutter 2017, arXiv 1608.03983", .opts = cosine_opts,
		    .conf_size = sizeof(struct cosine_conf) },
	.factor = cosine_factor, .to_the_end = true,
};

static double constant_factor(const void *conf, double epoch, double epochs)
{
	(void)conf, (void)epoch, (void)epochs;
	return 1.0;
}

static const struct schedule schedule_constant = {
	.plugin = { .name = "constant", .brief = "stays where it is", .also = "none, fixed" },
	.factor = constant_factor,
};

const struct plugin *const schedule_table[] = {
	&schedule_constant.plugin, &schedule_steps.plugin, &schedule_poly.plugin,
	&schedule_cosine.plugin, NULL
};

double lr_factor(enum lr_scaling how, double batch, double reference)
{
	const double ratio = batch / reference;

	return how == LR_LINEAR ? ratio : how == LR_SQRT ? sqrt(ratio) : 1.0;
}

double stepsize_at(const struct stepsize *s, double epoch)
{
	const struct schedule *sch = (const struct schedule *)s->schedule.plugin;
	double lr = s->base;

	if (sch)
		lr *= sch->factor(s->schedule.conf, epoch, s->epochs);
	if (epoch < s->warmup)
		lr *= s->warmup_from + (1.0 - s->warmup_from) * epoch / s->warmup;
	return lr;
}

int stepsize_check(const struct stepsize *s)
{
	const struct schedule *sch = (const struct schedule *)s->schedule.plugin;

	if (sch && sch->to_the_end && !(s->epochs > 0.0))
		return error("schedule '%s' needs to know the length of the run: bound it by "
			     "epochs or gradients", sch->plugin.name);
	return 0;
}

size_t optim_floats(const struct optim *o, size_t dim)
{
	return o->vectors * dim + o->scalars;
}
