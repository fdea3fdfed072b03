/* The table of data sets, built from data/list.h, and the call that opens one. */
#include "data/data.h"

#define DATASET(name) extern const struct dataset_type dataset_##name;
#include "data/list.h"
#undef DATASET

const struct plugin *const dataset_table[] = {
#define DATASET(name) &dataset_##name.plugin,
#include "data/list.h"
#undef DATASET
	NULL
};

struct dataset *dataset_open(const struct choice *c)
{
	/* Every plug-in of the table is the first member of its struct dataset_type. */
	const struct dataset_type *type = (const struct dataset_type *)c->plugin;

	return type->open(c->conf);
}

struct dataset *dataset_open_text(const char *text)
{
	struct choice c = { 0 };
	struct dataset *ds = NULL;

	if (choice_parse(&c, dataset_table, "data set", text) == 0)
		ds = dataset_open(&c);
	choice_release(&c);
	return ds;
}
