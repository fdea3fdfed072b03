/* In what precision=bf16 is computed: by what the processor is, never by what it measures. */
#ifndef NETS_BF16_H
#define NETS_BF16_H

#include <stdbool.h>

struct bf16_facts {             /* of a processor, as far as the library uses it */
	const char *vendor;     /* CPUID's, "GenuineIntel"; "": not known */
	bool instructions;      /* AVX512_BF16 */
	bool matrix_units;      /* AMX, with bf16 */
};

enum bf16_wish { BF16_AUTO, BF16_ON, BF16_OFF };

/* What CONVOY_BF16 says: unset or empty, on, off; or -1 after error(). */
int bf16_wish(void);

/*
 * NULL: bf16 is computed in bf16. Else f32, and why. Intel's vdpbf16ps does a quarter of the
 * instructions a second that f32's multiply-add does, so half of the operations, and only AMX is
 * faster than f32; AMD's, since Zen 4, does twice the operations.
 */
const char *bf16_refused(const struct bf16_facts *f, enum bf16_wish wish);

/* The vendor that CPUID names, of 12 characters; "" on other processors. */
void bf16_vendor(char vendor[13]);

#endif
