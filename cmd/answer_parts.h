/* Parts of pages of answers, of which `convoy advise` and `convoy sim` have several. */
#ifndef CMD_ANSWER_PARTS_H
#define CMD_ANSWER_PARTS_H

#include "report/page/answer.h"
#include "study/advise/answer.h"

enum { ANSWER_ROWS = 16 };      /* of a table on a page */

/* The settings that are given, with the mean of each uncertain number. */
struct grid_point answer_means(const struct answer *a);

/* "workers=64 net=bytes:1e9 ...": the settings that are given; the caller frees. */
char *given_text(const struct answer *a);

/* Adds the timeline of an algorithm's first steps, if that can be simulated and there are few. */
void page_add_gantt(struct answer_page *p, const struct grid_point *settings, const char *algo,
		    const char *path);

/* Adds a chart, which is taken over; none without points. */
void page_add_chart(struct answer_page *p, struct chart c);

/* Adds a series of n points without values, unless there is one of that name, or enough. */
void series_add(struct chart *c, const char *name, size_t n);

/* ---- answer_advise.c ---- */

/* The picture of a ranking: bars, lines along a parameter, or a map; that of a break-even. */
struct chart chart_of_among(const struct answer *a);
struct chart chart_of_between(const struct answer *a);

/* Draws it into the file of --plot, next to the answer's numbers; adds the paths. 0 or error(). */
int chart_draw(const struct chart *c, const struct answer *a, const char *plot,
	       struct texts *paths);

/* Fill the page of a ranking, or of a break-even; a timeline is simulated in a file at the path. */
void page_of_among(struct answer_page *p, const struct answer *a, const char *path);
void page_of_between(struct answer_page *p, const struct answer *a, const char *path);

#endif
