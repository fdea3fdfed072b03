/* What the text of an algorithm says of its rounds and of its first steps, which are others. */
#include "study/advise/advise.h"

#include "algos/algos.h"
#include "core/base/context.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value of "KEY=" in a list of options; `none` where it is not there. */
static double option_number(const char *full, const char *key, double none)
{
	const char *at = strchr(full, ':');
	const size_t n = strlen(key);

	while (at && *at) {
		at++;
		if (strncmp(at, key, n) == 0 && at[n] == '=')
			return strtod(at + n + 1, NULL);
		at = strchr(at, ',');
	}
	return none;
}

/* All options of a text, in a table of plugins; NULL: it is none of them. The caller frees. */
static char *full_text(const struct plugin *const *table, const char *what, const char *text,
		       const struct plugin **plugin)
{
	struct choice choice = { 0 };
	char *full = NULL;

	context_mute();
	if (choice_parse(&choice, table, what, text) == 0) {
		full = choice_format(&choice);
		*plugin = choice.plugin;
	}
	context_unmute();
	choice_release(&choice);
	return full;
}

struct algo_text algo_text_read(const char *text)
{
	struct algo_text t = { .round = 1.0 };
	const struct plugin *plugin;

	t.full = full_text(algo_table, "algorithm", text, &plugin);
	if (!t.full)
		return t;
	t.option = ((const struct algo *)plugin)->round;
	if (t.option)
		t.round = fmax(option_number(t.full, t.option, 1.0), 1.0);
	/* those that begin as all-reduce */
	if (strcmp(plugin->name, "post-local-sgd") == 0)
		t.first = option_number(t.full, "start", 0.0);
	if (strcmp(plugin->name, "palsgd") == 0 && strstr(t.full, "warmup=true"))
		t.first = t.round;
	return t;
}

double codec_first_allreduces(const char *text)
{
	const struct plugin *plugin;
	char *full = full_text(codec_table, "codec", text, &plugin);
	const bool factors = full && strcmp(plugin->name, "powersgd") == 0;
	/* before it, all-reduces are of whole gradients */
	const double first = factors ? option_number(full, "start", 0.0) : 0.0;

	free(full);
	return first;
}
