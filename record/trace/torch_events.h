/* torch_events.h - what a trace of torch.profiler says of steps, computing and communication. */
#ifndef RECORD_TRACE_TORCH_EVENTS_H
#define RECORD_TRACE_TORCH_EVENTS_H

#include <stddef.h>
#include <stdint.h>

struct torch_event {
	double begin, end;      /* microseconds */
	int64_t id;             /* a step's number; what joins a launch and its kernel; -1 */
};

enum torch_kind {
	TORCH_STEP,             /* ProfilerStep#N */
	TORCH_LAUNCH,           /* by the host, of a kernel */
	TORCH_KERNEL,           /* of the device, but no collective */
	TORCH_NCCL,             /* a collective of the device */
	TORCH_OPERATOR,         /* aten::..., on the host */
	TORCH_HOST_COLLECTIVE,  /* of gloo, MPI or UCC */
	TORCH_KINDS
};

struct torch_events {
	struct torch_event *v;  /* [n], owned */
	size_t n;
};

struct torch_trace {
	const char *path;
	int64_t rank;           /* -1: the file does not say */
	struct torch_events of[TORCH_KINDS];    /* in the order of the file */
};

/* Reads a file, plain or gzip; 0 or error() that names the event. Release the trace after both. */
int torch_trace_read(struct torch_trace *t, const char *path);
void torch_trace_release(struct torch_trace *t);

void torch_events_add(struct torch_events *to, struct torch_event e);

/*
 * Seconds that the worker computed in each step, in their order, which the caller frees;
 * NULL after error(). Sorts the trace's events and joins those of a kind that overlap. Its steps
 * then are those with a time: on a device, not the first.
 */
double *torch_trace_seconds(struct torch_trace *t);

#endif
