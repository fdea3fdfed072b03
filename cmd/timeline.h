/*
 * timeline.h - a trace as a picture of the file's name.
 */
#ifndef CMD_TIMELINE_H
#define CMD_TIMELINE_H

#include "report/trace/trace.h"

/* Draws into DIR/NAME.svg or .png: the paths written, the caller's, or NULL after error(). */
cJSON *timeline_draw(const struct trace *t, const char *path);

#endif
