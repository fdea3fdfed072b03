/*
 * fault.c - workers that leave and come back, a server that stalls, links that drop.
 *
 *     worker  |--g--|--g-- x                    |- asks ->|<- model -|--g--|--g--|
 *                          leaves: g is lost    its time is over     it is present again
 *
 * A worker's life counts how often it left and returned: it is odd while the worker is away. A
 * message is for the life that its receiver has when it is sent, and is lost if that has changed;
 * so are timers. Messages that the worker itself sent still arrive.
 *
 * A worker of an algorithm with all-reduces returns in another way (membership.c), and neighbours
 * may have to know of its absence (neighbours.c).
 *
 * A message sent over a link that is down waits, outside NICs and fabric, until the link is up.
 * Messages sent before arrive. A server that stalls finishes what it has begun.
 */
#include "sim/world.h"

#include "core/math/rng.h"

#include <math.h>
#include <stdio.h>

/* ---- failures at random times ---- */

const struct fault *failing_law(const struct sim_conf *conf, int rank)
{
	for (size_t i = 0; i < conf->nfaults; i++) {
		const struct fault *f = &conf->fault[i];

		if (f->kind == FAULT_FAIL && rank >= f->rank &&
		    (rank <= f->peer || f->peer == FAULT_LAST_RANK))
			return f;
	}
	return NULL;
}

double failing_mtbf(const struct sim_conf *conf, const struct fault *law)
{
	return conf->nodes > 1 ? law->mtbf / conf->nodes : law->mtbf;
}

double failing_gap(const struct sim_conf *conf, const struct fault *law, uint64_t seed, int node,
		   int64_t k)
{
	struct rng r;

	rng_at(&r, seed, RNG_FAULT, (uint32_t)node, (uint64_t)k);
	return -log(rng_uniform(&r)) * failing_mtbf(conf, law);
}

int failing_node(const struct sim_conf *conf, int rank)
{
	return rank - rank % link_node(&conf->link);
}

bool failing_is_first(const struct sim_conf *conf, const struct fault *law, int rank)
{
	return rank == failing_node(conf, rank) || failing_law(conf, rank - 1) != law;
}

double failing_rate(const struct sim_conf *conf, int workers)
{
	double rate = 0.0;

	for (int rank = 0; rank < workers; rank++) {
		const struct fault *law = failing_law(conf, rank);

		rate += law && failing_is_first(conf, law, rank) ? 1.0 / failing_mtbf(conf, law)
								 : 0.0;
	}
	return rate;
}

/* ---- leaving ---- */

enum fault_end { BEGINS, IS_OVER, ENDS }; /* phases of a fault; number of them */

void faults_open(struct sim *s)
{
	if (s->conf->nfaults == 0 || s->line)
		return;
	s->faults = arena_alloc(&s->arena, 1, sizeof(*s->faults));
	s->faults->of = arena_alloc(&s->arena, (size_t)s->nnodes, sizeof(*s->faults->of));
}

struct absence *absence_of(const struct sim *s, const struct node *nd)
{
	return &s->faults->of[nd - s->nodes];
}

static void fault_tell(struct sim *s, const struct fault *f, enum fault_end end)
{
	if (!s->stopping)
		run_emit(s->run, &(struct event){ .kind = EV_FAULT,
						  .time = s->now, .epoch = sim_epoch(s),
						  .gradients = s->gradients, .fault = f,
						  .over = end == IS_OVER });
}

/*
 * Ends the run: the algorithm cannot continue, for the reason `why` that a worker's absence caused.
 */
static void give_up(struct sim *s, const struct node *nd, const char *why)
{
	if (s->stopping)
		return;
	snprintf(s->faults->text, sizeof(s->faults->text), "worker %d left at %g s, and %s %s",
		 nd->rank, absence_of(s, nd)->cause->from, s->run->algo->plugin.name, why);
	sim_stop(s, END_STALLED, s->now);
}

/*
 * True when the algorithm tolerates the absence. Not with stages, as one requested before the
 * absence cannot be told from one requested now; nor with rings of messages, which cannot continue
 * after a lost message.
 */
bool fault_can_return(const struct sim *s, const struct node *nd)
{
	return nd->role->back && !nd->stages && !(nd->role->allreduce && s->allreduces.steps);
}

/* Drops a message. A worker that asked a neighbour which has left asks another one. */
static void message_lose(struct sim *s, const struct node *nd, struct packet *p)
{
	const bool asked = p->errand == ERRAND_FETCH && !s->stopping;
	const bool sent = p->errand < ERRAND_LOST;      /* and no report, nor lost before */

	if (asked && s->priv[p->msg.from].life == p->msg.stamp)
		fault_come_back(s, &s->nodes[p->msg.from]);
	else if (!fault_can_return(s, nd))
		give_up(s, nd, "has no answer to the loss of what it is sent");
	if (neighbours_lose(s, nd, p) || packet_discard(&s->post.packets, p))
		s->post.lost += sent;
}

/* The worker is away from now on, because of *f, which lives as long as the run. */
static void fault_leave(struct sim *s, struct node *nd, const struct fault *f)
{
	struct sim_node *sn = sim_node(nd);
	const bool computing = sn->computing;
	struct packet *p;
	bool writing;

	fault_tell(s, f, BEGINS);
	sn->life += sim_is_away(sn) ? 2 : 1;
	absence_of(s, nd)->cause = f;
	if (computing) {
		ledger_unfinished(nd, s->now);
		sim_drop(s, nd, s->now);
	}
	writing = s->blocks && blocks_leave(s, nd);
	if (computing)
		sn->idle_from = writing ? s->now : fmax(s->now, sn->begun - sn->stalled);
	sn->free_at = fmin(sn->free_at, s->now);
	while (sim_forget(s, sn, &p))
		if (p)
			message_lose(s, nd, p);
	membership_leave(s, nd, f);
	neighbours_leave(s, nd, f);
}

bool fault_breaks(const struct group *g)
{
	for (int k = 0; k < g->members; k++)
		if (sim_is_away(sim_node(g->node[k])))
			return true;
	return false;
}

/* ---- returning ---- */

void fault_over(struct sim *s, struct node *nd)
{
	struct absence *a = absence_of(s, nd);

	sim_node(nd)->life++;
	a->arriving = a->known = false;
	fault_tell(s, a->cause, IS_OVER);
}

/* The node that gives a model: the server, or the first neighbour that is present; NULL: none. */
static const struct node *giver_for(struct sim *s, const struct node *nd)
{
	struct ranks near;

	if (s->run->algo->server)
		return &s->nodes[s->nnodes - 1];
	near = topology_in(s->run->graph, nd->rank);
	for (int i = 0; i < near.n; i++)
		if (!sim_is_away(&s->priv[ranks_at(near, i)]))
			return &s->nodes[ranks_at(near, i)];
	return NULL;
}

/*
 * The worker returns. A shared model is always fresh. If no node can give a model, its own is the
 * freshest.
 */
void fault_come_back(struct sim *s, struct node *nd)
{
	const bool fetches = absence_of(s, nd)->cause->fresh && !s->run->algo->shared;
	const struct node *giver;

	if (!fault_can_return(s, nd)) {
		give_up(s, nd, "cannot admit a returned worker");
		return;
	}
	if (membership_return(s, nd) || neighbours_wait(s, nd))
		return;
	giver = fetches ? giver_for(s, nd) : NULL;
	if (giver) {
		sim_node(nd)->clock = s->now;
		s->faults->errand = ERRAND_FETCH;
		packet_send(s, nd, giver->rank,
			    &(struct msg){ .tag = -1, .stamp = sim_node(nd)->life });
		s->faults->errand = ERRAND_NONE;
		return;
	}
	fault_over(s, nd);
	sim_go_on(s, nd);
	neighbours_catch_up(s, nd);
}

void fault_errand(struct sim *s, struct node *nd, const struct packet *p)
{
	switch (p->errand) {
	case ERRAND_MODEL:
		fault_over(s, nd);
		nd->unsent = -1;
		nd->role->back(nd, &p->msg);
		neighbours_catch_up(s, nd);
		return;
	case ERRAND_LOST:
		nd->role->lost(nd, p->msg.from);
		return;
	case ERRAND_RETURNED:
		nd->role->returned(nd, &p->msg);
		return;
	default:
		break;
	}
	if (s->priv[p->msg.from].life != p->msg.stamp)
		return;
	s->faults->errand = ERRAND_MODEL;
	nd->role->fetch(nd, p->msg.from);
	s->faults->errand = ERRAND_NONE;
}

/* ---- links ---- */

/*
 * Holds a message on a link that is down. Later messages of its handler wait too, as none may
 * overtake.
 */
bool fault_holds(struct sim *s, int from, int to, double time, struct packet *p)
{
	const int x = sim_index(s, sim_at(s, from)->rank), y = sim_index(s, sim_at(s, to)->rank);

	for (size_t i = 0; i < s->conf->nfaults; i++) {
		const struct fault *f = &s->conf->fault[i];
		const int a = sim_index(s, f->rank), b = sim_index(s, f->peer);

		if (f->kind != FAULT_DROP || !((x == a && y == b) || (x == b && y == a)) ||
		    time < f->from || s->now >= f->to)
			continue;
		heap_push(&s->heap, fmax(time, f->to), SIM_FAULT, from, p, to);
		return true;
	}
	return false;
}

/* ---- events ---- */

/* Number of the event of a failure at random; those of faults at given times are smaller. */
static int64_t fault_event(const struct sim *s, enum fault_end end)
{
	return ENDS * (int64_t)s->conf->nfaults + end;
}

/* Pushes the worker's next failure, if the run lasts so long. */
static void failing_push(struct sim *s, int rank)
{
	const double limit = s->run->seconds > 0.0 ? s->run->seconds : HUGE_VAL;
	struct failing *w = &s->faults->failing[rank];
	const double at =
		s->now + failing_gap(s->conf, w->law, s->run->seed, w->node, w->count);

	if (at <= limit)
		heap_push(&s->heap, at, SIM_FAULT, rank, NULL, fault_event(s, BEGINS));
}

void fault_open(struct sim *s)
{
	const double limit = s->run->seconds > 0.0 ? s->run->seconds : HUGE_VAL;
	bool some = false;

	for (size_t i = 0; i < s->conf->nfaults; i++) {
		const struct fault *f = &s->conf->fault[i];
		const double when[ENDS] = { f->from, f->to };

		some = some || f->kind == FAULT_FAIL;
		for (int end = BEGINS; f->kind != FAULT_FAIL && end < ENDS; end++)
			if (when[end] <= limit && isfinite(when[end]))
				heap_push(&s->heap, when[end], SIM_FAULT, sim_index(s, f->rank),
					  NULL, ENDS * (int64_t)i + end);
	}
	if (!some)
		return;
	s->faults->failing =
		arena_alloc(&s->arena, (size_t)s->run->workers, sizeof(*s->faults->failing));
	for (int i = 0; i < s->run->workers; i++) {
		struct failing *w = &s->faults->failing[i];

		w->law = failing_law(s->conf, i);
		w->node = failing_node(s->conf, i);
		if (w->law)
			failing_push(s, i);
	}
}

/* True when nodes fail so often that no gradient is ever complete, or too often in all. */
static bool fails_for_ever(struct sim *s)
{
	enum { MOST = 1000, MOST_EVER = 1 << 20 };
	struct faults *f = s->faults;

	if (s->gradients != f->failed_at) {
		f->failed_at = s->gradients;
		f->failed = 0;
	}
	if (++f->failed_ever > MOST_EVER)
		snprintf(f->text, sizeof(f->text),
			 "workers failed %d times, and no more failures "
			 "are kept; give a longer mtbf_s or a shorter run",
			 MOST_EVER);
	else if (++f->failed > MOST * (int64_t)(s->run->workers + 1))
		snprintf(f->text, sizeof(f->text),
			 "workers failed %lld times, and none completed a "
			 "gradient in between",
			 (long long)f->failed);
	else
		return false;
	sim_stop(s, END_STALLED, s->now);
	return true;
}

/* A worker fails at random. If it is away already, it is away for longer. */
static void failing_begin(struct sim *s, struct node *nd)
{
	struct failing *w = &s->faults->failing[nd->rank];
	const double over = s->now + w->law->detect + w->law->restart;

	if (fails_for_ever(s))
		return;
	w->count++;
	s->faults->failures += failing_is_first(s->conf, w->law, nd->rank);
	failing_push(s, nd->rank);
	if (!sim_is_away(sim_node(nd)) || s->now >= w->now.to) {
		w->now = *w->law;
		w->now.kind = FAULT_LEAVE;
		w->now.rank = w->now.peer = nd->rank;
		w->now.from = s->now;
		w->now.to = over;
		fault_leave(s, nd, &w->now);
	}
	w->now.to = over;
	heap_push(&s->heap, over, SIM_FAULT, nd->rank, NULL, fault_event(s, IS_OVER));
}

/* A fault at a given time begins or ends. */
static void fault_happen(struct sim *s, const struct fault *f, enum fault_end end)
{
	struct node *nd = &s->nodes[sim_index(s, f->rank)];

	if (end == BEGINS && f->kind == FAULT_LEAVE) {
		s->faults->failures++;
		fault_leave(s, nd, f);
	} else if (f->kind == FAULT_LEAVE) {
		fault_come_back(s, nd);
	} else {
		fault_tell(s, f, end);
	}
	if (end == BEGINS && f->kind == FAULT_STALL)
		sim_node(nd)->free_at = fmax(sim_node(nd)->free_at, f->to);
}

static void fault_handle(struct sim *s, const struct sim_event *ev)
{
	const int node = sim_event_node(ev);
	struct node *nd = sim_at(s, node);
	const size_t which = (size_t)(ev->num / ENDS);
	const enum fault_end end = (enum fault_end)(ev->num % ENDS);

	if (ev->ptr) { /* a message that a link has held */
		if (!fault_holds(s, node, (int)ev->num, s->now, ev->ptr))
			packet_launch(s, node, (int)ev->num, s->now, ev->ptr);
	} else if (ev->num == FAULT_SETTLED) {
		neighbours_settled(s, nd);
	} else if (ev->num < 0) {
		membership_detect(s, nd, (int)-ev->num);
		neighbours_detect(s, nd, (int)-ev->num);
	} else if (s->stopping) {
		return;
	} else if (which < s->conf->nfaults) {
		fault_happen(s, &s->conf->fault[which], end);
	} else if (end == BEGINS) {
		failing_begin(s, nd);
	} else if (s->now >= s->faults->failing[nd->rank].now.to) {
		fault_come_back(s, nd); /* not if it has failed again meanwhile */
	}
}

bool fault_takes(struct sim *s, const struct sim_event *ev)
{
	const struct node *nd = sim_at(s, sim_event_node(ev));
	const struct sim_node *sn = sim_node(nd);
	struct packet *p = ev->ptr;

	switch (sim_event_kind(ev)) {
	case SIM_FAULT:
		fault_handle(s, ev);
		return true;
	case SIM_MSG:
	case SIM_RECEIVED:
		if (p->errand == ERRAND_RETURNED ||
		    (p->life == sn->life && (!sim_is_away(sn) || p->errand == ERRAND_MODEL)))
			return false;
		message_lose(s, nd, p);
		return true;
	case SIM_TIMER:
		return ev->num >> 32 != sn->life;
	case SIM_WRITE:
		return ev->num != sn->life;
	case SIM_ALLREDUCE:
		s->post.lost += ev->num != sn->life;
		return ev->num != sn->life;
	default:
		return false;
	}
}
