/* Experiments, and what the one on the line has: its scales and its grid. */
#include "cmd/complete/complete.h"

#include "cmd/list/list.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"

#include <stdlib.h>
#include <string.h>

/* Two papers may have experiments of one name, which alone names neither. */
static bool is_unique(const cJSON *all, const char *name)
{
	const cJSON *experiment;
	int n = 0;

	cJSON_ArrayForEach(experiment, all)
		n += strcmp(path_base(json_string(experiment, "name")), name) == 0;
	return n == 1;
}

void offer_experiments(struct stem s)
{
	cJSON *all = list_experiments();
	const cJSON *experiment;

	cJSON_ArrayForEach(experiment, all) {
		const char *name = json_string(experiment, "name");
		const char *brief = json_string(experiment, "brief");

		offer(s, name, "", brief);
		if (*s.text && path_base(name) != name && is_unique(all, path_base(name)))
			offer(s, path_base(name), "", brief);
	}
	if (strchr(s.text, '/') || *s.text == '.')
		offer_paths(s);
	cJSON_Delete(all);
}

/* The scale that the line asks for; NULL: none. */
static const char *scale_of(const struct line *l)
{
	static const char flag[] = "--scale";
	const size_t n = strlen(flag);

	for (size_t i = 1; i + 1 < l->n; i++) {
		if (strcmp(l->words[i], flag) == 0 && i + 2 < l->n)
			return l->words[i + 1];
		if (strncmp(l->words[i], flag, n) == 0 && l->words[i][n] == '=')
			return l->words[i] + n + 1;
	}
	return NULL;
}

static bool load_word(struct spec *s, const char *word, const char *scale)
{
	char *path = path_find("experiments", word);
	const bool found = path && (spec_load_settings(s, path, scale) == 0 ||
				    spec_load_settings(s, path, NULL) == 0);

	free(path);
	return found;
}

/*
 * The i-th experiment on the line, loaded, by its words that are neither options nor their values;
 * false after the last.
 */
static bool load_named(const struct line *l, size_t i, struct spec *s)
{
	const struct opt *o = NULL;

	if (!strstr(l->command->usage, "EXPERIMENT"))
		return false;
	for (size_t k = 1; k + 1 < l->n; k++) {
		const bool value = o && o->type != OPT_BOOL;

		o = value ? NULL : option_of(l->command, l->words[k]);
		if (value || l->words[k][0] == '-' || i-- > 0)
			continue;
		if (load_word(s, l->words[k], scale_of(l)))
			return true;
		i++;
	}
	return false;
}

static void offer_scales_of(const cJSON *scales, struct stem s)
{
	const cJSON *scale;

	cJSON_ArrayForEach(scale, scales) {
		const char *time = json_string(scale, "time"), *about = json_string(scale, "about");
		char *brief = xasprintf("%s%s%s", time ? time : "", time && about ? ": " : "",
					about ? about : "");
		const char *name = scale->string ? scale->string : json_string(scale, "name");

		offer(s, name, "", brief);
		free(brief);
	}
}

void offer_scales(const struct line *l, struct stem s)
{
	struct spec spec;
	size_t n = 0;
	cJSON *all;
	const cJSON *experiment;

	for (; load_named(l, n, &spec); n++) {
		offer_scales_of(json_get(spec.json, "scales"), s);
		spec_release(&spec);
	}
	if (n)
		return;
	all = list_experiments();
	cJSON_ArrayForEach(experiment, all)
		offer_scales_of(json_get(experiment, "scales"), s);
	cJSON_Delete(all);
}

/* The settings that span a grid, or the values of one of them; more than once is no harm. */
static void offer_product(struct stem s, const cJSON *product)
{
	const char *equal = strchr(s.text, '=');
	const cJSON *list, *value;

	cJSON_ArrayForEach(list, product) {
		const struct opt *o = opt_find(settings_opts, list->string);
		const size_t n = strlen(list->string);

		if (!equal)
			offer(s, list->string, "=", o ? o->help : NULL);
		else if ((size_t)(equal - s.text) == n && !strncmp(s.text, list->string, n))
			cJSON_ArrayForEach(value, list) {
				char *text = json_text(value);

				offer(stem_after(s, equal), text, "", NULL);
				free(text);
			}
	}
}

void offer_grid(const struct line *l, struct stem s)
{
	struct spec spec;
	const cJSON *product;
	size_t n = 0;

	for (; load_named(l, n, &spec); n++) {
		cJSON_ArrayForEach(product, spec.grid)
			offer_product(s, product);
		spec_release(&spec);
	}
	if (!n)
		offer_pair(l, s, settings_opts);
}
