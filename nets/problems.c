/* The table of training problems, built from nets/list.h. */
#include "nets/nets.h"

#define PROBLEM(name) extern const struct problem_type problem_##name;
#include "nets/list.h"
#undef PROBLEM

const struct plugin *const problem_table[] = {
#define PROBLEM(name) &problem_##name.plugin,
#include "nets/list.h"
#undef PROBLEM
	NULL
};
