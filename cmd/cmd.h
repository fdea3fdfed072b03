/* The subcommands of convoy. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>

/* The first Ctrl-C or SIGTERM ends a command by itself, or asks it to finish its files. */
enum command_end { AT_ONCE, IN_ORDER };

struct command {
	const char *name;
	int (*main)(int argc, char **argv);     /* argv[1] is the command; gives the exit code */
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

int cmd_advise(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_claims(int argc, char **argv);
int cmd_complete(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_data(int argc, char **argv);
int cmd_data_get(int argc, char **argv);
int cmd_data_info(int argc, char **argv);
int cmd_data_pack(int argc, char **argv);
int cmd_data_partition(int argc, char **argv);
int cmd_decide(int argc, char **argv);
int cmd_delay(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_sample(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_table(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_watch(int argc, char **argv);

#endif
