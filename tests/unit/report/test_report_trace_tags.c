/* The tags of messages in a trace. */
#include "record/trace/trace.h"

#include "core/base/mem.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/toy.h"

#include <stdlib.h>

/* ad-psgd asks (0) and answers (1): every message is received with the tag of its sending. */
static void messages_keep_their_tags(void **state)
{
	const struct trace_info info = { .hash = "abc" };
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	int64_t sent[2] = { 0 }, received[2] = { 0 };
	struct tracer *tracer;
	struct trace trace;
	struct toy t;

	toy_open(&t, "ad-psgd", 3, "sgd");
	t.run.epochs = 0;
	t.run.gradients = 40;
	tracer = tracer_open(path, &info, &t.run);
	assert_non_null(tracer);
	t.run.hooks = tracer_hook(tracer);
	toy_run(&t);
	assert_int_equal(tracer_close(tracer, &t.result), 0);
	assert_int_equal(trace_read(&trace, path), 0);
	for (size_t i = 0; i < trace.n; i++) {
		const struct trace_row *r = &trace.row[i];

		if (r->kind != TRACE_SENT && r->kind != TRACE_MESSAGE) {
			assert_int_equal(r->tag, TRACE_NO_TAG);
			continue;
		}
		assert_within(r->tag, 0, 1);
		(r->kind == TRACE_SENT ? sent : received)[r->tag]++;
	}
	assert_true(sent[0] > 0 && sent[1] > 0);
	assert_memory_equal(sent, received, sizeof(sent));
	trace_release(&trace);
	toy_close(&t);
	free(path);
	folder_remove(folder);
}

RUN_ALL(messages_keep_their_tags)
