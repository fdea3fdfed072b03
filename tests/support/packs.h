/*
 * packs.h - a folder of photographs for each test, and packing it: RUN_WITH(packs_open,
 * packs_close, ...).
 */
#ifndef TESTS_SUPPORT_PACKS_H
#define TESTS_SUPPORT_PACKS_H

#include "data/pack/pack.h"
#include "tests/support/folder.h"

enum { SIDE = 32 };             /* of squares of pixels */
enum form { AS_JPEG, AS_SQUEEZED, AS_SHORT };

extern char *pack_file;        /* packed.h5 in the folder that photos_new() made */

int packs_open(void **state);
int packs_close(void **state);

/* Settings that pack `folder` into `pack_file`. */
struct pack_conf conf_of(enum form form);

/* Packs; messages are in capture_text(). 0 or -1. */
int try_pack(const struct pack_conf *conf, struct pack_result *result);

/* Packs; fails the test when it is refused. */
struct pack_result must_pack(enum form form);

/* Fails the test unless opening `pack_file` is refused with that message. */
void assert_refused(const char *message);

/* The n bytes of a file; the caller frees. */
char *slurp(const char *path, size_t *n);

#endif
