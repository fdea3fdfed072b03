/* table.c - measured times by size, and all-reduces of other numbers of members. */
#include "sim/link/table.h"

#include "core/base/error.h"

#include <stdio.h>
#include <stdlib.h>

double table_at(const struct size_table *t, double bytes)
{
	const struct opt_doubles *keys = &t->bytes, *values = &t->seconds;
	size_t i = 1;

	if (bytes <= keys->v[0] || keys->n < 2)
		return values->v[0];
	while (i + 1 < keys->n && keys->v[i] < bytes)
		i++;
	return values->v[i - 1] + (values->v[i] - values->v[i - 1]) * (bytes - keys->v[i - 1]) /
				  (keys->v[i] - keys->v[i - 1]);
}

double table_allreduce(const struct size_table *t, int64_t ranks, int n, double bytes)
{
	const double latency = t->seconds.v[0], m = (double)ranks;
	const double rest = table_at(t, bytes) - latency;
	const double steps = (n - 1) / (m - 1), share = steps * m / n;

	return latency * steps + (rest > 0.0 ? rest * share : 0.0);
}

double link_scaled(double value, double ratio)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", ratio * value);
	return strtod(text, NULL);
}

void table_scale(struct size_table *t, double ratio)
{
	for (size_t i = 0; i < t->bytes.n; i++)
		t->bytes.v[i] = link_scaled(t->bytes.v[i], ratio);
}

int table_check(const struct size_table *t, const char *model, const char *name)
{
	const struct opt_doubles *keys = &t->bytes, *values = &t->seconds;

	if (keys->n == 0 || keys->n != values->n)
		return error("link model %s: %s_bytes has %zu numbers, %s_s %zu: they go in pairs",
			     model, name, keys->n, name, values->n);
	for (size_t i = 1; i < keys->n; i++)
		if (keys->v[i] <= keys->v[i - 1])
			return error("link model %s: %s_bytes must ascend, but %g comes before %g",
				     model, name, keys->v[i - 1], keys->v[i]);
	return 0;
}
