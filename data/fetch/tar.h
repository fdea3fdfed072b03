/* Unpacking the publishers' archives, tar, plain or gzip, and zip, by libarchive. */
#ifndef DATA_FETCH_TAR_H
#define DATA_FETCH_TAR_H

#include <stdbool.h>

/*
 * Writes the regular files below `folder` ("cifar-10-batches-bin") in the archive
 * into DIR; flat: those that are in no folder, into DIR/FOLDER. Each is renamed when it is
 * whole and on disk; everything else in the archive is passed over. Nothing is written
 * outside of DIR/FOLDER. stop NULL, or asked between blocks. 0; -1 after error() naming the
 * archive and the file in it; 1 when stopped.
 */
int tar_unpack(const char *archive, const char *dir, const char *folder, bool flat,
	       int (*stop)(void *ctx), void *ctx);

#endif
