/* bench_external.c - the table of `convoy bench nets` for nets that other processes compute. */
#include "cmd/bench_external.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "nets/external/external.h"
#include "runner/estimate/external_rate.h"
#include "runner/results/outcome.h"
#include "runner/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AUTO_BATCH = 32, NUMBERS = 64 };

static const double micro = 1e-6, giga = 1e9;

bool bench_external_named(const struct args *a)
{
	for (size_t i = 1; i < a->nwords; i++)
		if (external_chosen(a->words[i]))
			return true;
	return false;
}

struct number {
	int64_t n;
};

/* Reads numbers from 1 to most; "auto" is `automatic`. Returns how many; 0 after error(). */
static size_t numbers_read(const char *name, const char *text, int64_t automatic, double most,
			   int64_t list[NUMBERS])
{
	const struct opt opts[] = {
		{ name, OPT_AT(INT, struct number, n), "1", NULL, "N", 1, most, NULL, 0 }, { 0 }
	};
	size_t n = 0;

	for (;;) {
		const size_t length = strcspn(text, ",");
		char *word = xasprintf("%.*s", (int)length, text);
		struct number one = { automatic };
		int bad = 0;

		if (strcmp(word, "auto") != 0 || automatic == 0)
			bad = opt_set(opts, &one, name, word, "command line");
		free(word);
		if (bad || n == NUMBERS)
			return 0;
		list[n++] = one.n;
		if (!text[length])
			return n;
		text += length + 1;
	}
}

static void rate_print(const struct external_rate *r)
{
	printf("%-36s %10zu %5zu %7d %11.0f %11.0f %11.1f %7.2f\n", r->net, r->dim, r->batch,
	       r->threads, r->rate, r->rate * (double)r->batch, r->threads / r->rate / micro,
	       2.0 * sizeof(float) * (double)r->dim * r->rate / giga);
	fflush(stdout);
}

static cJSON *rate_json(const struct external_rate *r)
{
	return OBJECT(j_text("net", r->net), j_number("parameters", (double)r->dim),
		      j_number("batch", (double)r->batch), j_number("threads", r->threads),
		      j_number("gradients", r->gradients), j_number("gradients_per_s", r->rate),
		      j_number("samples_per_s", r->rate * (double)r->batch));
}

int bench_external(const struct args *a, const struct bench_external *b)
{
	int64_t batch[NUMBERS], threads[NUMBERS];
	const size_t nbatch = numbers_read("batch", b->batch, AUTO_BATCH, 1 << 24, batch);
	const size_t nthreads = numbers_read("threads", b->threads, 0, 1024, threads);
	cJSON *list = cJSON_CreateArray();
	int code = nbatch && nthreads ? EXIT_OK : EXIT_USAGE;

	for (size_t i = 1; i < a->nwords; i++)
		if (!external_chosen(a->words[i]))
			code = args_usage(a, "%s: nets that are code are measured by themselves. "
					  "Measure the others with another command", a->words[i]);
	if (code == EXIT_OK && !b->json)
		printf("Gradients with their way to another process and back; GB/s: of model and "
		       "gradient, one copy each\n\n%-36s %10s %5s %7s %11s %11s %11s %7s\n", "net",
		       "parameters", "batch", "threads", "gradients/s", "samples/s", "us/gradient",
		       "GB/s");
	for (size_t i = 1; i < a->nwords; i++)
		for (size_t k = 0; k < nbatch * nthreads && code == EXIT_OK; k++) {
			struct external_rate r = {
				.net = a->words[i], .batch = (size_t)batch[k / nthreads],
				.threads = (int)threads[k % nthreads], .seconds = b->seconds,
				.stop = signals_caught,
			};

			if (external_rate_measure(&r) < 0)
				code = EXIT_BAD;
			else if (signal_caught)
				code = signals_exit_code();
			else if (b->json)
				list_add(list, rate_json(&r));
			else
				rate_print(&r);
		}
	if (b->json && code == EXIT_OK)
		json_print_own(list);
	else
		cJSON_Delete(list);
	return code;
}
