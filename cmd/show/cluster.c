/* Prints a cluster's file: its numbers with units and sources, and defaults of what it omits. */
#include "cmd/show/show.h"

#include "core/base/error.h"
#include "core/file/json.h"
#include "core/text/wrap.h"
#include "plan/machine/cluster_numbers.h"

#include <stdbool.h>
#include <stdio.h>

enum { INDENT = 4 };

static const cJSON *show_cluster_get(const struct cluster *c, const char *key)
{
	return json_get(c->file, key);
}

static void show_cluster_print_text(const char *title, const cJSON *text)
{
	if (!cJSON_IsString(text))
		return;
	printf("%s", title);
	wrap_print(text->valuestring, *title ? INDENT : 0, *title ? INDENT : 0, HELP_COLUMNS,
		   stdout);
}

static void print_number(const struct cluster *c, const struct cluster_number *x)
{
	printf("\n  %s = %s%s%s\n%*s", x->name, x->value, *x->unit ? " " : "", x->unit, INDENT, "");
	if (x->source)
		wrap_print(x->source, INDENT, INDENT, HELP_COLUMNS, stdout);
	else
		puts(c->measured ? "measured by convoy calibrate" : "no source of its own");
}

static void print_numbers(const struct cluster *c)
{
	struct cluster_numbers all = cluster_numbers(c);

	printf("\nNumbers, each with its source:\n");
	for (size_t i = 0; i < all.n; i++)
		print_number(c, &all.v[i]);
	cluster_numbers_free(&all);
}

/* What a run takes where the file is silent. */
static void print_defaults(const struct cluster *c)
{
	static const struct {
		const char *key, *value;
	} all[] = {
		{ "workers", "1" },
		{ "host_copy_GBps", "0, which is free" },
		{ "host_copy_latency_s", "0 s" },
		{ "update_s", "0 s" },
		{ "overlap", "true" },
		{ "bucket_bytes", "26214400 bytes: all-reduce overlaps the backward pass, as in "
				  "PyTorch DDP" },
		{ "delay", "constant" },
		{ "link", "ideal" },
	};

	printf("\nNot given; defaults:\n");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!show_cluster_get(c, all[i].key))
			printf("  %s = %s\n", all[i].key, all[i].value);
	if (!json_get(show_cluster_get(c, "compute"), "flops"))
		printf("  flops = %g operations a second, for nets without a time of their own\n",
		       c->flops);
}

static bool is_complete(const struct cluster *c)
{
	return show_cluster_get(c, "workers") && show_cluster_get(c, "host_copy_GBps") &&
	       show_cluster_get(c, "update_s") && show_cluster_get(c, "overlap") &&
	       show_cluster_get(c, "bucket_bytes") && show_cluster_get(c, "delay") &&
	       show_cluster_get(c, "link") && json_get(show_cluster_get(c, "compute"), "flops");
}

static void print_derivation(const cJSON *derivation)
{
	const cJSON *line;

	if (!derivation)
		return;
	printf("\nDerivation:\n");
	if (cJSON_IsString(derivation)) {
		printf("  ");
		wrap_print(derivation->valuestring, 2, 2, HELP_COLUMNS, stdout);
	}
	cJSON_ArrayForEach(line, derivation) {
		printf("  - ");
		wrap_print(line->valuestring, INDENT, INDENT, HELP_COLUMNS, stdout);
	}
}

int show_cluster(const char *path)
{
	struct cluster c;

	if (cluster_load(&c, path) < 0)
		return EXIT_BAD;
	show_cluster_print_text("", show_cluster_get(&c, "about"));
	show_cluster_print_text("\nSource:\n    ", show_cluster_get(&c, "source"));
	show_cluster_print_text("\nCite:\n    ", show_cluster_get(&c, "cite"));
	print_numbers(&c);
	if (!is_complete(&c))
		print_defaults(&c);
	print_derivation(show_cluster_get(&c, "derivation"));
	if (c.measured) {
		printf("\nMeasured with:\n");
		show_members(c.measured);
	}
	cluster_release(&c);
	return EXIT_OK;
}
