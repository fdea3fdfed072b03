/* Lines that trainers print: what is accepted has steps of every worker, each more than 0. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/textfile.h"
#include "record/trace/trainlog.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const path = "input";
	char *text = xcalloc(size + 1, 1);
	const char *own = text;
	struct steplog l = { 0 };

	if (size)
		memcpy(text, data, size);
	if (textfile_clean(path, text, size) == 0 && trainlog_is(text) &&
	    trainlog_parse(&l, &path, &own, 1) == 0) {
		if (l.workers == 0 || l.steps == 0)
			BUG("a log of nothing");
		for (size_t i = 0; i < l.workers * l.steps; i++)
			if (!(l.seconds[i] > 0.0))
				BUG("%g s", l.seconds[i]);
	}
	steplog_release(&l);
	free(text);
	return 0;
}
