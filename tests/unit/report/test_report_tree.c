/* Trees of result files: HDF5's library reads, changes and makes the same files. */
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "record/h5.h"
#include "record/tree.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/library.h"
#include "tests/support/played.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SETS = 21 };             /* in three nodes of symbols */

static struct tree *tree_make(void)
{
	static const float floats[] = { 0.5F, -1.25F };
	static char name[SETS][8];
	struct tree *root = tree_new(), *group = tree_add(root, "group");

	tree_put_text(root, "word", "caf\xc3\xa9");
	tree_put_text(root, "empty", "");
	tree_put_whole(root, "count", INT64_MIN);
	tree_put_real(root, "share", 0.1);
	tree_put_count(root, "most", INT64_MAX);
	tree_put_count(root, "more", (__int128)3 << 70);
	tree_put_long_text(root, "spec", "a text of any length");
	tree_put_floats(root, "model", 2, floats);
	tree_put_text(group, "key", "value");
	for (int i = 0; i < SETS; i++) {
		struct column c = { .name = name[i], .integer = i % 2 };

		snprintf(name[i], sizeof(name[i]), "c%d", i);
		for (int k = 0; k < i; k++)
			if (c.integer)
				column_whole(&c, 100 * i + k);
			else
				column_real(&c, i + 0.25 * k);
		tree_take_column(group, &c);
	}
	return root;
}

static void library_check(hid_t file)
{
	hid_t group = H5Gopen2(file, "group", H5P_DEFAULT);
	char *word = h5_get_text(file, "word"), *empty = h5_get_text(file, "empty");
	int64_t count = 0;
	double share = 0;

	assert_true(file >= 0 && group >= 0);
	assert_string_equal(word, "caf\xc3\xa9");
	assert_string_equal(empty, "");
	assert_int_equal(h5_get_whole(file, "count", &count), 0);
	assert_true(count == INT64_MIN);
	assert_int_equal(h5_get_real(file, "share", &share), 0);
	assert_true(share >= 0.1 && share <= 0.1);
	assert_int_equal(h5_get_whole(file, "most", &count), 0);
	assert_true(count == INT64_MAX);
	assert_int_equal(h5_get_real(file, "more", &share), 0);
	assert_true(share >= 0x3p70 && share <= 0x3p70);
	for (int i = 0; i < SETS; i++) {
		char name[8];
		struct column c = { .name = name };

		snprintf(name, sizeof(name), "c%d", i);
		assert_int_equal(h5_get_column(group, &c), 0);
		assert_int_equal(c.n, i);
		for (int k = 0; k < i; k++)
			assert_true(fabs(c.v.real[k] - (i % 2 ? 100 * i + k
							      : i + 0.25 * k)) == 0.0);
		column_release(&c);
	}
	free(word);
	free(empty);
	H5Gclose(group);
}

static void tree_check(const struct tree *root)
{
	const struct tree *group = tree_find(root, "group");
	struct column model = { .name = "model" }, last = { .name = "c20" };
	size_t n;
	const struct tree_attribute **all = tree_attributes(root, &n);
	int64_t count = 0;

	assert_int_equal(tree_get_whole(root, "count", &count), 0);
	assert_true(count == INT64_MIN);
	assert_int_equal(tree_get_real(root, "count", &(double){ 0 }), -1);
	assert_null(tree_get_text(root, "share"));
	assert_string_equal(all[n - 1]->name, "word");
	assert_int_equal(tree_get_column(root, root, &model), 0);
	assert_true(model.n == 2 && fabs(model.v.real[1] + 1.25) == 0.0);
	assert_int_equal(tree_get_column(root, group, &last), 0);
	assert_true(last.n == 20 && fabs(last.v.real[19] - 24.75) == 0.0);
	assert_int_equal(tree_get_column(root, group, &(struct column){ .name = "none" }), -1);
	column_release(&model);
	column_release(&last);
	free(all);
}

/* The library reads the file; what it adds and removes is read from its file. */
static void library_agrees(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/r.h5", folder);
	struct tree *root = tree_make();
	const char *fault;
	hid_t file;

	assert_int_equal(tree_save(root, path, false), 0);
	tree_free(root);
	file = h5_open(path);
	library_check(file);
	H5Fclose(file);

	file = played_open(path);
	library_check(file);
	assert_true(H5Adelete(file, "empty") >= 0);
	assert_int_equal(h5_put_text(file, "added", "by the library"), 0);
	for (int i = 0; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof(name), "more%d", i);
		H5Gclose(h5_group(file, name));
	}
	assert_int_equal(h5_save(file, path, false), 0);
	root = tree_open(path, &fault);
	assert_non_null(root);
	tree_check(root);
	assert_false(tree_has(root, "empty"));
	assert_true(tree_has(root, "added"));
	assert_non_null(tree_find(root, "more39"));
	tree_free(root);
	free(path);
	folder_remove(folder);
}

static int change(struct tree *file, const void *ctx)
{
	if (!ctx)
		return 0;
	tree_take_out(file, "word");
	tree_put_text(file, "word", "caf\xc3\xa9");
	return 1;
}

/* A file that was changed has all else as before. */
static void changed(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/r.h5", folder);
	struct tree *root = tree_make();
	hid_t file;

	assert_int_equal(tree_save(root, path, false), 0);
	tree_free(root);
	assert_int_equal(result_change(path, false, change, NULL), 0);
	assert_int_equal(result_change(path, false, change, path), 1);
	file = h5_open(path);
	library_check(file);
	H5Fclose(file);
	free(path);
	folder_remove(folder);
}

/* A tree of one shape for every x that has one digit. */
static struct tree *tree_of(int x)
{
	static double real[2][3];
	struct tree *root = tree_make(), *group = tree_add(root, "values");
	struct column c = { .name = "real", .n = 3, .v.real = real[x % 2] };
	char text[8];

	snprintf(text, sizeof(text), "is %d", x);
	for (int i = 0; i < 3; i++)
		real[x % 2][i] = x + i;
	tree_put_text(group, "text", text);
	tree_put_whole(group, "whole", x);
	tree_put_column(group, &c);
	tree_put_long_text(group, "long", text);
	return root;
}

static void tree_write(int x, const char *path)
{
	struct tree *root = tree_of(x);

	assert_int_equal(tree_save(root, path, false), 0);
	tree_free(root);
}

/* The second file of a shape has the bytes that the library gives it in another process. */
static void shape_again(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/r.h5", folder);
	char *path_other = xasprintf("%s/other.h5", folder), *bytes, *other;
	size_t n, n_other;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		tree_write(7, path_other);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	tree_write(4, path);
	tree_write(7, path);
	bytes = file_read(path, &n);
	other = file_read(path_other, &n_other);
	assert_int_equal(n, n_other);
	assert_memory_equal(bytes, other, n);
	free(bytes);
	free(other);
	free(path);
	free(path_other);
	folder_remove(folder);
}

/* A long data set, of another length each time, is read back, by the library as well. */
static void long_sets(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/r.h5", folder);

	for (int n = 5000; n < 5003; n++) {
		struct tree *root = tree_make();
		struct column c = { .name = "long", .integer = true }, own = { .name = "long" };
		const char *fault;
		hid_t file;

		for (int k = 0; k < n; k++)
			column_whole(&c, n * k);
		tree_take_column(root, &c);
		tree_put_text(root, "after", "text");
		assert_int_equal(tree_save(root, path, false), 0);
		tree_free(root);
		file = h5_open(path);
		library_check(file);
		c = (struct column){ .name = "long" };
		assert_int_equal(h5_get_column(file, &c), 0);
		H5Fclose(file);
		root = tree_open(path, &fault);
		assert_non_null(root);
		assert_int_equal(tree_get_column(root, root, &own), 0);
		assert_int_equal(c.n, n);
		assert_int_equal(own.n, n);
		for (int k = 0; k < n; k++)
			assert_true(fabs(c.v.real[k] - n * k) + fabs(own.v.real[k] - n * k) == 0.0);
		column_release(&c);
		column_release(&own);
		tree_free(root);
	}
	free(path);
	folder_remove(folder);
}

/* More shapes than are kept: each file has its own values. */
static void many_shapes(void **state)
{
	enum { SHAPES = 20 };
	char *folder = folder_new();

	for (int k = 0; k < 3 * SHAPES; k++) {
		char *path = xasprintf("%s/%d.h5", folder, k), name[16];
		const char *fault;
		struct tree *root = tree_new();
		int64_t x = 0;

		snprintf(name, sizeof(name), "a%d", k % SHAPES);
		tree_put_whole(root, name, k);
		tree_put_text(root, "text", k % 2 ? "odd" : "two");
		assert_int_equal(tree_save(root, path, false), 0);
		tree_free(root);
		root = tree_open(path, &fault);
		assert_non_null(root);
		assert_int_equal(tree_get_whole(root, name, &x), 0);
		assert_int_equal(x, k);
		tree_free(root);
		free(path);
	}
	folder_remove(folder);
}

RUN_ALL(library_agrees, changed, shape_again, long_sets, many_shapes)
