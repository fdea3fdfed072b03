/* result.c - a result file as the run object of --json. */
#include "record/record.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "record/derive.h"
#include "record/environ.h"
#include "record/h5.h"
#include "record/layout.h"
#include "record/seal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A number, or null where it has no meaning. */
static cJSON *result_number(double x)
{
	return isfinite(x) ? cJSON_CreateNumber(x) : cJSON_CreateNull();
}

static int result_add_text(cJSON *run, hid_t object, const char *name)
{
	char *text = h5_get_text(object, name);

	if (!text)
		return -1;
	cJSON_AddStringToObject(run, name, text);
	free(text);
	return 0;
}

static int add_whole(cJSON *run, hid_t object, const char *name)
{
	int64_t x;

	if (h5_get_whole(object, name, &x) < 0)
		return -1;
	cJSON_AddNumberToObject(run, name, (double)x);
	return 0;
}

static int result_add_number(cJSON *run, hid_t object, const struct layout_column *c)
{
	double x;

	if (c->integer)
		return add_whole(run, object, c->name);
	if (h5_get_real(object, c->name, &x) < 0)
		return -1;
	cJSON_AddItemToObject(run, c->name, result_number(x));
	return 0;
}

static int add_column(cJSON *group, hid_t h5, const char *name)
{
	struct column c = { .name = name };
	cJSON *array;
	int rc = h5_get_column(h5, &c);

	array = cJSON_CreateArray();
	for (size_t i = 0; !rc && i < c.n; i++)
		cJSON_AddItemToArray(array, result_number(c.v.real[i]));
	cJSON_AddItemToObject(group, name, array);
	column_release(&c);
	return rc;
}

static int add_columns(cJSON *run, hid_t file, const char *name, const struct layout_column *c)
{
	hid_t h5 = H5Gopen2(file, name, H5P_DEFAULT);
	cJSON *group = cJSON_AddObjectToObject(run, name);
	int rc = h5 < 0 ? -1 : 0;

	for (; !rc && c->name; c++)
		if (!layout_is_later(c) || H5Lexists(h5, c->name, H5P_DEFAULT) > 0)
			rc = add_column(group, h5, c->name);
	H5Gclose(h5);
	return rc;
}

/* There where the run had some. */
static int add_faults(cJSON *run, hid_t file)
{
	if (H5Lexists(file, "faults", H5P_DEFAULT) <= 0)
		return 0;
	return add_columns(run, file, "faults", layout_faults);
}

static herr_t add_setting(hid_t group, const char *name, const H5A_info_t *info, void *settings)
{
	(void)info;
	return result_add_text(settings, group, name);
}

/* The texts of a group, {name: text}. */
static int add_texts(cJSON *run, hid_t file, const char *name)
{
	hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
	cJSON *texts = cJSON_AddObjectToObject(run, name);
	herr_t rc = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_setting, texts);

	H5Gclose(group);
	return rc < 0 ? -1 : 0;
}

/* Machines that the server was. */
static double shards_of(const cJSON *run)
{
	const char *text = json_string(json_get(run, "settings"), "shards");

	return text ? fmax(strtod(text, NULL), 1.0) : 1.0;
}

static const cJSON *node_column(const cJSON *run, const char *name)
{
	const cJSON *nodes = json_get(run, "nodes");

	return json_get(nodes, name)->child;
}

/* The most that a machine sent and received, taken together; shards have equal parts. */
static void fill_busiest(cJSON *run)
{
	const double shards = shards_of(run);
	const cJSON *rank = node_column(run, "rank");
	const cJSON *out = node_column(run, "bytes_sent");
	const cJSON *in = node_column(run, "bytes_received");
	double most = 0.0;

	for (; rank && out && in; rank = rank->next, out = out->next, in = in->next)
		most = fmax(most, (out->valuedouble + in->valuedouble) /
					  (rank->valueint == SERVER ? shards : 1.0));
	cJSON_ReplaceItemInObjectCaseSensitive(run, "busiest_bytes", cJSON_CreateNumber(most));
}

/* What is in the summary of files that say so. */
static void add_model(cJSON *run, hid_t summary)
{
	int64_t dim = 0, macs = 0, batch = 0;

	h5_get_whole(summary, "dim", &dim);
	h5_get_whole(summary, "macs", &macs);
	h5_get_whole(summary, "batch", &batch);
	derive_model(run, (double)dim, (double)macs, (double)batch);
}

static int add_identity(cJSON *run, hid_t file, hid_t summary)
{
	return result_add_text(run, file, "experiment") || result_add_text(run, file, "scale") ||
	       result_add_text(run, file, "hash") || result_add_text(run, summary, "algo") ||
	       add_whole(run, summary, "workers") || add_whole(run, summary, "seed") ||
	       result_add_text(run, summary, "status");
}

static int add_outcome(cJSON *run, hid_t summary)
{
	if (result_add_text(run, summary, "end") || result_add_text(run, summary, "model"))
		return -1;
	for (const struct layout_column *c = layout_summary; c->name; c++) {
		const char *sign = layout_sign(c->name);

		if (sign && H5Aexists(summary, sign) <= 0)
			cJSON_AddNullToObject(run, c->name);
		else if (result_add_number(run, summary, c))
			return -1;
		if (!strcmp(c->name, "time_per_epoch_s")) {
			cJSON_AddNullToObject(run, "speedup");
			if (H5Aexists(summary, "remark") > 0 &&
			    result_add_text(run, summary, "remark"))
				return -1;
		}
		if (!strcmp(c->name, "bytes_sent"))
			cJSON_AddNullToObject(run, "busiest_bytes");
	}
	for (const struct layout_column *c = layout_goodput; c->name; c++)
		if (H5Aexists(summary, c->name) > 0 && result_add_number(run, summary, c))
			return -1;
	return 0;
}

static bool has_status(const cJSON *run, const char *status)
{
	const char *own = json_string(run, "status");

	return own && !strcmp(own, status);
}

/* True when the file says that it is one of ours, of a version we know. */
static int check_format(hid_t file, const char *path)
{
	char *format = h5_get_text(file, "format");
	int64_t version = 0;
	int rc = 0;

	if (!format || strcmp(format, LAYOUT_FORMAT) ||
	    h5_get_whole(file, "layout_version", &version) < 0)
		rc = error("'%s' is an HDF5 file, but not a result of convoy", path);
	else
		rc = layout_check(path, version, LAYOUT_OLDEST, LAYOUT_VERSION);
	free(format);
	return rc;
}

/* Files of before say of a model whose loss is NaN that it is never right. */
static void mask_curve(cJSON *run)
{
	cJSON *eval = json_get(run, "eval"), *accuracy = json_get(eval, "test_accuracy");
	const cJSON *loss;
	int i = 0;

	cJSON_ArrayForEach(loss, json_get(eval, "test_loss")) {
		if (cJSON_IsNull(loss) && i < cJSON_GetArraySize(accuracy))
			cJSON_ReplaceItemInArray(accuracy, i, cJSON_CreateNull());
		i++;
	}
}

static int result_read_all(cJSON *run, hid_t file, hid_t summary, const char *path)
{
	if (add_identity(run, file, summary))
		return error("'%s' is damaged: its summary cannot be read", path);
	if (has_status(run, STATUS_RUNNING))
		return error("'%s' is not whole: its run was killed, or is not finished", path);
	if (add_outcome(run, summary))
		return error("'%s' is damaged: its summary cannot be read", path);
	add_model(run, summary);
	cJSON_AddStringToObject(run, "file", path);
	if (add_texts(run, file, "settings") ||
	    (H5Lexists(file, "assumed", H5P_DEFAULT) > 0 && add_texts(run, file, "assumed")) ||
	    add_columns(run, file, "train", layout_train) ||
	    add_columns(run, file, "eval", layout_eval) ||
	    add_columns(run, file, "nodes", layout_nodes) ||
	    add_columns(run, file, "staleness", layout_staleness) ||
	    add_columns(run, file, "gap", layout_gap) || add_faults(run, file))
		return error("'%s' is damaged: a column cannot be read", path);
	mask_curve(run);
	if (has_status(run, STATUS_DIVERGED))
		cJSON_ReplaceItemInObjectCaseSensitive(run, "test_accuracy", cJSON_CreateNull());
	fill_busiest(run);
	derive_totals(run);
	if (H5Aexists(summary, "tokens") > 0)
		derive_tokens(run);
	return 0;
}

static hid_t open_result(const char *path)
{
	const char *fault = seal_fault(path);
	hid_t file = fault ? -1 : h5_open(path);

	if (fault)
		return error("'%s' %s", path, fault);
	if (file >= 0)
		return file;
	return error("'%s' is damaged: its parts are not those of a result", path);
}

static float *result_read_model(hid_t file, size_t dim)
{
	struct column c = { .name = "model" };
	const bool there = h5_get_column(file, &c) == 0 && c.n == dim;
	float *x = there ? vec_new(dim) : NULL;

	for (size_t i = 0; x && i < dim; i++)
		x[i] = (float)c.v.real[i];
	column_release(&c);
	return x;
}

float *result_model(const char *path, size_t dim)
{
	const hid_t file = open_result(path);
	float *x = NULL;

	if (file < 0)
		return NULL;
	if (check_format(file, path) == 0) {
		x = result_read_model(file, dim);
		if (!x)
			error("'%s' has no model of %zu parameters: it is kept with "
			      "--keep-model", path, dim);
	}
	H5Fclose(file);
	return x;
}

static cJSON *read_with(const char *path, int (*read)(cJSON *run, hid_t file, hid_t summary,
						      const char *path))
{
	hid_t file = open_result(path), summary;
	cJSON *run;
	int rc;

	if (file < 0)
		return NULL;
	run = cJSON_CreateObject();
	rc = check_format(file, path);
	if (!rc) {
		summary = H5Gopen2(file, "summary", H5P_DEFAULT);
		rc = read(run, file, summary, path);
		H5Gclose(summary);
	}
	H5Fclose(file);
	if (!rc)
		return run;
	cJSON_Delete(run);
	return NULL;
}

/* A curve's column of real seconds, where the file has one as long as the curve. */
static void add_wall_column(cJSON *curve, hid_t group, const char *name)
{
	struct column c = { .name = name };
	const int rows = cJSON_GetArraySize(json_get(curve, "epoch"));

	if (!h5_get_column(group, &c) && c.n == (size_t)rows) {
		cJSON *array = cJSON_AddArrayToObject(curve, "wall_s");

		for (size_t i = 0; i < c.n; i++)
			cJSON_AddItemToArray(array, result_number(c.v.real[i]));
	}
	column_release(&c);
}

static void result_wall(cJSON *run, hid_t file)
{
	hid_t group = H5Gopen2(file, "environment", H5P_DEFAULT);
	char *computed_in = h5_get_text(group, "computed_in");
	double wall;

	if (computed_in && *computed_in)
		cJSON_AddStringToObject(run, "computed_in", computed_in);
	free(computed_in);
	if (h5_get_real(group, "wall_s", &wall) == 0)
		cJSON_AddItemToObject(run, "wall_s", result_number(wall));
	if (h5_get_real(group, "gradient_wall_s", &wall) == 0)
		derive_rates(run, wall);
	add_wall_column(json_get(run, "train"), group,
			layout_wall[WALL_TRAIN].name);
	add_wall_column(json_get(run, "eval"), group,
			layout_wall[WALL_EVAL].name);
	H5Gclose(group);
}

static int read_timed(cJSON *run, hid_t file, hid_t summary, const char *path)
{
	if (result_read_all(run, file, summary, path))
		return -1;
	result_wall(run, file);
	return 0;
}

cJSON *result_read(const char *path)
{
	return read_with(path, result_read_all);
}

cJSON *result_read_timed(const char *path)
{
	return read_with(path, read_timed);
}

static int read_some(cJSON *run, hid_t file, hid_t summary, const char *path)
{
	if (add_identity(run, file, summary) || add_texts(run, file, "settings") ||
	    add_columns(run, file, "train", layout_train) ||
	    add_columns(run, file, "eval", layout_eval))
		return error("'%s' is damaged: its curves cannot be read", path);
	mask_curve(run);
	cJSON_AddStringToObject(run, "file", path);
	cJSON_AddItemToObject(run, "process", environ_process(file));
	result_wall(run, file);
	return 0;
}

cJSON *result_glance(const char *path)
{
	return read_with(path, read_some);
}

static const char *fault_of(hid_t file, const char *hash)
{
	hid_t summary = H5Gopen2(file, "summary", H5P_DEFAULT);
	char *own = h5_get_text(file, "hash"), *status = h5_get_text(summary, "status");
	const char *fault = NULL;
	int64_t version = 0;

	if (!own || !status)
		fault = "is not a result of convoy";
	else if (h5_get_whole(file, "layout_version", &version) || version != LAYOUT_VERSION)
		fault = "is of another layout version";
	else if (strcmp(own, hash))
		fault = "is the result of another run";
	else if (strcmp(status, STATUS_DONE) && strcmp(status, STATUS_DIVERGED))
		fault = "is of a run that did not end";
	free(own);
	free(status);
	H5Gclose(summary);
	return fault;
}

const char *result_fault(const char *path, const char *hash)
{
	const char *fault = seal_fault(path);
	hid_t file = fault ? -1 : h5_open(path);

	if (fault || file < 0)
		return fault ? fault : "is damaged: its parts are not those of a result";
	fault = fault_of(file, hash);
	H5Fclose(file);
	return fault;
}

bool result_finished(const char *path, const char *hash)
{
	return !result_fault(path, hash);
}

/* No user would look for it. */
bool result_usable(const char *path, const char *hash)
{
	const char *fault = result_fault(path, hash);

	if (fault && access(path, F_OK) == 0)
		warning("'%s' %s; ignored, the run will be repeated", path, fault);
	return !fault;
}

bool result_is_whole(const char *path)
{
	return !seal_fault(path);
}
