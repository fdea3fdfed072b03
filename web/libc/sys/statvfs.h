/* sys/statvfs.h - file systems, of which a page has none. */
#ifndef WEB_LIBC_STATVFS_H
#define WEB_LIBC_STATVFS_H

struct statvfs {
	unsigned long f_bavail, f_frsize;
};

static inline int statvfs(const char *path, struct statvfs *s)
{
	(void)path, (void)s;
	return -1;
}

#endif
