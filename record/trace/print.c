/* The rows of a trace as text, and as JSON. */
#include "record/trace/trace.h"

#include "core/text/word.h"

#include <inttypes.h>
#include <math.h>

static void print_peer(const struct trace_row *r, FILE *out)
{
	char name[32];

	trace_node_name(r->peer, name);
	if (r->kind == TRACE_SENT || r->kind == TRACE_MESSAGE)
		fprintf(out, " %s %s,", r->kind == TRACE_SENT ? "to" : "from", name);
	if (r->tag != TRACE_NO_TAG)
		fprintf(out, " tag %d,", r->tag);
}

static void print_fault(const struct trace_row *r, FILE *out)
{
	char name[32];

	trace_node_name(r->peer, name);
	if (r->peer != r->rank)
		fprintf(out, " the link to %s is %s", name, r->kind == TRACE_OVER ? "up" : "down");
	else if (r->rank == SERVER)
		fputs(r->kind == TRACE_OVER ? " resumes" : " stalls", out);
	else
		fputs(r->kind == TRACE_OVER ? " is back" : " leaves", out);
	if (r->kind == TRACE_OVER)
		fprintf(out, ", since %.9f", r->begun);
}

static void print_detail(const struct trace_row *r, FILE *out)
{
	print_peer(r, out);
	switch (r->kind) {
	case TRACE_COMPUTED:
		fprintf(out, " number %" PRId64 ", since %.9f, loss %.6g", r->gradients, r->begun,
			r->loss);
		break;
	case TRACE_DROPPED:
	case TRACE_STAGED:
		fprintf(out, " since %.9f", r->begun);
		break;
	case TRACE_SENT:
		fprintf(out, " %" PRId64 " bytes", r->bytes);
		break;
	case TRACE_STEPPED:
		fprintf(out, " staleness %" PRId64, r->staleness);
		break;
	case TRACE_MESSAGE:
	case TRACE_ALLREDUCE:
		fprintf(out, " %" PRId64 " bytes, under way since %.9f,", r->bytes, r->begun);
		break;
	case TRACE_TIMER:
		fprintf(out, " token %d,", r->peer);
		break;
	case TRACE_FAULT:
	case TRACE_OVER:
		print_fault(r, out);
		break;
	default:
		break;
	}
	if (trace_is_handler(r->kind))
		fprintf(out, " %" PRId64 " gradient%s known, took %.9f", r->gradients,
			word_plural((double)r->gradients), r->seconds);
}

void trace_print(const struct trace *t, FILE *out)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct trace_row *r = &t->row[i];
		char name[32];

		trace_node_name(r->rank, name);
		fprintf(out, "%14.9f  %-12s %-9s", r->time, name, trace_kind_name[r->kind]);
		print_detail(r, out);
		putc('\n', out);
	}
}

void trace_print_json(const struct trace *t, FILE *out)
{
	fprintf(out, "{\"algo\":\"%s\",\"workers\":%d,\"nodes\":%d,\"hash\":\"%s\",\"end\":\"%s\","
		"\"time_s\":%.17g,\"gradients\":%" PRId64 ",\"model\":\"%016" PRIx64 "\","
		"\"events\":[", t->algo, t->workers, t->nodes, t->hash, t->end, t->time,
		t->gradients, t->model);
	for (size_t i = 0; i < t->n; i++) {
		const struct trace_row *r = &t->row[i];

		fprintf(out, "%s\n{\"kind\":\"%s\",\"rank\":%d,\"peer\":%d,\"time_s\":%.17g,"
			"\"begun_s\":%.17g,\"seconds\":%.17g,\"bytes\":%" PRId64 ",\"gradients\":%"
			PRId64 ",\"staleness\":%" PRId64 ",\"tag\":", i ? "," : "",
			trace_kind_name[r->kind], r->rank, r->peer, r->time, r->begun, r->seconds,
			r->bytes, r->gradients, r->staleness);
		if (r->tag == TRACE_NO_TAG)
			fputs("null,\"loss\":", out);
		else
			fprintf(out, "%d,\"loss\":", r->tag);
		fprintf(out, isfinite(r->loss) ? "%.17g}" : "null}", r->loss);
	}
	fputs("\n]}\n", out);
}
