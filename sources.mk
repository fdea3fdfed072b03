# The one list of sources. Automake includes it; CMakeLists.txt parses it.
# Form: NAME = \ then one path a line with a trailing backslash, the last without.

CORE_SOURCES = \
	core/batch.c \
	core/dataset.c \
	core/error.c \
	core/eval.c \
	core/json.c \
	core/mem.c \
	core/node.c \
	core/opt.c \
	core/paths.c \
	core/pool.c \
	core/rng.c \
	core/run.c \
	core/schedule.c \
	core/vec.c
