/* A training run of the simulator whose gradients MPI processes share: checks and start. */
#include "runner/single_run/simranks.h"

#include "core/base/cores.h"
#include "core/base/error.h"
#include "mpi/real.h"
#include "mpi/remote/remote.h"
#include "plan/machine/batch_system.h"
#include "runner/launch/world.h"

#include <string.h>

/* Ranks of one run were told the same. */
static int check_same(const struct setup *su)
{
	char first[sizeof(su->hash)];

	memcpy(first, su->hash, sizeof(first));
	real_share(first, sizeof(first));
	if (memcmp(first, su->hash, sizeof(first)) == 0)
		return 0;
	return error("its settings are not those of rank 0: the ranks of mpirun compute one run, "
		     "together");
}

int simranks_check(const struct setup *su, int64_t asked)
{
	const int started = real_size();

	if (asked > 1 && !real_version())
		return error("sim_ranks = %d: this convoy was built without MPI", (int)asked);
	if (world_check_asked(asked) < 0)
		return -1;
	if (started > 1 && check_same(su) < 0)
		return -1;
	if (su->in.timing && (asked > 1 || started > 1))
		return error("sim_ranks: ranks compute gradients, and a timing-only run has none; "
			     "leave out --timing, or the ranks");
	return 0;
}

int simranks_threads(int64_t asked)
{
	const int own = batch_threads(asked, 0);
	const int cores = own ? own : cores_allowed(), quota = cores_quota();
	const int all = cores_online() < quota ? cores_online() : quota;
	const int part = own || real_size() < 2 ? cores : all / real_neighbours();

	return part < 1 ? 1 : part < cores ? part : cores;
}

enum run_end simranks_go(run_engine *go, const struct setup *su, const struct run_context *t,
			 struct run *run)
{
	struct remote *others;
	enum run_end end;

	if (su->in.engine == ENGINE_MPI || real_size() < 2)
		return go(su, t, run);
	if (!remote_possible()) {
		error("this MPI does not let another thread than the first speak to other ranks");
		return RUN_END_BROKEN;
	}
	if (real_rank() > 0)
		return remote_serve(run->pool) < 0 ? RUN_END_FAILED : RUN_END_DONE;
	others = remote_open(run->pool);
	if (!others)
		return RUN_END_BROKEN;
	end = go(su, t, run);
	remote_close(others);
	return end;
}
