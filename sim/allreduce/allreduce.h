/* allreduce.h - what the simulator's files ask of allreduce.c, buckets.c and zero.c. */
#ifndef SIM_ALLREDUCE_ALLREDUCE_H
#define SIM_ALLREDUCE_ALLREDUCE_H

#include "sim/events/heap.h"

#include <stddef.h>

struct group;
struct node;
struct sim;
struct sim_node;

/* ---- allreduce.c ---- */

void sim_allreduce_open(struct sim *s);                           /* groups, once ranks are known */
void sim_allreduce_close(struct sim *s);
void sim_allreduce_ask(struct sim *s, struct node *nd, float *v, size_t n, bool codes);

/* A group has other members than before, at least one. */
void sim_allreduce_regroup(const struct sim *s, struct group *g);

/* A group has lost a member: its all-reduce begins now if all others have asked for it. */
void sim_allreduce_retry(struct sim *s, struct group *g);

/* Bytes of the node's part of its all-reduce. */
size_t sim_allreduce_bytes(const struct sim *s, const struct sim_node *sn);

/* Seconds of an all-reduce over a group; coded: of codes, so many bytes each. */
double sim_allreduce_time(const struct sim *s, const struct group *g, bool coded, size_t bytes);

/* Seconds of half an all-reduce: until each member has its share, or all have the shares of all. */
double sim_allreduce_share_time(const struct sim *s, const struct group *g, size_t bytes);

/* ---- zero.c ---- */

/* Seconds that ZeRO's all-gathers of the model add to a step, after the gradients' all-reduce. */
double zero_after(const struct sim *s, const struct group *g);

/* ---- buckets.c ---- */

/* What is added together, where all-reduces begin during the backward pass. */
void sim_buckets_open(struct sim *s);

/* The buckets of the all-reduce that the node has asked for. */
int sim_buckets_of(const struct sim *s, const struct sim_node *sn);

/* When the all-reduce of gradients that all have asked for is done. */
double sim_buckets_end(const struct sim *s, const struct group *g);

/* With buckets: the node's gradient has begun, they will be ready. */
void sim_buckets_begin(struct sim *s, struct node *nd);

/* A SIM_BUCKET; false for others. */
bool sim_buckets_event(struct sim *s, struct node *nd, const struct sim_event *ev);

#endif
