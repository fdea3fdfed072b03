/* device.c - the published rates of a device, as text and as JSON. */
#include "cmd/show/show.h"
#include "plan/compute/kinds.h"

#include <stdio.h>

void show_device(const struct plugin *p)
{
	const struct device_rate *r = ((const struct compute_kind *)p)->rate;

	if (!r)
		return;
	printf("\n%-16s %6s %12s   %s\n", "net", "batch", "samples/s", "source");
	for (; r->net; r++) {
		if (r->batch > 0.0)
			printf("%-16s %6g %12.5g   %s\n", r->net, r->batch, r->samples_s,
			       r->source);
		else
			printf("%-16s %6s %12.5g   %s\n", r->net, "-", r->samples_s, r->source);
	}
}

void show_device_json(cJSON *json, const struct plugin *p)
{
	const struct device_rate *r = ((const struct compute_kind *)p)->rate;
	cJSON *list = r ? cJSON_AddArrayToObject(json, "rates") : NULL;

	for (; r && r->net; r++) {
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "net", r->net);
		if (r->batch > 0.0)
			cJSON_AddNumberToObject(item, "batch", r->batch);
		else
			cJSON_AddNullToObject(item, "batch");
		cJSON_AddNumberToObject(item, "samples_per_s", r->samples_s);
		cJSON_AddStringToObject(item, "source", r->source);
		cJSON_AddItemToArray(list, item);
	}
}
