/* The built-in set `tokens`: the sizes of a text without the text, for timing-only runs. */
#include "core/base/error.h"
#include "core/samples/dataset.h"

struct conf {
	int64_t window, vocabulary, train, test;
};

static int tokens_shape(const void *p, struct dataset_shape *shape)
{
	const struct conf *conf = p;

	*shape = (struct dataset_shape){ (int)conf->window, 1, 1, (int)conf->vocabulary, true };
	return 0;
}

static int tokens_count(const void *p, int64_t n[2])
{
	const struct conf *conf = p;

	n[SPLIT_TRAIN] = conf->train;
	n[SPLIT_TEST] = conf->test;
	return 0;
}

static struct dataset *tokens_open(const void *conf)
{
	(void)conf;
	error("data set tokens has sizes and no text. Add --timing, or choose a text, such as "
	      "--data text:file=FILE");
	return NULL;
}

static const struct opt opts[] = {
	OPT_NUMBER(struct conf, window, "1024", "tokens of a sample", "N", 1, 1 << 20),
	OPT_NUMBER(struct conf, vocabulary, "50257", "different tokens", "N", 2, 1 << 24),
	OPT_NUMBER(struct conf, train, "50000", "training windows of an epoch", "N", 1, 1e15),
	OPT_NUMBER(struct conf, test, "5000", "validation windows", "N", 1, 1e15),
	{ 0 }
};

const struct dataset_type dataset_tokens = {
	.plugin = {
		.name = "tokens",
		.brief = "built in: windows of tokens without a text, for timing-only runs",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.tokens = true,
	.shape = tokens_shape,
	.count = tokens_count,
	.open = tokens_open,
};
