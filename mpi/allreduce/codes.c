/*
 * codes.c - all-reduces of packed gradients.
 *
 * Codes cannot be added: all members gather those of all, and each decodes and adds them in
 * the order of ranks. So all are bit-identical, in every run.
 */
#include "mpi/allreduce/codes.h"

#include "core/codec.h"

void codes_open(struct real *r, struct real_node *sn)
{
	if (!sn->codes)
		sn->codes = arena_alloc(&r->arena, (size_t)r->run.workers + 1,
					codec_bytes(&r->run));
}

void *codes_own(const struct real *r, const struct real_node *sn)
{
	return sn->codes + (size_t)r->run.workers * codec_bytes(&r->run);
}

void codes_begin(struct real *r, struct real_node *sn)
{
	const int bytes = (int)codec_part_bytes(&r->run, sn->n);

	MPI_Iallgather(codes_own(r, sn), bytes, MPI_BYTE, sn->codes, bytes, MPI_BYTE, r->workers,
		       &sn->request[0]);
}

size_t real_allreduce_bytes(const struct real *r, const struct real_node *sn)
{
	return sn->coded ? codec_part_bytes(&r->run, sn->n) : sn->n * sizeof(float);
}

void real_allreduce_decode(const struct real *r, const struct real_node *sn)
{
	const size_t bytes = codec_part_bytes(&r->run, sn->n);

	if (!sn->coded)
		return;
	codec_unpack(&r->run, sn->n, sn->codes, sn->v);
	for (int k = 1; k < r->run.workers; k++)
		codec_add(&r->run, sn->n, sn->codes + (size_t)k * bytes, sn->v);
}
