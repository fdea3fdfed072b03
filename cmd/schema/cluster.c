/* The schema of a simulated machine. */
#include "cmd/schema/schema.h"

#include "plan/machine/cluster.h"
#include "plan/settings/settings.h"

static cJSON *measured_def(void)
{
	cJSON *made = schema_text("{\"type\": \"object\"}");

	cJSON_AddItemToObject(made, "propertyNames", schema_words(cluster_measured_keys));
	return made;
}

/* By net: seconds, or seconds by the workers that compute at once. */
static cJSON *per_sample_def(void)
{
	return schema_text("{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": ["
			   "{\"type\": \"number\", \"minimum\": 0},"
			   "{\"type\": \"object\", \"minProperties\": 1,"
			   " \"propertyNames\": {\"pattern\": \"^[1-9][0-9]*$\"},"
			   " \"additionalProperties\": {\"type\": \"number\", \"minimum\": 0}}]}}");
}

static cJSON *per_batch_def(void)
{
	return schema_text("{\"type\": \"object\", "
			   "\"additionalProperties\": {\"type\": \"number\", \"minimum\": 0}}");
}

static cJSON *texts_def(void)
{
	return schema_text("{\"type\": \"object\", "
			   "\"additionalProperties\": {\"type\": \"string\", \"minLength\": 1}}");
}

static cJSON *workers_def(void)
{
	const struct opt *workers = opt_find(autos_opts, "workers");
	cJSON *made = schema_text("{\"type\": \"integer\"}");

	cJSON_AddNumberToObject(made, "minimum", workers->min);
	cJSON_AddNumberToObject(made, "maximum", workers->max);
	return made;
}

cJSON *schema_cluster(void)
{
	cJSON *all = cJSON_CreateObject();

	cJSON_AddItemToObject(all, "workers", workers_def());
	cJSON_AddItemToObject(all, "compute", schema_object(cluster_compute_keys));
	cJSON_AddItemToObject(all, "seconds_per_sample", per_sample_def());
	cJSON_AddItemToObject(all, "seconds_per_batch", per_batch_def());
	cJSON_AddItemToObject(all, "times", texts_def());
	cJSON_AddItemToObject(all, "flops",
			      schema_text("{\"type\": \"number\", \"exclusiveMinimum\": 0}"));
	cJSON_AddItemToObject(all, "measured", measured_def());
	cJSON_AddItemToObject(all, "sources",
			      schema_text("{\"type\": \"object\", "
					  "\"additionalProperties\": {\"type\": \"string\"}}"));
	return schema_root("A simulated machine of convoy", schema_object(cluster_keys), all);
}
