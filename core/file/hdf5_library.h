/*
 * hdf5_library.h - HDF5's functions, by their names; the first call loads the library.
 *
 * Starting a program with HDF5 takes 4 ms, since it needs 30 other libraries, and most commands
 * read no file. A function that is missing here is called in the library that is linked, or is an
 * error of the linker: add its name to both lists.
 */
#ifndef CORE_FILE_HDF5_LIBRARY_H
#define CORE_FILE_HDF5_LIBRARY_H

#include <hdf5.h>

#ifdef CONVOY_LOADS_HDF5

#define HDF5_FUNCTIONS(X) \
	X(H5Aclose) X(H5Acreate2) X(H5Adelete) X(H5Aget_storage_size) \
	X(H5Aget_type) X(H5Aiterate2) X(H5Aopen) X(H5Aread) X(H5Awrite) X(H5Dclose) \
	X(H5Dcreate2) X(H5Dget_chunk_info_by_coord) X(H5Dget_offset) \
	X(H5Dget_space) X(H5Dget_storage_size) X(H5Dget_type) X(H5Dopen2) \
	X(H5Dread) X(H5Dset_extent) X(H5Dwrite) X(H5Dwrite_chunk) X(H5Eset_auto2) \
	X(H5Fclose) X(H5Fcreate) X(H5Fflush) X(H5Fget_file_image) \
	X(H5Fget_vfd_handle) X(H5Fopen) X(H5Gclose) X(H5Gcreate2) X(H5Gopen2) \
	X(H5Lcreate_external) X(H5Lcreate_soft) X(H5Ldelete) X(H5Lexists) \
	X(H5Lis_registered) X(H5Lunregister) X(H5Pclose) X(H5Pcopy) X(H5Pcreate) \
	X(H5Pset_alloc_time) X(H5Pset_chunk) X(H5Pset_external) X(H5Pset_fapl_core) \
	X(H5Pset_file_image) X(H5Pset_file_locking) X(H5Pset_libver_bounds) \
	X(H5Pset_obj_track_times) X(H5Pset_virtual) X(H5Sclose) X(H5Screate) \
	X(H5Screate_simple) X(H5Sget_simple_extent_ndims) \
	X(H5Sget_simple_extent_npoints) X(H5Tclose) X(H5Tcopy) X(H5Tget_class) \
	X(H5Tget_size) X(H5Tis_variable_str) X(H5Tset_cset) X(H5Tset_size) \
	X(H5Tset_strpad) X(H5check_version) X(H5dont_atexit) X(H5get_libversion) \
	X(H5open)

#define HDF5_DATA(X) \
	X(H5P_CLS_DATASET_CREATE_ID_g) X(H5P_CLS_FILE_ACCESS_ID_g) \
	X(H5P_CLS_FILE_CREATE_ID_g) X(H5P_CLS_GROUP_CREATE_ID_g) X(H5T_C_S1_g) \
	X(H5T_IEEE_F32LE_g) X(H5T_IEEE_F64LE_g) X(H5T_NATIVE_DOUBLE_g) \
	X(H5T_NATIVE_FLOAT_g) X(H5T_NATIVE_INT_g) X(H5T_NATIVE_INT32_g) \
	X(H5T_NATIVE_INT64_g) X(H5T_NATIVE_UCHAR_g) X(H5T_NATIVE_UINT64_g) \
	X(H5T_STD_I32LE_g) X(H5T_STD_I64LE_g) X(H5T_STD_U64LE_g) X(H5T_STD_U8LE_g)

struct hdf5_library {
#define X(name) __typeof__(name) *name##_;
	HDF5_FUNCTIONS(X)
	HDF5_DATA(X)
#undef X
};

/* The loaded library; if it cannot be loaded, the program ends with a message. */
const struct hdf5_library *hdf5_library(void);

#ifndef HDF5_UNCHANGED
#define H5Aclose (hdf5_library()->H5Aclose_)
#define H5Acreate2 (hdf5_library()->H5Acreate2_)
#define H5Adelete (hdf5_library()->H5Adelete_)
#define H5Aget_storage_size (hdf5_library()->H5Aget_storage_size_)
#define H5Aget_type (hdf5_library()->H5Aget_type_)
#define H5Aiterate2 (hdf5_library()->H5Aiterate2_)
#define H5Aopen (hdf5_library()->H5Aopen_)
#define H5Aread (hdf5_library()->H5Aread_)
#define H5Awrite (hdf5_library()->H5Awrite_)
#define H5Dclose (hdf5_library()->H5Dclose_)
#define H5Dcreate2 (hdf5_library()->H5Dcreate2_)
#define H5Dget_chunk_info_by_coord (hdf5_library()->H5Dget_chunk_info_by_coord_)
#define H5Dget_offset (hdf5_library()->H5Dget_offset_)
#define H5Dget_space (hdf5_library()->H5Dget_space_)
#define H5Dget_storage_size (hdf5_library()->H5Dget_storage_size_)
#define H5Dget_type (hdf5_library()->H5Dget_type_)
#define H5Dopen2 (hdf5_library()->H5Dopen2_)
#define H5Dread (hdf5_library()->H5Dread_)
#define H5Dset_extent (hdf5_library()->H5Dset_extent_)
#define H5Dwrite (hdf5_library()->H5Dwrite_)
#define H5Dwrite_chunk (hdf5_library()->H5Dwrite_chunk_)
#define H5Eset_auto2 (hdf5_library()->H5Eset_auto2_)
#define H5Fclose (hdf5_library()->H5Fclose_)
#define H5Fcreate (hdf5_library()->H5Fcreate_)
#define H5Fflush (hdf5_library()->H5Fflush_)
#define H5Fget_file_image (hdf5_library()->H5Fget_file_image_)
#define H5Fget_vfd_handle (hdf5_library()->H5Fget_vfd_handle_)
#define H5Fopen (hdf5_library()->H5Fopen_)
#define H5Gclose (hdf5_library()->H5Gclose_)
#define H5Gcreate2 (hdf5_library()->H5Gcreate2_)
#define H5Gopen2 (hdf5_library()->H5Gopen2_)
#define H5Lcreate_external (hdf5_library()->H5Lcreate_external_)
#define H5Lcreate_soft (hdf5_library()->H5Lcreate_soft_)
#define H5Ldelete (hdf5_library()->H5Ldelete_)
#define H5Lexists (hdf5_library()->H5Lexists_)
#define H5Lis_registered (hdf5_library()->H5Lis_registered_)
#define H5Lunregister (hdf5_library()->H5Lunregister_)
#define H5Pclose (hdf5_library()->H5Pclose_)
#define H5Pcopy (hdf5_library()->H5Pcopy_)
#define H5Pcreate (hdf5_library()->H5Pcreate_)
#define H5Pset_alloc_time (hdf5_library()->H5Pset_alloc_time_)
#define H5Pset_chunk (hdf5_library()->H5Pset_chunk_)
#define H5Pset_external (hdf5_library()->H5Pset_external_)
#define H5Pset_fapl_core (hdf5_library()->H5Pset_fapl_core_)
#define H5Pset_file_image (hdf5_library()->H5Pset_file_image_)
#define H5Pset_file_locking (hdf5_library()->H5Pset_file_locking_)
#define H5Pset_libver_bounds (hdf5_library()->H5Pset_libver_bounds_)
#define H5Pset_obj_track_times (hdf5_library()->H5Pset_obj_track_times_)
#define H5Pset_virtual (hdf5_library()->H5Pset_virtual_)
#define H5Sclose (hdf5_library()->H5Sclose_)
#define H5Screate (hdf5_library()->H5Screate_)
#define H5Screate_simple (hdf5_library()->H5Screate_simple_)
#define H5Sget_simple_extent_ndims (hdf5_library()->H5Sget_simple_extent_ndims_)
#define H5Sget_simple_extent_npoints (hdf5_library()->H5Sget_simple_extent_npoints_)
#define H5Tclose (hdf5_library()->H5Tclose_)
#define H5Tcopy (hdf5_library()->H5Tcopy_)
#define H5Tget_class (hdf5_library()->H5Tget_class_)
#define H5Tget_size (hdf5_library()->H5Tget_size_)
#define H5Tis_variable_str (hdf5_library()->H5Tis_variable_str_)
#define H5Tset_cset (hdf5_library()->H5Tset_cset_)
#define H5Tset_size (hdf5_library()->H5Tset_size_)
#define H5Tset_strpad (hdf5_library()->H5Tset_strpad_)
#define H5check_version (hdf5_library()->H5check_version_)
#define H5dont_atexit (hdf5_library()->H5dont_atexit_)
#define H5get_libversion (hdf5_library()->H5get_libversion_)
#define H5open (hdf5_library()->H5open_)
#define H5P_CLS_DATASET_CREATE_ID_g (*hdf5_library()->H5P_CLS_DATASET_CREATE_ID_g_)
#define H5P_CLS_FILE_ACCESS_ID_g (*hdf5_library()->H5P_CLS_FILE_ACCESS_ID_g_)
#define H5P_CLS_FILE_CREATE_ID_g (*hdf5_library()->H5P_CLS_FILE_CREATE_ID_g_)
#define H5P_CLS_GROUP_CREATE_ID_g (*hdf5_library()->H5P_CLS_GROUP_CREATE_ID_g_)
#define H5T_C_S1_g (*hdf5_library()->H5T_C_S1_g_)
#define H5T_IEEE_F32LE_g (*hdf5_library()->H5T_IEEE_F32LE_g_)
#define H5T_IEEE_F64LE_g (*hdf5_library()->H5T_IEEE_F64LE_g_)
#define H5T_NATIVE_DOUBLE_g (*hdf5_library()->H5T_NATIVE_DOUBLE_g_)
#define H5T_NATIVE_FLOAT_g (*hdf5_library()->H5T_NATIVE_FLOAT_g_)
#define H5T_NATIVE_INT_g (*hdf5_library()->H5T_NATIVE_INT_g_)
#define H5T_NATIVE_INT32_g (*hdf5_library()->H5T_NATIVE_INT32_g_)
#define H5T_NATIVE_INT64_g (*hdf5_library()->H5T_NATIVE_INT64_g_)
#define H5T_NATIVE_UCHAR_g (*hdf5_library()->H5T_NATIVE_UCHAR_g_)
#define H5T_NATIVE_UINT64_g (*hdf5_library()->H5T_NATIVE_UINT64_g_)
#define H5T_STD_I32LE_g (*hdf5_library()->H5T_STD_I32LE_g_)
#define H5T_STD_I64LE_g (*hdf5_library()->H5T_STD_I64LE_g_)
#define H5T_STD_U64LE_g (*hdf5_library()->H5T_STD_U64LE_g_)
#define H5T_STD_U8LE_g (*hdf5_library()->H5T_STD_U8LE_g_)
#endif

#endif

#endif
