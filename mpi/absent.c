/*
 * Replaces the MPI engine in a build without MPI: real_version() returns NULL, the rest is a BUG().
 */
#include "mpi/real.h"
#include "mpi/remote/remote.h"

#include "core/base/error.h"

#include <stddef.h>

const char *real_version(void)
{
	return NULL;
}

const char *real_missing(void)
{
#ifdef CONVOY_WHEEL
	return "Open MPI was not found (libmpi.so.40). Install it (Debian: openmpi-bin), or put "
	       "its folder into LD_LIBRARY_PATH";
#else
	return "this convoy was built without MPI";
#endif
}

int real_begin(void)
{
	BUG("there is no MPI");
}

void real_end(int code)
{
	(void)code;
}

void real_leave(void)
{
}

bool real_alone(void)
{
	return false;
}

int real_rank(void)
{
	return 0;
}

int real_size(void)
{
	return 1;
}

int real_ranks_here(void)
{
	return 1;
}

int real_agree(int code)
{
	return code;
}

void real_share(void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
}

char *real_share_text(char *text)
{
	return text;
}

char *real_hosts(void)
{
	return NULL;
}

int real_processes(const struct real_conf *conf, const struct algo *algo, int workers)
{
	(void)conf;
	(void)algo;
	return workers;
}

int real_run(const struct real_conf *conf, const struct run *run, struct run_result *result)
{
	(void)conf;
	(void)run;
	(void)result;
	return error("%s", real_missing());
}

int real_key(unsigned char *key)
{
	(void)key;
	return 0;
}

bool remote_possible(void)
{
	return false;
}

bool real_saved_by(const char *path, const char *id)
{
	(void)path, (void)id;
	return false;
}

int64_t real_saved(const char *path, const struct real_conf *conf, const struct run *run)
{
	(void)path;
	(void)conf;
	(void)run;
	return -1;
}

struct remote *remote_open(struct pool *p)
{
	(void)p;
	BUG("there is no MPI");
}

void remote_close(struct remote *r)
{
	(void)r;
}

int remote_serve(struct pool *p)
{
	(void)p;
	return 0;
}
