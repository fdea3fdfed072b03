/* Traces of torch.profiler, plain or gzip: what is accepted has a time of every step. */
#define _GNU_SOURCE
#include "core/base/error.h"
#include "core/base/mem.h"
#include "record/trace/torch_log.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int file = memfd_create("trace", 0);
	char *path = xasprintf("/proc/self/fd/%d", file);
	const char *const paths[] = { path };
	struct steplog l;

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		die("a trace cannot be written");
	if (torch_log_read(&l, paths, 1) == 0) {
		if (l.workers != 1 || l.steps == 0)
			BUG("%zu workers, %zu steps", l.workers, l.steps);
		for (size_t i = 0; i < l.steps; i++)
			if (!(l.seconds[i] > 0.0))
				BUG("%g s", l.seconds[i]);
	}
	steplog_release(&l);
	free(path);
	close(file);
	return 0;
}
