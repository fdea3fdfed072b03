/* A result holds its own numbers: those of other files are not read through it. */
#include "record/h5.h"
#include "record/tree.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { N = 4 };

/* A dataset of N numbers that a property list stores elsewhere. */
static void put(hid_t file, const char *name, hid_t dcpl)
{
	const hsize_t n = N;
	hid_t space = H5Screate_simple(1, &n, NULL);
	hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);

	assert_true(set >= 0);
	H5Dclose(set);
	H5Sclose(space);
	H5Pclose(dcpl);
}

static hid_t external(const char *path)
{
	hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);

	assert_true(H5Pset_external(dcpl, path, 0, N * sizeof(double)) >= 0);
	return dcpl;
}

static hid_t virtual(const char *path)
{
	const hsize_t n = N;
	hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, NULL);

	assert_true(H5Pset_virtual(dcpl, space, path, "mine", space) >= 0);
	H5Sclose(space);
	return dcpl;
}

/* Saves the file; true where the program reads it. */
static bool is_read(hid_t file, const char *path)
{
	const char *fault = NULL;
	struct tree *root;
	bool is;

	assert_int_equal(h5_save(file, path, false), 0);
	root = tree_open(path, &fault);
	is = root != NULL;
	if (!is)
		assert_non_null(strstr(fault, "its parts are not those of a result"));
	tree_free(root);
	return is;
}

static void other_files_are_not_read(void **state)
{
	const double secret[N] = { 1, 2, 3, 4 };
	char *folder = folder_new(), *path = xasprintf("%s/r.h5", folder);
	char *raw = xasprintf("%s/raw", folder), *other = xasprintf("%s/other.h5", folder);
	hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

	folder_write(folder, "raw", PACK_PLAIN, secret, sizeof(secret));
	put(file, "mine", H5Pcreate(H5P_DATASET_CREATE));
	H5Fclose(file);

	/* Before h5_create(), which has HDF5 make no such link. */
	file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Lcreate_external(other, "/mine", file, "linked", H5P_DEFAULT,
				       H5P_DEFAULT) >= 0);
	assert_false(is_read(file, path));

	for (int kind = 0; kind < 4; kind++) {
		file = h5_create(NULL);
		if (kind == 1)
			put(file, "external", external(raw));
		if (kind == 2)
			put(file, "virtual", virtual(other));
		if (kind == 3)
			assert_true(H5Lcreate_soft("/one", file, "linked", H5P_DEFAULT,
						   H5P_DEFAULT) >= 0);
		assert_int_equal(h5_put_whole(file, "one", 1), 0);
		assert_true(is_read(file, path) == (kind == 0));
	}
	free(path);
	free(raw);
	free(other);
	folder_remove(folder);
}

RUN_ALL(other_files_are_not_read)
