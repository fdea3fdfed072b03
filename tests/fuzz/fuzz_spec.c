/* Fuzzes specs, and the settings `slow` and `faults`, through to a first run. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/slow.h"
#include "delays/delay.h"
#include "plan/settings/faults.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A text that parses has a canonical one, which is that of what it parses to. */
static void use_slow(const char *text)
{
	struct slow *slow, *again;
	size_t n, m;
	char *canonical, *same;

	if (slow_parse(text, 16, &slow, &n) < 0)
		return;
	canonical = slow_format(slow, n);
	if (slow_parse(canonical, 16, &again, &m) < 0)
		BUG("'%s' does not parse", canonical);
	same = slow_format(again, m);
	if (strcmp(canonical, same) != 0)
		BUG("'%s' is '%s' again", canonical, same);
	free(slow);
	free(again);
	free(canonical);
	free(same);
}

static void use_faults(const char *text)
{
	struct fault *fault, *again;
	size_t n, m;
	char *canonical, *same;

	if (faults_parse(text, &fault, &n) < 0)
		return;
	canonical = faults_format(fault, n);
	if (faults_parse(canonical, &again, &m) < 0)
		BUG("'%s' does not parse", canonical);
	same = faults_format(again, m);
	if (strcmp(canonical, same) != 0)
		BUG("'%s' is '%s' again", canonical, same);
	free(fault);
	free(again);
	free(canonical);
	free(same);
}

/* Applies what the spec says to the defaults, as a plan would for its first run. */
static void use(struct spec *s)
{
	struct settings in = { 0 };

	opt_init(settings_opts, &in);
	if (settings_apply_point(&in, &s->base, "base") == 0) {
		use_slow(in.slow);
		use_faults(in.faults);
		delays_free(delays_new(delay_table, in.delay, 16, NULL));
	}
	opt_release(settings_opts, &in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xcalloc(size + 1, 1);
	struct grid_point set = { 0 };
	cJSON *json;
	struct spec s;

	if (size)
		memcpy(text, data, size);
	point_put(&set, "seed", (struct value){ (char[]){ "7" }, VALUE_TEXT });
	json = json_parse(text, "input");
	if (json && spec_from_json(&s, json, "input", NULL) == 0) {
		spec_set(&s, &set);
		use(&s);
		spec_release(&s);
	}
	point_release(&set);
	free(text);
	return 0;
}
