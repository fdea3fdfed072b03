#include "cmd/settings.h"
#include "cmd/slow.h"
#include "cmd/spec.h"
#include "core/json.h"
#include "core/mem.h"
#include "sim/models.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lays what the spec says over the defaults, as a plan would for its first run. */
static void use(struct spec *s)
{
	struct settings in = { 0 };
	struct slow *slow;
	size_t n;

	opt_init(settings_opts, &in);
	if (settings_apply(&in, s->base, "base") == 0) {
		slow_parse(in.slow, 16, &slow, &n);
		free(slow);
		delays_free(delays_new(delay_table, in.delay, 16, NULL));
	}
	opt_release(settings_opts, &in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xcalloc(size + 1, 1);
	cJSON *json, *set = cJSON_CreateObject();
	struct spec s;

	if (size)
		memcpy(text, data, size);
	cJSON_AddStringToObject(set, "seed", "7");
	json = json_parse(text, "input");
	if (json && spec_from_json(&s, json, "input", NULL) == 0) {
		spec_set(&s, set);
		use(&s);
		spec_release(&s);
	}
	cJSON_Delete(set);
	free(text);
	return 0;
}
