/* In what precision=bf16 is computed: by what the processor is, and CONVOY_BF16. */
#include "nets/bf16.h"

#include "core/base/error.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

int bf16_wish(void)
{
	const char *text = getenv("CONVOY_BF16");

	if (!text || !*text)
		return BF16_AUTO;
	if (strcmp(text, "on") == 0)
		return BF16_ON;
	if (strcmp(text, "off") == 0)
		return BF16_OFF;
	return error("CONVOY_BF16: '%s' is not a choice (expected on or off). Unset it, and the "
		     "processor decides.", text);
}

const char *bf16_refused(const struct bf16_facts *f, enum bf16_wish wish)
{
	if (!f->instructions)
		return "this processor, or oneDNN, has no bf16 instructions";
	if (wish == BF16_OFF)
		return "CONVOY_BF16=off";
	if (wish == BF16_ON || f->matrix_units || strcmp(f->vendor, "AuthenticAMD") == 0)
		return NULL;
	return "this processor's bf16 instructions are slower than those of f32";
}

void bf16_vendor(char vendor[13])
{
	memset(vendor, 0, 13);
#if defined(__x86_64__)
	unsigned int a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
#endif
}
