/*
 * packet.h - copies of messages under way, used again.
 */
#ifndef SIM_PACKET_H
#define SIM_PACKET_H

#include "core/node.h"

struct packet {                 /* a message under way */
	struct packet *next;
	struct msg msg;
	double sent;            /* when its sender handed it over */
	size_t bytes;           /* on the wire */
	float *buf;             /* [room], owned */
	size_t room;
};

/* A copy of *m from that rank, in one of the spare packets or in a new one. */
struct packet *packet_copy(struct packet **spare, int from, const struct msg *m);

void packet_put(struct packet **spare, struct packet *p);       /* back to the spare ones */
void packet_free_all(struct packet *p);                         /* it and those behind it */

#endif
