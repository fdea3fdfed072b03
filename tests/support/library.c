/* Reads files of convoy with HDF5's library, as another program does. */
#include "tests/support/library.h"

#include "core/base/mem.h"
#include "core/file/h5.h"
#include "core/text/utf8.h"

#include <stdlib.h>

hid_t h5_open(const char *path)
{
	h5_hush();
	return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

/*
 * An attribute of one value of that class, or -1, and its type. Its bytes tell how many it has in
 * less time than its dataspace.
 */
static hid_t open_attribute(hid_t object, const char *name, H5T_class_t class, hid_t *type)
{
	hid_t attr = H5Aopen(object, name, H5P_DEFAULT);

	*type = attr < 0 ? -1 : H5Aget_type(attr);
	if (attr < 0 ||
	    (H5Tget_class(*type) == class && H5Aget_storage_size(attr) == H5Tget_size(*type)))
		return attr;
	H5Tclose(*type);
	H5Aclose(attr);
	return *type = -1;
}

char *h5_get_text(hid_t object, const char *name)
{
	hid_t type, attr = open_attribute(object, name, H5T_STRING, &type);
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
	hid_t type, attr = open_attribute(object, name, class, &type);
	herr_t rc = attr < 0 ? -1 : H5Aread(attr, mem, v);

	H5Tclose(type);
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

/* Length of a 1-D dataset of numbers whose values were written, or -1. Its class. */
static hssize_t length_of(hid_t set, H5T_class_t *class)
{
	hid_t space = H5Dget_space(set), type = H5Dget_type(set);
	hssize_t n = H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) :
							      -1;

	*class = H5Tget_class(type);
	if ((*class != H5T_FLOAT && *class != H5T_INTEGER) || n < 0 ||
	    (n > 0 && H5Dget_offset(set) == HADDR_UNDEF) ||
	    (hsize_t)n > H5Dget_storage_size(set))
		n = -1;
	H5Tclose(type);
	H5Sclose(space);
	return n;
}

/* HDF5 would clear a buffer of 1 MB at each read that makes doubles of whole numbers. */
static herr_t read_whole(hid_t set, size_t n, double *v)
{
	int64_t *whole = xcalloc(n, sizeof(*whole));
	herr_t rc = H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole);

	for (size_t i = 0; i < n; i++)
		v[i] = (double)whole[i];
	free(whole);
	return rc;
}

int h5_get_column(hid_t group, struct column *c)
{
	hid_t set = H5Dopen2(group, c->name, H5P_DEFAULT);
	H5T_class_t class = H5T_NO_CLASS;
	hssize_t n = set < 0 ? -1 : length_of(set, &class);
	herr_t rc = n < 0 ? -1 : 0;

	if (n > 0) {
		c->v.real = xcalloc((size_t)n, sizeof(double));
		c->n = c->capacity = (size_t)n;
		rc = class == H5T_INTEGER ? read_whole(set, c->n, c->v.real)
					  : H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
						    H5P_DEFAULT, c->v.real);
	}
	H5Dclose(set);
	return rc < 0 ? -1 : 0;
}
