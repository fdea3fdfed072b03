/* The names in a result file. */
#include "record/layout.h"

#include "core/base/error.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

const struct layout_column layout_train[TRAIN_COLUMNS + 1] = {
	[TRAIN_GRADIENTS] = { "gradients", true },
	[TRAIN_EPOCH] = { "epoch", false },
	[TRAIN_TIME] = { "time_s", false },
	[TRAIN_LOSS] = { "loss", false },
	[TRAIN_LR] = { "lr", false },
	[TRAIN_STALENESS] = { "staleness", false },
	[TRAIN_STALENESS_MAX] = { "staleness_max", false },
	[TRAIN_GAP] = { "gap", false },
	[TRAIN_GAP_MAX] = { "gap_max", false },
	[TRAIN_NORM] = { "norm", false },
	[TRAIN_NORM_MAX] = { "norm_max", false },
	[TRAIN_MOMENTUM] = { "momentum", false },
};

const struct layout_column layout_eval[EVAL_COLUMNS + 1] = {
	[EVAL_EPOCH] = { "epoch", false },
	[EVAL_TIME] = { "time_s", false },
	[EVAL_GRADIENTS] = { "gradients", true },
	[EVAL_TRAIN_LOSS] = { "train_loss", false },
	[EVAL_TEST_LOSS] = { "test_loss", false },
	[EVAL_TEST_ACCURACY] = { "test_accuracy", false },
	[EVAL_SPREAD] = { "spread", false },
	[EVAL_BYTES_SENT] = { "bytes_sent", false },
};

const struct layout_column layout_wall[WALL_COLUMNS + 1] = {
	[WALL_TRAIN] = { "train_wall_s", false },
	[WALL_EVAL] = { "eval_wall_s", false },
};

const struct layout_column layout_nodes[NODE_COLUMNS + 1] = {
	[NODE_RANK] = { "rank", true },
	[NODE_COMPUTE] = { "compute_s", false },
	[NODE_COMMUNICATE] = { "communicate_s", false },
	[NODE_WAIT] = { "wait_s", false },
	[NODE_GRADIENTS] = { "gradients", true },
	[NODE_DROPPED] = { "dropped", true },
	[NODE_STEPS] = { "steps", true },
	[NODE_MESSAGES] = { "messages", true },
	[NODE_BYTES_SENT] = { "bytes_sent", true },
	[NODE_BYTES_RECEIVED] = { "bytes_received", true },
	[NODE_UPDATES] = { "updates", true },
};

const struct layout_column layout_staleness[STALENESS_COLUMNS + 1] = {
	[STALENESS_VALUE] = { "value", true },
	[STALENESS_COUNT] = { "count", true },
};

const struct layout_column layout_gap[GAP_COLUMNS + 1] = {
	[GAP_AT_LEAST] = { "at_least", false },
	[GAP_COUNT] = { "count", true },
};

const struct layout_column layout_faults[FAULT_COLUMNS + 1] = {
	[FAULT_TIME] = { "time_s", false },
	[FAULT_KIND] = { "kind", true },
	[FAULT_OVER] = { "over", true },
	[FAULT_RANK] = { "rank", true },
	[FAULT_PEER] = { "peer", true },
};

const struct layout_column layout_goodput[] = {
	{ "goodput", false },
	{ "failures", true },
	{ "checkpoints", true },
	{ "checkpoint_s", false },
	{ "lost_s", false },
	{ "down_s", false },
	{ "young_s", false },
	{ "daly_s", false },
	{ "goodput_expected", false },
	{ NULL, false },
};

const struct layout_column layout_summary[] = {
	{ "time_s", false },
	{ "epochs", false },
	{ "time_per_epoch_s", false },
	{ "gradients", true },
	{ "events", true },
	{ "wait_share", false },
	{ "bytes_sent", true },
	{ "staleness_mean", false },
	{ "staleness_max", false },
	{ "global_staleness_mean", false },
	{ "global_staleness_max", false },
	{ "gap_mean", false },
	{ "gap_max", false },
	{ "norm_mean", false },
	{ "momentum_mean", false },
	{ "momentum_published_mean", false },
	{ "staleness_head_max", false },
	{ "spread", false },
	{ "fairness", false },
	{ "dropped", true },
	{ "train_loss", false },
	{ "test_loss", false },
	{ "test_accuracy", false },
	{ NULL, false },
};

int layout_check(const char *path, int64_t version, int oldest, int newest)
{
	if (version > newest)
		return error("'%s' was written by a newer convoy: its layout version is %" PRId64
			     ", and this one reads up to %d", path, version, newest);
	if (version < oldest)
		return error("'%s' was written by an older convoy: its layout version is %" PRId64
			     ", and this one reads from %d", path, version, oldest);
	return 0;
}
