/* Creates the HDF5 file of a packed set, and writes its attributes and arrays. */
#include "data/pack/h5.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

hid_t pack_create(const char *part)
{
	hid_t fapl, fcpl, file = -1;

	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	fapl = H5Pcreate(H5P_FILE_ACCESS);
	fcpl = H5Pcreate(H5P_FILE_CREATE);
	if (fapl >= 0 && fcpl >= 0 && H5Pset_file_locking(fapl, false, true) >= 0 &&
	    H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
	    H5Pset_obj_track_times(fcpl, false) >= 0)
		file = H5Fcreate(part, H5F_ACC_TRUNC, fcpl, fapl);
	H5Pclose(fapl);
	H5Pclose(fcpl);
	return file;
}

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

int pack_put_text(hid_t object, const char *name, const char *text)
{
	hid_t type = text_type(strlen(text));
	int rc = h5_put_attribute(object, name, type, type, text);

	H5Tclose(type);
	return rc;
}

int pack_put_whole(hid_t object, const char *name, int v)
{
	return h5_put_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, &v);
}

int pack_put_array(hid_t parent, const char *name, hid_t type, hid_t mem, size_t n,
		     const void *v, uint64_t *at)
{
	hid_t space = H5Screate_simple(1, &(hsize_t){ n }, NULL);
	hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE), set = -1;
	haddr_t place = HADDR_UNDEF;

	if (dcpl >= 0 && H5Pset_obj_track_times(dcpl, false) >= 0 &&
	    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY) >= 0)
		set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
	if (set >= 0 && H5Dwrite(set, mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0)
		place = H5Dget_offset(set);
	H5Dclose(set);
	H5Pclose(dcpl);
	H5Sclose(space);
	*at = place;
	return place == HADDR_UNDEF ? -1 : 0;
}

int pack_put_texts(hid_t parent, const char *name, const struct names *t, uint64_t *width,
		     uint64_t *at)
{
	char *all;
	hid_t type;
	int rc;

	*width = 1;
	for (size_t i = 0; i < t->n; i++)
		*width = strlen(t->v[i]) > *width ? strlen(t->v[i]) : *width;
	all = xcalloc(t->n, (size_t)*width);
	for (size_t i = 0; i < t->n; i++)
		memcpy(all + i * *width, t->v[i], strlen(t->v[i]));
	type = text_type((size_t)*width);
	rc = pack_put_array(parent, name, type, type, t->n, all, at);
	H5Tclose(type);
	free(all);
	return rc;
}
