/*
 * foreign.c - words of other programs (mpirun, SLURM, PyTorch, Horovod, Ray, ...) and what stands
 * for them here.
 */
#include "core/text/foreign.h"

#include "core/text/word.h"

#include <stdbool.h>
#include <string.h>

static const struct foreign options[] = {
	/* how many compute, and where: mpirun, srun, torchrun, horovodrun */
	{ "np", "n", "-n" }, { "np", "workers", NULL },
	{ "nproc", "n", "-n" }, { "nproc", "workers", NULL },
	{ "nprocs", "n", "-n" }, { "nprocs", "workers", NULL },
	{ "ntasks", "n", "-n" }, { "ntasks", "workers", NULL },
	{ "num-proc", "n", "-n" }, { "num-proc", "workers", NULL },
	{ "num-processes", "n", "-n" }, { "num-processes", "workers", NULL },
	{ "nproc-per-node", "n", "-n" }, { "nproc-per-node", "workers", NULL },
	{ "ntasks-per-node", "n", "-n" }, { "ntasks-per-node", "workers", NULL },
	{ "world-size", "workers", NULL }, { "ranks", "workers", NULL },
	{ "processes", "workers", NULL }, { "nodes", "workers", NULL },
	{ "nnodes", "workers", NULL }, { "num-nodes", "workers", NULL },
	{ "num-workers", "workers", NULL }, { "n-workers", "workers", NULL },
	{ "gpus", "workers", NULL }, { "num-gpus", "workers", NULL },
	{ "gpus-per-node", "workers", NULL }, { "devices", "workers", NULL },
	{ "replicas", "workers", NULL }, { "num-replicas", "workers", NULL },
	{ "learners", "workers", NULL }, { "clients", "workers", NULL },
	{ "machinefile", "hostfile", NULL }, { "host-file", "hostfile", NULL },
	{ "host", "hosts", NULL }, { "nodelist", "hosts", NULL },
	{ "map-by", "mpirun", "--mpirun '--map-by ...'" },
	{ "bind-to", "mpirun", "--mpirun '--bind-to ...'" },
	{ "mca", "mpirun", "--mpirun '--mca ...'" },
	{ "oversubscribe", "mpirun", "--mpirun --oversubscribe" },
	{ "cpus-per-task", "threads", NULL }, { "num-threads", "threads", NULL },
	{ "omp-num-threads", "threads", NULL }, { "cpus", "threads", NULL },

	/* what runs */
	{ "algorithm", "algo", NULL }, { "method", "algo", NULL }, { "strategy", "algo", NULL },
	{ "distributed-strategy", "algo", NULL }, { "kvstore", "algo", NULL },
	{ "sync-mode", "algo", NULL }, { "sync", "algo", "algo=allreduce" },
	{ "async", "algo", "algo=asgd" }, { "ps", "algo", "algo=asgd" },
	{ "ddp", "algo", "algo=allreduce" }, { "horovod", "algo", "algo=allreduce" },
	{ "staleness", "bound", NULL }, { "staleness", "algo", "algo=ssp:bound=..." },
	{ "max-staleness", "bound", NULL }, { "max-staleness", "algo", "algo=ssp:bound=..." },
	{ "slack", "bound", NULL }, { "slack", "algo", "algo=ssp:bound=..." },
	{ "local-steps", "period", NULL }, { "local-steps", "tau", NULL },
	{ "local-steps", "algo", "algo=local-sgd:period=..." },
	{ "sync-period", "period", NULL }, { "sync-period", "tau", NULL },
	{ "sync-period", "algo", "algo=local-sgd:period=..." },
	{ "communication-period", "period", NULL }, { "communication-period", "tau", NULL },
	{ "communication-period", "algo", "algo=local-sgd:period=..." },
	{ "backup-workers", "algo", "algo=backup:b=..." },
	{ "topology", "graph", NULL }, { "neighbors", "graph", NULL },
	{ "neighbours", "graph", NULL },
	{ "num-ps", "shards", NULL }, { "parameter-servers", "shards", NULL },
	{ "num-servers", "shards", NULL }, { "servers", "shards", NULL },
	{ "model", "net", NULL }, { "network", "net", NULL }, { "arch", "net", NULL },
	{ "architecture", "net", NULL }, { "backbone", "net", NULL },
	{ "dataset", "data", NULL }, { "data-dir", "data", "data=NAME:dir=..." },
	{ "data-path", "data", "data=NAME:dir=..." }, { "data-root", "data", "data=NAME:dir=..." },
	{ "device", "backend", NULL },

	/* how it learns */
	{ "learning-rate", "lr", NULL }, { "step-size", "lr", NULL }, { "base-lr", "lr", NULL },
	{ "initial-lr", "lr", NULL }, { "eta", "lr", NULL },
	{ "scale-lr", "lr_scaling", "lr-scaling=linear" },
	{ "linear-scaling", "lr_scaling", "lr-scaling=linear" },
	{ "momentum", "optim", "optim=sgd:momentum=..." },
	{ "nesterov", "optim", "optim=sgd:nesterov=..." },
	{ "weight-decay", "optim", "optim=sgd:weight_decay=..." },
	{ "wd", "optim", "optim=sgd:weight_decay=..." },
	{ "l2", "optim", "optim=sgd:weight_decay=..." },
	{ "betas", "optim", "optim=adam:beta1=..." },
	{ "optimizer", "optim", NULL }, { "optimiser", "optim", NULL }, { "opt", "optim", NULL },
	{ "scheduler", "schedule", NULL }, { "lr-schedule", "schedule", NULL },
	{ "lr-scheduler", "schedule", NULL }, { "lr-decay", "schedule", NULL },
	{ "lr-policy", "schedule", NULL }, { "milestones", "schedule", "schedule=steps:at=..." },
	{ "lr-steps", "schedule", "schedule=steps:at=..." },
	{ "warmup-epochs", "warmup", NULL }, { "lr-warmup", "warmup", NULL },
	{ "batch-size", "batch", NULL }, { "minibatch", "batch", NULL },
	{ "minibatch-size", "batch", NULL }, { "mini-batch", "batch", NULL },
	{ "bs", "batch", NULL }, { "local-batch-size", "batch", NULL },
	{ "train-batch-size", "batch", NULL }, { "per-device-batch-size", "batch", NULL },
	{ "num-epochs", "epochs", NULL }, { "max-epochs", "epochs", NULL },
	{ "n-epochs", "epochs", NULL },
	{ "steps", "gradients", NULL }, { "iterations", "gradients", NULL },
	{ "updates", "gradients", NULL }, { "iters", "gradients", NULL },
	{ "max-steps", "gradients", NULL }, { "num-steps", "gradients", NULL },
	{ "max-iter", "gradients", NULL }, { "total-steps", "gradients", NULL },
	{ "time-limit", "seconds", NULL }, { "max-time", "seconds", NULL },
	{ "duration", "seconds", NULL },
	{ "random-seed", "seed", NULL }, { "manual-seed", "seed", NULL },
	{ "rng-seed", "seed", NULL },
	{ "dtype", "precision", NULL }, { "amp", "precision", "precision=bf16" },
	{ "mixed-precision", "precision", "precision=bf16" },
	{ "bf16", "precision", "precision=bf16" },
	{ "compression", "codec", NULL }, { "compressor", "codec", NULL },
	{ "compress", "codec", NULL }, { "quantize", "codec", NULL }, { "sparsify", "codec", NULL },
	{ "gradient-compression", "codec", NULL },
	{ "fp16-allreduce", "codec", "codec=fp16" },
	{ "fusion-threshold", "bucket", NULL }, { "fusion-threshold-mb", "bucket", NULL },
	{ "bucket-cap-mb", "bucket", NULL }, { "bucket-size", "bucket", NULL },
	{ "eval-interval", "eval_every", NULL }, { "eval-freq", "eval_every", NULL },
	{ "test-interval", "eval_every", NULL }, { "log-interval", "train_every", NULL },
	{ "print-freq", "train_every", NULL }, { "pretrained", "init", NULL },
	{ "save-every", "checkpoint_every", NULL }, { "save-freq", "checkpoint_every", NULL },
	{ "checkpoint-interval", "checkpoint_every", NULL },
	{ "restore", "resume", NULL }, { "resume-from", "resume", NULL },

	/* the machine, and what goes wrong on it */
	{ "machine", "cluster", NULL }, { "platform", "cluster", NULL },
	{ "hardware", "cluster", NULL },
	{ "bandwidth", "link", "link=nic:bandwidth_GBps=..." },
	{ "latency", "link", "link=nic:latency_s=..." },
	{ "step-time", "compute_s", NULL }, { "compute-time", "compute_s", NULL },
	{ "gradient-time", "compute_s", NULL },
	{ "straggler", "slow", NULL }, { "stragglers", "slow", NULL }, { "slowdown", "slow", NULL },
	{ "jitter", "delay", NULL }, { "noise", "delay", NULL },
	{ "failures", "faults", NULL }, { "crash", "faults", NULL },

	/* files */
	{ "output", "out", NULL }, { "output-dir", "out", NULL }, { "outdir", "out", NULL },
	{ "log-dir", "out", NULL }, { "logdir", "out", NULL }, { "save-dir", "out", NULL },
	{ NULL, NULL, NULL }
};

static const struct foreign algorithms[] = {
	{ "sync", "allreduce", NULL }, { "synchronous", "allreduce", NULL },
	{ "sync-sgd", "allreduce", NULL }, { "ssgd", "allreduce", NULL },
	{ "ddp", "allreduce", NULL }, { "dp", "allreduce", NULL }, { "fsdp", "allreduce", NULL },
	{ "data-parallel", "allreduce", NULL }, { "distributed-data-parallel", "allreduce", NULL },
	{ "horovod", "allreduce", NULL }, { "hvd", "allreduce", NULL },
	{ "nccl", "allreduce", NULL }, { "ring", "allreduce", NULL },
	{ "ring-allreduce", "allreduce", NULL }, { "bsp", "allreduce", NULL },
	{ "mirrored", "allreduce", NULL }, { "dist-sync", "allreduce", NULL },
	{ "sgd", "allreduce", NULL }, { "minibatch-sgd", "allreduce", NULL },
	{ "ps", "asgd", NULL }, { "parameter-server", "asgd", NULL }, { "async", "asgd", NULL },
	{ "param-server", "asgd", NULL }, { "asynchronous", "asgd", NULL },
	{ "async-sgd", "asgd", NULL }, { "async-ps", "asgd", NULL }, { "dist-async", "asgd", NULL },
	{ "asp", "asgd", NULL }, { "hogwild!", "hogwild", NULL }, { "lock-free", "hogwild", NULL },
	{ "sync-ps", "k-sync", "k-sync:k=WORKERS" }, { "ps-sync", "k-sync", "k-sync:k=WORKERS" },
	{ "stale", "ssp", NULL }, { "stale-synchronous", "ssp", NULL },
	{ "stale-sync", "ssp", NULL }, { "bounded-staleness", "ssp", NULL },
	{ "fedavg", "local-sgd", NULL }, { "federated", "fedbuff", NULL },
	{ "streaming", "streaming-diloco", NULL }, { "eager", "eager-diloco", NULL },
	{ "opendiloco", "diloco", NULL }, { "lookahead", "diloco", NULL },
	{ "delayed-nesterov", "async-local-sgd", NULL },
	{ "async-diloco", "async-local-sgd", NULL },
	{ "decoupled-momentum", "demo", NULL }, { "slow-momentum", "slowmo", NULL },
	{ "periodic-averaging", "local-sgd", NULL }, { "model-averaging", "local-sgd", NULL },
	{ "dsgd", "d-psgd", NULL }, { "decentralized", "d-psgd", NULL },
	{ "decentralised", "d-psgd", NULL }, { "gossip", "gossip-push", NULL },
	{ "gossip-sgd", "gossip-push", NULL }, { "async-decentralized", "ad-psgd", NULL },
	{ "push-sum", "sgp", NULL }, { "stochastic-gradient-push", "sgp", NULL },
	{ "elastic", "easgd", NULL }, { "elastic-averaging", "easgd", NULL },
	{ "backup-workers", "backup", NULL }, { "delay-compensated", "dc-asgd", NULL },
	{ "omnivore", "groups", NULL }, { "compute-groups", "groups", NULL },
	{ NULL, NULL, NULL }
};

static const struct foreign schedules[] = {
	{ "step", "steps", NULL }, { "steplr", "steps", NULL }, { "multistep", "steps", NULL },
	{ "multisteplr", "steps", NULL }, { "piecewise", "steps", NULL },
	{ "exponential", "steps", NULL }, { "linear", "poly", "poly:power=1" },
	{ "polynomial", "poly", NULL }, { "polynomiallr", "poly", NULL },
	{ "cosineannealing", "cosine", NULL }, { "cosine-annealing", "cosine", NULL },
	{ "cosineannealinglr", "cosine", NULL }, { "none", "constant", NULL },
	{ "fixed", "constant", NULL },
	{ NULL, NULL, NULL }
};

static const struct foreign optimisers[] = {
	{ "momentum", "sgd", "sgd:momentum=..." }, { "sgdm", "sgd", "sgd:momentum=..." },
	{ "nag", "sgd", "sgd:nesterov=true" }, { "nesterov", "sgd", "sgd:nesterov=true" },
	{ "adamw", "adam", "adam:decoupled=true" },
	{ NULL, NULL, NULL }
};

static const struct foreign codecs[] = {
	{ "half", "fp16", NULL }, { "float16", "fp16", NULL }, { "bfloat16", "bf16", NULL },
	{ "f32", "none", NULL }, { "1bit", "onebit", NULL }, { "signsgd", "onebit", NULL },
	{ "dgc", "topk", NULL }, { "sparse", "topk", NULL }, { "int8", "qsgd", NULL },
	{ "quantize", "qsgd", NULL },
	{ NULL, NULL, NULL }
};

static const struct foreign graphs[] = {
	{ "all-to-all", "complete", NULL }, { "fully-connected", "complete", NULL },
	{ "full", "complete", NULL }, { "grid", "torus", NULL }, { "mesh", "torus", NULL },
	{ "random", "random-regular", NULL }, { "one-peer", "exponential", NULL },
	{ NULL, NULL, NULL }
};

static const struct foreign links[] = {
	{ "ethernet", "nic", NULL }, { "infiniband", "nic", NULL }, { "tcp", "nic", NULL },
	{ "alpha-beta", "nic", NULL }, { "maxmin", "fair", NULL }, { "flow", "fair", NULL },
	{ "none", "ideal", NULL }, { "infinite", "ideal", NULL },
	{ NULL, NULL, NULL }
};

static const struct foreign data_sets[] = {
	{ "synthetic", "shapes", NULL }, { "fake", "shapes", NULL }, { "dummy", "shapes", NULL },
	{ "ilsvrc", "imagenet", NULL }, { "imagefolder", "imagenet", NULL },
	{ NULL, NULL, NULL }
};

static const struct foreign commands[] = {
	{ "simulate", "sim", NULL }, { "launch", "train", NULL }, { "mpirun", "train", NULL },
	{ "sweep", "run", NULL }, { "start", "run", NULL }, { "search", "tune", NULL },
	{ "tensorboard", "watch", NULL }, { "monitor", "watch", NULL }, { "diff", "compare", NULL },
	{ "figure", "plot", NULL }, { "draw", "plot", NULL }, { "ls", "list", NULL },
	{ "info", "show", NULL }, { "describe", "show", NULL }, { "download", "data", "data get" },
	{ NULL, NULL, NULL }
};

const struct foreign_list foreign_lists[] = {
	{ "ad-psgd", algorithms }, { "cosine", schedules }, { "lamb", optimisers },
	{ "terngrad", codecs }, { "hypercube", graphs }, { "nic", links },
	{ "cifar100", data_sets }, { "calibrate", commands }, { NULL, options }, { NULL, NULL }
};

static bool is_listed(const char *word, const char *const *names)
{
	while (*names && strcmp(*names, word) != 0)
		names++;
	return *names;
}

static const char *find_in(const struct foreign *f, const char *word, const char *const *names)
{
	for (; f->word; f++)
		if (word_same(word, f->word) && is_listed(f->known, names))
			return f->text ? f->text : f->known;
	return NULL;
}

const char *foreign_find(const char *word, const char *const *names)
{
	const char *found = NULL;

	for (const struct foreign_list *l = foreign_lists; l->words && !found; l++)
		if (!l->among || is_listed(l->among, names))
			found = find_in(l->words, word, names);
	return found;
}
