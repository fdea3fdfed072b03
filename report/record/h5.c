/*
 * h5.c - the little of HDF5 that results need.
 */
#include "report/record/h5.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/utf8.h"
#include "report/record/seal.h"
#include "report/text/output.h"

#include <stdlib.h>
#include <string.h>

enum {
	GROW = 64 * 1024,               /* bytes by which a file in memory grows */
	TEXT_MAX = 60000                /* bytes of an attribute; HDF5 has 64 kB with its head */
};

/*
 * Error printing is a property of the calling thread in a thread-safe HDF5, so every open asks.
 * A result has no links into other files, and none is followed.
 */
static void h5_hush(void)
{
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	if (H5Lis_registered(H5L_TYPE_EXTERNAL) > 0)
		H5Lunregister(H5L_TYPE_EXTERNAL);
}

hid_t h5_new(void)
{
	h5_hush();
	hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), fcpl = H5Pcreate(H5P_FILE_CREATE);
	hid_t file = -1;

	if (fapl >= 0 && fcpl >= 0 && H5Pset_fapl_core(fapl, GROW, false) >= 0 &&
	    H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
	    H5Pset_obj_track_times(fcpl, false) >= 0)
		file = H5Fcreate("convoy-in-memory", H5F_ACC_TRUNC, fcpl, fapl);
	H5Pclose(fapl);
	H5Pclose(fcpl);
	return file;
}

hid_t h5_from(const void *bytes, size_t n)
{
	h5_hush();
	hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
	hid_t file = -1;

	if (fapl >= 0 && H5Pset_fapl_core(fapl, GROW, false) >= 0 &&
	    H5Pset_file_image(fapl, (void *)(uintptr_t)bytes, n) >= 0 &&
	    H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0)
		file = H5Fopen("convoy-in-memory", H5F_ACC_RDWR, fapl);
	H5Pclose(fapl);
	return file;
}

int h5_save(hid_t file, const char *path, bool final)
{
	int (*write)(const char *, const void *, size_t) = final ? output_final : output_write;
	ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
	char *image = size > 0 ? xcalloc((size_t)size + SEAL_BYTES, 1) : NULL;
	bool ok = image && H5Fget_file_image(file, image, (size_t)size) == size;
	int rc;

	H5Fclose(file);
	if (ok)
		seal_write(image, (size_t)size, image + size);
	rc = ok ? write(path, image, (size_t)size + SEAL_BYTES) :
		  error("cannot write '%s': HDF5 failed", path);
	free(image);
	return rc;
}

hid_t h5_open(const char *path)
{
	h5_hush();
	hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
	hid_t file = -1;

	if (fapl >= 0 && H5Pset_file_locking(fapl, false, true) >= 0)
		file = H5Fopen(path, H5F_ACC_RDONLY, fapl);
	H5Pclose(fapl);
	return file;
}

hid_t h5_group(hid_t parent, const char *name)
{
	hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
	hid_t group = -1;

	if (gcpl >= 0 && H5Pset_obj_track_times(gcpl, false) >= 0)
		group = H5Gcreate2(parent, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
	H5Pclose(gcpl);
	return group;
}

/* The type of a fixed-length UTF-8 string of n bytes. */
static hid_t text_type(size_t n)
{
	hid_t type = H5Tcopy(H5T_C_S1);

	H5Tset_size(type, n ? n : 1);
	H5Tset_strpad(type, H5T_STR_NULLPAD);
	H5Tset_cset(type, H5T_CSET_UTF8);
	return type;
}

static int h5_put_attribute(hid_t object, const char *name, hid_t type, hid_t mem, const void *v)
{
	hid_t space = H5Screate(H5S_SCALAR);
	hid_t attr = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	herr_t rc = attr < 0 ? -1 : H5Awrite(attr, mem, v);

	H5Aclose(attr);
	H5Sclose(space);
	return rc < 0 ? -1 : 0;
}

int h5_put_text(hid_t object, const char *name, const char *value)
{
	size_t n = strlen(value);
	hid_t type;
	int rc;

	if (n > TEXT_MAX)
		n = utf8_whole(value, TEXT_MAX);
	type = text_type(n);
	rc = h5_put_attribute(object, name, type, type, value);
	H5Tclose(type);
	return rc;
}

int h5_change_text(hid_t object, const char *name, const char *value)
{
	return H5Adelete(object, name) < 0 ? -1 : h5_put_text(object, name, value);
}

int h5_put_real(hid_t object, const char *name, double value)
{
	return h5_put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

int h5_put_whole(hid_t object, const char *name, int64_t value)
{
	return h5_put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

static int put_dataset(hid_t parent, const char *name, hid_t space, hid_t type, hid_t mem,
		       const void *v)
{
	hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
	hid_t set = -1;
	herr_t rc = -1;

	if (dcpl >= 0 && H5Pset_obj_track_times(dcpl, false) >= 0)
		set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
	if (set >= 0)
		rc = v ? H5Dwrite(set, mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) : 0;
	H5Dclose(set);
	H5Pclose(dcpl);
	return rc < 0 ? -1 : 0;
}

int h5_put_long_text(hid_t parent, const char *name, const char *value)
{
	hid_t space = H5Screate(H5S_SCALAR), type = text_type(strlen(value));
	int rc = put_dataset(parent, name, space, type, type, value);

	H5Tclose(type);
	H5Sclose(space);
	return rc;
}

int h5_put_column(hid_t group, const struct column *c)
{
	hsize_t n = c->n;
	hid_t space = H5Screate_simple(1, &n, NULL);
	int rc = c->integer ? put_dataset(group, c->name, space, H5T_STD_I64LE, H5T_NATIVE_INT64,
					  n ? c->v.whole : NULL) :
			      put_dataset(group, c->name, space, H5T_IEEE_F64LE,
					  H5T_NATIVE_DOUBLE, n ? c->v.real : NULL);

	H5Sclose(space);
	return rc;
}

int h5_put_floats(hid_t group, const char *name, int rank, const int *shape, const float *v)
{
	hsize_t dims[4] = { 0 };
	hid_t space;
	int rc;

	for (int i = 0; i < rank && i < 4; i++)
		dims[i] = (hsize_t)shape[i];
	space = H5Screate_simple(rank, dims, NULL);
	rc = put_dataset(group, name, space, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, v);
	H5Sclose(space);
	return rc;
}

/* An attribute of a scalar dataspace and of that class, or -1. */
static hid_t open_attribute(hid_t object, const char *name, H5T_class_t class)
{
	hid_t attr = H5Aopen(object, name, H5P_DEFAULT), type, space;
	bool ok;

	if (attr < 0)
		return -1;
	type = H5Aget_type(attr);
	space = H5Aget_space(attr);
	ok = H5Tget_class(type) == class && H5Sget_simple_extent_npoints(space) == 1;
	H5Sclose(space);
	H5Tclose(type);
	if (ok)
		return attr;
	H5Aclose(attr);
	return -1;
}

char *h5_get_text(hid_t object, const char *name)
{
	hid_t attr = open_attribute(object, name, H5T_STRING);
	hid_t type = attr < 0 ? -1 : H5Aget_type(attr);
	size_t n = type < 0 || H5Tis_variable_str(type) ? 0 : H5Tget_size(type);
	char *text = n && n <= 1 << 20 ? xcalloc(n + 1, 1) : NULL;

	if (text && H5Aread(attr, type, text) < 0) {
		free(text);
		text = NULL;
	}
	if (text)
		utf8_make_printable(text);
	H5Tclose(type);
	H5Aclose(attr);
	return text;
}

static int get_number(hid_t object, const char *name, H5T_class_t class, hid_t mem, void *v)
{
	hid_t attr = open_attribute(object, name, class);
	herr_t rc = attr < 0 ? -1 : H5Aread(attr, mem, v);

	H5Aclose(attr);
	return rc < 0 ? -1 : 0;
}

int h5_get_real(hid_t object, const char *name, double *value)
{
	return get_number(object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, value);
}

int h5_get_whole(hid_t object, const char *name, int64_t *value)
{
	return get_number(object, name, H5T_INTEGER, H5T_NATIVE_INT64, value);
}

/* Its values are in this file: neither external storage nor a view of other data sets. */
static bool is_inside(hid_t set)
{
	hid_t dcpl = H5Dget_create_plist(set);
	const bool inside = dcpl >= 0 && H5Pget_external_count(dcpl) == 0 &&
			    H5Pget_layout(dcpl) != H5D_VIRTUAL;

	H5Pclose(dcpl);
	return inside;
}

/* Length of a 1-D dataset of numbers whose values are really in the file, or -1. */
static hssize_t length_of(hid_t set)
{
	hid_t space = H5Dget_space(set), type = H5Dget_type(set);
	hssize_t n = H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) :
							      -1;
	H5T_class_t class = H5Tget_class(type);

	if ((class != H5T_FLOAT && class != H5T_INTEGER) || n < 0 || !is_inside(set) ||
	    (hsize_t)n > H5Dget_storage_size(set))
		n = -1;
	H5Tclose(type);
	H5Sclose(space);
	return n;
}

int h5_get_column(hid_t group, struct column *c)
{
	hid_t set = H5Dopen2(group, c->name, H5P_DEFAULT);
	hssize_t n = set < 0 ? -1 : length_of(set);
	herr_t rc = n < 0 ? -1 : 0;

	if (n > 0) {
		c->v.real = xcalloc((size_t)n, sizeof(double));
		c->n = c->room = (size_t)n;
		rc = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->v.real);
	}
	H5Dclose(set);
	return rc < 0 ? -1 : 0;
}
