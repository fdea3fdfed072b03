/*
 * predict.h - between the parts of `convoy predict`.
 */
#ifndef CMD_PREDICT_H
#define CMD_PREDICT_H

#include "cmd/setup.h"

struct predict_conf {           /* the flags */
	char *out, *hostfile, *hosts, *plot;
	int64_t ranks, threads;
	double settle, within;
	bool json, quiet;
};

struct prediction {
	char *algo;             /* as given; owned */
	int workers, ranks;
	double predicted, measured;     /* seconds per epoch */
};

struct row {                    /* an algorithm's two runs */
	const struct predict_conf *conf;
	cJSON *set;                     /* the settings as texts */
	struct setup real, sim;
	char *real_path, *sim_path;     /* of the results */
	char *folder;                   /* OUT/predict */
};

/* Resolves both runs of an algorithm with the given settings. 0 or error(); release either way. */
int row_prepare(struct row *r, const struct predict_conf *c, const cJSON *given, const char *algo);
void row_release(struct row *r);

/* Makes both runs and fills in all of *p but the name. An exit code. */
int row_predict(struct row *r, struct prediction *p, int argc, char **argv);

/* measured = 100 %: how far the prediction is off. */
double prediction_off(const struct prediction *p);

/*
 * "allreduce,d-psgd:overlap=true,asgd" -> the algorithms, NULL-ended; commas between the options
 * of one are told from those between two by what follows. The caller frees all.
 */
char **algos_split(const char *list);
void algos_free(char **algos);

void predictions_print(const struct prediction *p, size_t n, bool json);

/* Draws both times for every algorithm into DIR/NAME.svg or .png, which plot_path_check() took. */
int predictions_plot(const struct prediction *p, size_t n, const char *path);

#endif
