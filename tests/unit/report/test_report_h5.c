/* A result holds its own numbers: those of other files are not read through it. */
#include "record/h5.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include "core/base/mem.h"

#include <stdlib.h>

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

static void other_files_are_not_read(void **state)
{
	const double secret[N] = { 1, 2, 3, 4 };
	char *folder = folder_new(), *path = xasprintf("%s/r.h5", folder);
	char *raw = xasprintf("%s/raw", folder), *other = xasprintf("%s/other.h5", folder);
	hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

	folder_write(folder, "raw", PACK_PLAIN, secret, sizeof(secret));
	put(file, "mine", H5Pcreate(H5P_DATASET_CREATE));
	H5Fclose(file);

	file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Lcreate_external(other, "/mine", file, "linked", H5P_DEFAULT,
				       H5P_DEFAULT) >= 0);
	H5Fclose(file);
	assert_true(h5_open(path) < 0);

	for (int kind = 0; kind < 4; kind++) {
		file = h5_create(path);
		if (kind == 1)
			put(file, "external", external(raw));
		if (kind == 2)
			put(file, "virtual", virtual(other));
		if (kind == 3)
			assert_true(H5Lcreate_soft("/one", file, "linked", H5P_DEFAULT,
						   H5P_DEFAULT) >= 0);
		assert_int_equal(h5_put_whole(file, "one", 1), 0);
		H5Fclose(file);
		file = h5_open(path);
		assert_true((file >= 0) == (kind == 0));
		if (kind == 0)
			H5Fclose(file);
	}
	free(path);
	free(raw);
	free(other);
	folder_remove(folder);
}

RUN_ALL(other_files_are_not_read)
