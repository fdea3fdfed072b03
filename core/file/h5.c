/* Writing of HDF5: the only file that creates files, groups, data sets and attributes. */
#include "core/file/h5.h"

#include "core/base/mem.h"
#include "core/text/utf8.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 60000 };      /* bytes of an attribute; HDF5 allows 64 kB with its header */

#ifndef CONVOY_LOADS_HDF5       /* which is done when it is loaded */
/*
 * Runs before HDF5 is initialised, and turns off its work at exit: that crashes if a file could not
 * be closed because the disk was full, and is not needed, because each file is closed.
 */
__attribute__((constructor)) static void h5_without_exit(void)
{
	H5dont_atexit();
}
#endif

void h5_hush(void)
{
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	if (H5Lis_registered(H5L_TYPE_EXTERNAL) > 0)
		H5Lunregister(H5L_TYPE_EXTERNAL);
}

/* Access settings: without locks for a file on disk; for path NULL, a file in memory. */
static herr_t h5_set_access(hid_t fapl, const char *path)
{
	return path ? H5Pset_file_locking(fapl, false, true)
		    : H5Pset_fapl_core(fapl, H5_GROW, false);
}

/* Returns the file, of HDF5's driver for disks; programs started later do not inherit it. */
static hid_t h5_close_on_exec(hid_t file)
{
	void *handle = NULL;

	if (file >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle)
		fcntl(*(const int *)handle, F_SETFD, FD_CLOEXEC);
	return file;
}

hid_t h5_create(const char *path)
{
	h5_hush();
	hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), fcpl = H5Pcreate(H5P_FILE_CREATE);
	hid_t file = -1;

	if (fapl >= 0 && fcpl >= 0 && h5_set_access(fapl, path) >= 0 &&
	    H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
	    H5Pset_obj_track_times(fcpl, false) >= 0)
		file = H5Fcreate(path ? path : "convoy-in-memory", H5F_ACC_TRUNC, fcpl, fapl);
	H5Pclose(fapl);
	H5Pclose(fcpl);
	return path ? h5_close_on_exec(file) : file;
}

/*
 * Creation properties of groups and data sets, which are slow to make; and two common attribute
 * spaces and types: one value, and a text whose length is set when it is used.
 */
static hid_t group_list = -1, dataset_list = -1, one_value = -1, some_text = -1;

static hid_t h5_timeless(hid_t class)
{
	const hid_t list = H5Pcreate(class);

	return list >= 0 && H5Pset_obj_track_times(list, false) >= 0 ? list : -1;
}

static void h5_make_ready(void)
{
	group_list = h5_timeless(H5P_GROUP_CREATE);
	dataset_list = h5_timeless(H5P_DATASET_CREATE);
	one_value = H5Screate(H5S_SCALAR);
	some_text = H5Tcopy(H5T_C_S1);
	H5Tset_strpad(some_text, H5T_STR_NULLPAD);
	H5Tset_cset(some_text, H5T_CSET_UTF8);
}

/* Makes these once; HDF5 closes them at its end. False: that failed. */
static bool h5_is_ready(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, h5_make_ready);
	return group_list >= 0 && dataset_list >= 0 && one_value >= 0 && some_text >= 0;
}

hid_t h5_group(hid_t parent, const char *name)
{
	return h5_is_ready() ? H5Gcreate2(parent, name, H5P_DEFAULT, group_list, H5P_DEFAULT)
			      : -1;
}

/* The type of a fixed-length UTF-8 string of n bytes. */
static hid_t text_type(size_t n)
{
	hid_t type = h5_is_ready() ? H5Tcopy(some_text) : -1;

	H5Tset_size(type, n ? n : 1);
	return type;
}

static int h5_put_attribute(hid_t object, const char *name, hid_t type, hid_t mem, const void *v)
{
	hid_t attr = h5_is_ready() ? H5Acreate2(object, name, type, one_value, H5P_DEFAULT,
						 H5P_DEFAULT)
				    : -1;
	herr_t rc = attr < 0 ? -1 : H5Awrite(attr, mem, v);

	H5Aclose(attr);
	return rc < 0 ? -1 : 0;
}

int h5_put_text(hid_t object, const char *name, const char *value)
{
	scoped char *text = xstrdup(value);
	size_t n = strlen(text);
	hid_t type;
	int rc;

	utf8_make_valid(text);
	if (n > TEXT_MAX)
		n = utf8_whole(text, TEXT_MAX);
	type = text_type(n);
	rc = h5_put_attribute(object, name, type, type, text);
	H5Tclose(type);
	return rc;
}

int h5_put_int(hid_t object, const char *name, int value)
{
	return h5_put_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value);
}

int h5_put_real(hid_t object, const char *name, double value)
{
	return h5_put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

int h5_put_whole(hid_t object, const char *name, int64_t value)
{
	return h5_put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

/* Creation properties of a data set whose values are allocated at once. -1: HDF5 failed. */
static hid_t h5_early_list(void)
{
	const hid_t list = h5_is_ready() ? H5Pcopy(dataset_list) : -1;

	return list >= 0 && H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 ? list : -1;
}

/* Writes a data set, and closes the space. at NULL: HDF5 chooses when to allocate the values. */
static int h5_put_dataset(hid_t parent, const char *name, hid_t space, hid_t type, hid_t mem,
			  const void *v, uint64_t *at)
{
	const hid_t dcpl = at ? h5_early_list() : h5_is_ready() ? dataset_list : -1;
	hid_t set = -1;
	herr_t rc = -1;

	if (dcpl >= 0)
		set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
	if (set >= 0)
		rc = v ? H5Dwrite(set, mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) : 0;
	if (at && rc >= 0) {
		*at = H5Dget_offset(set);
		rc = *at == HADDR_UNDEF ? -1 : 0;
	}
	H5Dclose(set);
	if (at)
		H5Pclose(dcpl);
	H5Sclose(space);
	return rc < 0 ? -1 : 0;
}

int h5_put_array(hid_t parent, const char *name, hid_t type, hid_t mem, size_t n, const void *v,
		 uint64_t *at)
{
	const hid_t space = H5Screate_simple(1, &(hsize_t){ n }, NULL);

	return h5_put_dataset(parent, name, space, type, mem, v, at);
}

int h5_put_texts(hid_t parent, const char *name, size_t n, char *const *v, uint64_t *width,
		 uint64_t *at)
{
	scoped char *all = NULL;
	hid_t type;
	int rc;

	*width = 1;
	for (size_t i = 0; i < n; i++)
		*width = strlen(v[i]) > *width ? strlen(v[i]) : *width;
	all = xcalloc(n, (size_t)*width);
	for (size_t i = 0; i < n; i++)
		memcpy(all + i * *width, v[i], strlen(v[i]));
	type = text_type((size_t)*width);
	rc = h5_put_array(parent, name, type, type, n, all, at);
	H5Tclose(type);
	return rc;
}

int h5_put_long_text(hid_t parent, const char *name, const char *value)
{
	scoped char *text = xstrdup(value);
	hid_t type = text_type(strlen(text));
	int rc;

	utf8_make_valid(text);
	rc = h5_put_dataset(parent, name, H5Screate(H5S_SCALAR), type, type, text, NULL);
	H5Tclose(type);
	return rc;
}

int h5_put_floats(hid_t parent, const char *name, int rank, const int *shape, const float *v)
{
	hsize_t dims[4] = { 0 };

	for (int i = 0; i < rank && i < 4; i++)
		dims[i] = (hsize_t)shape[i];
	return h5_put_dataset(parent, name, H5Screate_simple(rank, dims, NULL), H5T_IEEE_F32LE,
			      H5T_NATIVE_FLOAT, v, NULL);
}

hid_t h5_put_chunked(hid_t parent, const char *name, hid_t type, int rank, const hsize_t *shape,
		     const hsize_t *chunk)
{
	hsize_t most[4] = { H5S_UNLIMITED };
	hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), space, set = -1;

	for (int i = 1; i < rank && i < 4; i++)
		most[i] = shape[i];
	space = H5Screate_simple(rank, shape, most);
	if (dcpl >= 0 && H5Pset_obj_track_times(dcpl, false) >= 0 &&
	    H5Pset_chunk(dcpl, rank, chunk) >= 0)
		set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
	H5Pclose(dcpl);
	H5Sclose(space);
	return set;
}
