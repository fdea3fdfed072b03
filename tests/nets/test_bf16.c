/* In what bf16 is computed, for processors by what CPUID says of them. */
#include "nets/backend.h"

#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static void by_processor(void **state)
{
	const struct {
		const char *name;
		struct bf16_facts facts;
		bool by_itself, on;
	} processors[] = {
		{ "Ice Lake", { "GenuineIntel", false, false }, false, false },
		{ "Sapphire Rapids without AMX", { "GenuineIntel", true, false }, false, true },
		{ "Sapphire Rapids", { "GenuineIntel", true, true }, true, true },
		{ "Zen 3", { "AuthenticAMD", false, false }, false, false },
		{ "Zen 4", { "AuthenticAMD", true, false }, true, true },
		{ "unknown, hidden by a virtual machine", { "", true, false }, false, true },
	};

	for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
		const struct bf16_facts *f = &processors[i].facts;

		if (!bf16_refused(f, BF16_AUTO) != processors[i].by_itself ||
		    !bf16_refused(f, BF16_ON) != processors[i].on || !bf16_refused(f, BF16_OFF))
			fail_msg("%s", processors[i].name);
	}
	assert_string_equal(bf16_refused(&processors[1].facts, BF16_AUTO),
			    "this processor's bf16 instructions are slower than those of f32");
	assert_string_equal(bf16_refused(&processors[4].facts, BF16_OFF), "CONVOY_BF16=off");
}

static void by_variable(void **state)
{
	char *before = getenv("CONVOY_BF16");

	before = before ? strdup(before) : NULL;
	unsetenv("CONVOY_BF16");
	assert_int_equal(bf16_wish(), BF16_AUTO);
	setenv("CONVOY_BF16", "on", 1);
	assert_int_equal(bf16_wish(), BF16_ON);
	setenv("CONVOY_BF16", "off", 1);
	assert_int_equal(bf16_wish(), BF16_OFF);
	setenv("CONVOY_BF16", "1", 1);
	capture_start();
	assert_int_equal(bf16_wish(), -1);
	capture_stop();
	assert_string_equal(capture_text(), "error: CONVOY_BF16: '1' is not a choice (expected on "
			    "or off). Unset it, and the processor decides.\n");
	unsetenv("CONVOY_BF16");
	if (before)
		setenv("CONVOY_BF16", before, 1);
	free(before);
}

RUN_ALL(by_processor, by_variable)
