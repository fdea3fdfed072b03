/* The subcommands of convoy. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>

/* The first Ctrl-C or SIGTERM ends a command by itself, or asks it to finish its files. */
enum command_end { AT_ONCE, IN_ORDER };

struct syntax;

struct command {
	const char *name;
	const struct syntax *syntax;
	const char *brief;      /* NULL: for programs, not listed; such are the last */
	enum command_end end;
	const char *also;       /* names in other programs: see foreign_name(); or NULL */
	bool no_products;       /* computes no matrix products */
};

extern const struct command command_table[];    /* ends with a NULL name */

/* The parts of `convoy data`, whose argv[1] is the name of the part; ends with a NULL name. */
extern const struct command data_parts[];

enum { HELP_PAGES = 8 };        /* pages of `convoy help` besides commands, and a NULL */

/* The command of that name, or NULL after error() naming the nearest, or one of `pages`, if any. */
const struct command *command_find(const char *name, const char *const *pages);

/* Its exit code. */
int command_run(const struct command *c, int argc, char **argv);

extern const struct syntax cmd_advise, cmd_bench, cmd_calibrate, cmd_check, cmd_claims, cmd_compare,
	cmd_complete, cmd_completion, cmd_data, cmd_data_get, cmd_data_info, cmd_data_pack,
	cmd_data_partition, cmd_decide, cmd_delay, cmd_doctor, cmd_help, cmd_list, cmd_new,
	cmd_play, cmd_plot, cmd_predict, cmd_replay, cmd_report, cmd_run, cmd_sample, cmd_schema,
	cmd_show, cmd_sim, cmd_table, cmd_trace, cmd_train, cmd_tune, cmd_verify, cmd_version,
	cmd_watch;

#endif
