/* Parts of `convoy advise`. */
#ifndef CMD_ADVISE_H
#define CMD_ADVISE_H

#include "cmd/common.h"
#include "study/advise/ranking.h"

struct advise_output {
	const char *plot;       /* path; NULL: none */
	const char *report;     /* path of a page; NULL: none */
	bool json, csv;
};

/* Line for answers without a model error. */
#define MODEL_ERROR_NONE                                                                           \
	"model error: none assumed (--model-error). Predicted times have differed from measured "  \
	"ones by 12 % in the median, by 32 % or more in the worst tenth (docs/validation.md)"

/* Asks about several algorithms, and prints the ranking. An exit code. */
int advise_among(struct among *m, const struct among_question *q, const struct advise_output *o);

#endif
