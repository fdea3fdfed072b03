/* Facts of a net that a run's clock must know, without computing with it. */
#ifndef PLAN_RESOLVE_MODEL_H
#define PLAN_RESOLVE_MODEL_H

#include "core/metric.h"
#include "core/problem.h"
#include "core/text/opt.h"
#include "sim/sim.h"

struct model {
	struct choice analytic; /* an analytic problem, or {0}: a net */
	struct choice sized;    /* a net of known size (nets/sizes/sizes.h), or {0} */
	bool external;          /* another process computes it (nets/external/external.h) */
	char *name;             /* without folder and .json; owned */
	size_t dim, nlayers;    /* floats, and the layers (blobs) that they are of */
	size_t stats_dim;       /* floats of batch-norm statistics */
	struct blob *layers;    /* [nlayers], owned */
	struct cut cut;         /* where its gradients may be cut in stages */
	int64_t macs;           /* forward multiply-accumulates per sample */
	int64_t samples;        /* of an epoch; 0: the data set's */
	char *versions;         /* of an external problem: external_sizes.versions; owned */
	int metrics;            /* further numbers of an external problem; -1: not known ... */
	char metric[METRICS_MOST][METRIC_KEY];  /* ... and their keys */
	bool tokens;            /* a net of tokens */
	int64_t window;         /* tokens of a sample; 0: it has none */
	bool known;             /* analytic, or built in: a cluster may have timed it */
	uint64_t digest;        /* of the net's file, or of sized layers; 0: analytic */
	double seconds;         /* measured, of a minibatch; 0: not */
	double forward;         /* share of the forward pass in these; 0: not measured */
	struct backward *backward;      /* [nbackward] its layers, owned; 0: analytic */
	size_t nbackward;
};

/* True when a net is an analytic problem, which reads no data set. */
bool model_is_analytic(const char *net);

/*
 * The data set whose samples are as a net of the zoo, or of a file, has its own input and classes:
 * "mnist", "imagenet:crop=227"; `usual`, where they are its own too, where no data set is so, and
 * where the net has none of its own. No message is shown. Valid until the next call.
 */
const char *model_data(const char *net, const char *usual);

/*
 * Loads "quadratic:...", "logistic:...", "bytes:...", "python:...", "exec:...", a net of the zoo or
 * a path to one; a net of the zoo takes its input shape and classes from the data set. The sizes of
 * an external problem are 0 where they are not known. 0 or error().
 */
int model_load(struct model *m, const char *net, const struct choice *data);
void model_release(struct model *m);

/*
 * Sets what tells a net from others (name, known, digest, and the choice of a problem or a net of
 * known size) without a data set. 0 or error(); release in either case.
 */
int model_identify(struct model *m, const char *net);

/*
 * Name of a net in a cluster's file that has timed it: that of a known net; else a text
 * that no other net has, "bytes:bytes=4e6,layers=8,macs=0" or "mine@0123456789abcdef" with the
 * digest of its file or layers. The caller frees.
 */
char *model_time_key(const struct model *m);

#endif
