# The one list of sources. Automake includes it; CMakeLists.txt parses it.
# Form: NAME = \ then one path a line with a trailing backslash, the last without.

CORE_SOURCES = \
	core/batch.c \
	core/choice.c \
	core/dataset.c \
	core/error.c \
	core/eval.c \
	core/file.c \
	core/json.c \
	core/json_fault.c \
	core/mem.c \
	core/node.c \
	core/opt.c \
	core/opt_text.c \
	core/paths.c \
	core/pool.c \
	core/rng.c \
	core/run.c \
	core/schedule.c \
	core/vec.c \
	core/word.c

ALGOS_SOURCES = \
	algos/ad_psgd.c \
	algos/allreduce.c \
	algos/asgd.c \
	algos/d_psgd.c \
	algos/optim/sgd.c \
	algos/tables.c

NETS_SOURCES = \
	nets/graph.c \
	nets/graph_init.c \
	nets/graph_layer.c \
	nets/graph_print.c \
	nets/graph_unroll.c \
	nets/layers.c \
	nets/scope.c

# Compiled only where the oneDNN library is found.
ONEDNN_SOURCES =

DATA_SOURCES = \
	data/cifar.c \
	data/cifar10.c \
	data/cifar100.c \
	data/idx.c \
	data/mnist.c \
	data/read.c \
	data/shapes.c \
	data/shapes_figure.c \
	data/shapes_paint.c \
	data/shapes_scene.c \
	data/store.c \
	data/tables.c \
	data/unpack.c

SIM_SOURCES = \
	sim/delay_constant.c \
	sim/delay_gamma.c \
	sim/engine.c \
	sim/heap.c \
	sim/ledger.c \
	sim/link_ideal.c \
	sim/link_nic.c \
	sim/loop.c \
	sim/packet.c \
	sim/sum.c \
	sim/tables.c \
	sim/world.c

REPORT_SOURCES =

CMD_SOURCES =
