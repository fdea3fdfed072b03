/* Refuses settings of the simulated machine on real ranks, and the reverse. */
#include "plan/resolve/setup.h"

#include "core/base/error.h"

#include <string.h>

static int is_simulated(const char *key)
{
	return error("%s is a setting of the simulator: real ranks have what they have", key);
}

/* Settings of the simulator's machines, which real ones bring along. */
static int check_real(const struct settings *in)
{
	const struct {
		const char *key, *value;
	} all[] = { { "host_copy_s", in->host_copy_s }, { "update_s", in->update_s },
		    { "link", in->link } };

	if (in->timing)
		return error("timing: real ranks compute real gradients; a timing-only run has "
			     "none, so there is nothing to measure. Simulate it, without "
			     "--engine mpi, or add --no-timing, which trains the net");
	if (in->cluster && strcmp(in->cluster, "auto") != 0 && strcmp(in->cluster, "none") != 0)
		return is_simulated("cluster");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value && strcmp(all[i].value, "auto") != 0)
			return is_simulated(all[i].key);
	if (in->faults && strcmp(in->faults, "none") != 0)
		return error("faults is a setting of the simulator: real ranks fail by "
			     "themselves, and resume from a checkpoint");
	if (in->recovery && strcmp(in->recovery, "continue") != 0)
		return error("recovery is a setting of the simulator: real ranks save checkpoints "
			     "with --checkpoint-every, and go back to them with --resume");
	if (in->init && strcmp(in->init, "seed") != 0)
		return error("init is a setting of the simulator: real ranks resume from a "
			     "checkpoint");
	if (in->storage && strcmp(in->storage, "none") != 0)
		return error("storage is a setting of the simulator: real ranks read real samples");
	if (in->shards > 1)
		return error("shards = %lld is a setting of the simulator: a real server is one "
			     "process", (long long)in->shards);
	if (in->sim_in_flight > 1 || in->zero)
		return error("%s is a setting of the simulator: real ranks all-reduce gradients "
			     "one bucket after the other", in->zero ? "zero" : "sim_in_flight");
	if (in->sim_bucket && strcmp(in->sim_bucket, "auto") && strcmp(in->sim_bucket, "0"))
		return error("sim_bucket is a setting of the simulator: real ranks have allreduce "
			     "= buckets, and bucket");
	return 0;
}

static int check_simulated(const struct settings *in, const struct model *m)
{
	if (in->allreduce != ALLREDUCE_BUCKETS)
		return error("allreduce is a setting of engine mpi: the simulator's all-reduces "
			     "are always in one order");
	if (in->server == SERVER_SHARED)
		return error("server = shared is for engine mpi: in the simulator the server is "
			     "a machine of its own");
	if ((uint64_t)in->shards > m->dim)
		return error("shards = %lld: %s has %zu parameters, and a shard holds at least "
			     "one; at most %zu", (long long)in->shards, m->name, m->dim, m->dim);
	return 0;
}

int setup_check_machine(const struct setup *su)
{
	if (su->in.engine == ENGINE_MPI)
		return check_real(&su->in);
	return check_simulated(&su->in, &su->model);
}
