/* Unpacks any bytes as an archive: nothing may crash, and nothing is written but in its folder. */
#define _XOPEN_SOURCE 700         /* nftw(), mkdtemp() */
#include "core/base/mem.h"
#include "data/fetch/get.h"

#include <dirent.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void write_archive(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

/* In memory where that can be had: thousands of files come and go. */
static const char *somewhere(void)
{
	const char *tmp = getenv("TMPDIR");

	return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : tmp ? tmp : "/tmp";
}

/* "set" alone may be in there. */
static void check_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	if (!dir)
		abort();
	while ((d = readdir(dir)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, "..") && strcmp(d->d_name, "set"))
			abort();
	closedir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *top = xasprintf("%s/fuzz-tar-XXXXXX", somewhere());
	char *archive, *dir;

	if (!mkdtemp(top))
		abort();
	archive = xasprintf("%s/archive", top);
	dir = xasprintf("%s/dir", top);
	if (mkdir(dir, 0777))
		abort();
	write_archive(archive, data, size);
	tar_unpack(archive, dir, "set", false, NULL, NULL);
	check_folder(dir);
	unlink(archive);
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(archive);
	free(dir);
	free(top);
	return 0;
}
