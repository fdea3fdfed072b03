/* Reads measured numbers from a text file, a log of step times, a trace or a result. */
#include "record/trace/samples.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/csv.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/file/textfile.h"
#include "core/text/opt_text.h"
#include "record/h5.h"
#include "record/record.h"
#include "record/seal.h"
#include "record/trace/steplog.h"
#include "record/trace/trace.h"

#include <stdlib.h>
#include <string.h>

static const char signature[] = "\211HDF\r\n\032\n", between[] = " \t,;";

static void samples_add(struct opt_doubles *to, double value)
{
	if ((to->n & (to->n - 1)) == 0)
		to->v = xrealloc(to->v, to->n ? 2 * to->n : 1, sizeof(*to->v));
	to->v[to->n++] = value;
}

/* ---- a text ---- */

static int add_line(const char *path, int line, char *text, struct opt_doubles *to)
{
	char *word, *rest = NULL;

	text[strcspn(text, "#")] = '\0';
	for (word = strtok_r(text, between, &rest); word; word = strtok_r(NULL, between, &rest)) {
		double value;

		if (!text_double(word, &value))
			return error("%s:%d: '%.40s' is no number", path, line, word);
		samples_add(to, value);
	}
	return 0;
}

static int samples_read_text(const char *path, int rank, char *text, struct opt_doubles *to)
{
	int line = 0, ret = 0;

	if (rank >= 0)
		return error("'%s' does not say whose numbers it has: rank is for logs of step "
			     "times, traces and results", path);
	for (char *next; ret == 0 && (next = textfile_line(&text));)
		ret = add_line(path, ++line, next, to);
	return ret;
}

/* ---- a log of step times ---- */

static int samples_read_log(const char *path, int rank, char *text, struct opt_doubles *to)
{
	struct steplog l;
	const int ret = steplog_parse(&l, path, text);

	if (ret == 0 && rank == SAMPLES_STEPS)
		samples_add(to, (double)l.workers);
	for (size_t w = 0; w < l.workers; w++)
		for (size_t k = 0; k < l.steps && (rank < 0 || (size_t)rank == w); k++)
			samples_add(to, l.seconds[w * l.steps + k]);
	steplog_release(&l);
	return ret;
}

/* ---- a trace, a result ---- */

static int read_trace(const char *path, int rank, struct opt_doubles *to)
{
	struct trace t;

	if (trace_read(&t, path) < 0)
		return -1;
	for (size_t i = 0; i < t.n; i++)
		if (t.row[i].kind == TRACE_COMPUTED && (rank < 0 || t.row[i].rank == rank))
			samples_add(to, t.row[i].seconds);
	trace_release(&t);
	return 0;
}

static double node_number(const cJSON *nodes, const char *column, int i)
{
	const cJSON *list = json_get(nodes, column);

	return cJSON_GetNumberValue(cJSON_GetArrayItem(list, i));
}

static int read_result(const char *path, int rank, struct opt_doubles *to)
{
	cJSON *run = result_read(path);
	const cJSON *nodes = json_get(run, "nodes");
	const int n = cJSON_GetArraySize(json_get(nodes, "rank"));

	for (int i = 0; i < n; i++) {
		const double own = node_number(nodes, "rank", i);
		const double gradients = node_number(nodes, "gradients", i);

		if (own >= 0 && gradients > 0 && (rank < 0 || (int)own == rank))
			samples_add(to, node_number(nodes, "compute_s", i) / gradients);
	}
	cJSON_Delete(run);
	return run ? 0 : -1;
}

/* 1, 0, or error() for a file that cannot be trusted. */
static int is_trace(const char *path)
{
	const char *fault = seal_fault(path);
	char *format;
	hid_t file;
	int is;

	if (fault)
		return error("'%s' %s", path, fault);
	file = h5_open(path);
	format = file < 0 ? NULL : h5_get_text(file, "format");
	is = format && strcmp(format, "convoy trace") == 0;
	free(format);
	if (file >= 0)
		H5Fclose(file);
	return is;
}

static int read_any(const char *path, int rank, struct opt_doubles *to)
{
	size_t size;
	char *text = file_read(path, &size);
	int ret;

	if (!text)
		return -1;
	if (rank != SAMPLES_STEPS && size >= sizeof(signature) - 1 &&
	    memcmp(text, signature, sizeof(signature) - 1) == 0) {
		ret = is_trace(path);
		if (ret >= 0)
			ret = ret ? read_trace(path, rank, to) : read_result(path, rank, to);
	} else {
		ret = textfile_clean(path, text, size);
		if (ret == 0 && (rank == SAMPLES_STEPS || csv_has_header(text)))
			ret = samples_read_log(path, rank, text, to);
		else if (ret == 0)
			ret = samples_read_text(path, rank, text, to);
	}
	free(text);
	return ret;
}

int samples_read(const char *path, int rank, struct opt_doubles *to)
{
	int ret;

	*to = (struct opt_doubles){ 0 };
	ret = read_any(path, rank, to);
	if (ret == 0 && to->n == 0)
		ret = rank < 0 ? error("'%s' has no numbers", path)
			       : error("'%s' has no numbers of rank %d", path, rank);
	if (ret == 0)
		return 0;
	free(to->v);
	*to = (struct opt_doubles){ 0 };
	return -1;
}
