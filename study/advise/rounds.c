/* Rounds of an algorithm by its text, and its first steps, which differ from later ones. */
#include "study/advise/advise.h"

#include "algos/algos.h"
#include "core/base/context.h"
#include "core/codec.h"

#include <math.h>

/* False: the text is none of a table of plugins; nothing is said of it. */
static bool is_chosen(struct choice *choice, const struct plugin *const *table, const char *what,
		      const char *text)
{
	int ret;

	context_mute();
	ret = choice_parse(choice, table, what, text);
	context_unmute();
	return ret == 0;
}

struct algo_text algo_text_read(const char *text, int workers)
{
	struct algo_text t = { .round = 1.0 };
	struct choice choice = { 0 };
	const struct algo *algo;

	if (!is_chosen(&choice, algo_table, "algorithm", text))
		return t;
	algo = (const struct algo *)choice.plugin;
	t.full = choice_format(&choice);
	t.option = algo->round;
	t.round = fmax(algo_round(algo, choice.conf), 1.0);
	if (algo->first)
		t.first = (double)algo->first(choice.conf);
	if (algo->settles)
		t.settles = algo->settles(choice.conf, workers);
	choice_release(&choice);
	return t;
}

double codec_first_allreduces(const char *text)
{
	struct choice choice = { 0 };
	const struct codec *codec;
	double first;

	if (!is_chosen(&choice, codec_table, "codec", text))
		return 0.0;
	codec = (const struct codec *)choice.plugin;
	first = codec->first ? (double)codec->first(choice.conf) : 0.0;
	choice_release(&choice);
	return first;
}
