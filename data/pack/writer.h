/* Writing a packed set; reader.h reads it. */
#ifndef DATA_PACK_WRITER_H
#define DATA_PACK_WRITER_H

#include "core/samples/dataset.h"
#include "data/photo/list.h"

struct pack_file;

/*
 * A new file of images: side x side pixels, or, side 0, JPEGs. Nothing is at
 * `path` before pack_file_finish(), nor does another process write it meanwhile. NULL after
 * error().
 */
struct pack_file *pack_file_new(const char *path, int side, bool squeezed);

/* Begins a split of `images` at most; the ones before are complete. 0 or error(). */
int pack_file_split(struct pack_file *f, enum split split, size_t images);

/* Appends an image to the split. 0 or error(). */
int pack_file_add(struct pack_file *f, const uint8_t *at, size_t n, int32_t label,
		  const char *name);

/* Completes the file, gives it its name, and frees f; its size -> *bytes. 0 or error(). */
int pack_file_finish(struct pack_file *f, const struct names *wnids, uint64_t *bytes);

/* Removes what was written, and frees f. */
void pack_file_drop(struct pack_file *f);

#endif
