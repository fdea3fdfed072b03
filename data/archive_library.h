/*
 * archive_library.h - libarchive's functions, by their names; the first call loads it.
 */
#ifndef DATA_ARCHIVE_LIBRARY_H
#define DATA_ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>

#ifdef CONVOY_LOADS_ARCHIVE

#define ARCHIVE_FUNCTIONS(X) \
	X(archive_entry_filetype) X(archive_entry_hardlink) \
	X(archive_entry_pathname) X(archive_entry_size) X(archive_error_string) \
	X(archive_read_data) X(archive_read_free) X(archive_read_new) \
	X(archive_read_next_header) X(archive_read_open_fd) \
	X(archive_read_open_filename) X(archive_read_support_filter_gzip) \
	X(archive_read_support_format_tar) X(archive_read_support_format_zip) \
	X(archive_read_support_format_zip_seekable)

struct archive_library {
#define X(name) __typeof__(name) *name##_;
	ARCHIVE_FUNCTIONS(X)
#undef X
};

/* The loaded library; if it cannot be loaded, the program ends with a message. */
const struct archive_library *archive_library(void);

#ifndef ARCHIVE_UNCHANGED
#define archive_entry_filetype (archive_library()->archive_entry_filetype_)
#define archive_entry_hardlink (archive_library()->archive_entry_hardlink_)
#define archive_entry_pathname (archive_library()->archive_entry_pathname_)
#define archive_entry_size (archive_library()->archive_entry_size_)
#define archive_error_string (archive_library()->archive_error_string_)
#define archive_read_data (archive_library()->archive_read_data_)
#define archive_read_free (archive_library()->archive_read_free_)
#define archive_read_new (archive_library()->archive_read_new_)
#define archive_read_next_header (archive_library()->archive_read_next_header_)
#define archive_read_open_fd (archive_library()->archive_read_open_fd_)
#define archive_read_open_filename (archive_library()->archive_read_open_filename_)
#define archive_read_support_filter_gzip (archive_library()->archive_read_support_filter_gzip_)
#define archive_read_support_format_tar (archive_library()->archive_read_support_format_tar_)
#define archive_read_support_format_zip (archive_library()->archive_read_support_format_zip_)
#define archive_read_support_format_zip_seekable \
	(archive_library()->archive_read_support_format_zip_seekable_)
#endif

#endif

#endif
