/*
 * code.h - code of users, in algorithms and nets: its digest, and whether this process may run it.
 *
 * Code runs only in a command that runs something, and only if the words of the command line name
 * its file, or all code is allowed. A spec, result, checkpoint or trace that names code is no
 * reason to run it.
 */
#ifndef CORE_FILE_CODE_H
#define CORE_FILE_CODE_H

#include "core/base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CODE_DIGEST = 17,       /* chars of a digest, with its NUL */
	CODE_FILES_MOST = 1000  /* files of a digest: code is small */
};

/*
 * From now on this process may run code that a word of its command line names, as a whole or
 * between two of "=:,@". The words are borrowed.
 */
void code_permit(int argc, char *const *argv);

/* code_permit() was called. */
bool code_permitted(void);

/*
 * Allows all code or only what is named, also in processes that this one starts: sets
 * CONVOY_ALLOW_CODE, which means the same. code_permit() is needed too.
 */
void code_allow_all(bool allow);

/* True when the words of the command line name the code, or all is allowed. */
bool code_is_allowed(const char *name);

/* error() for code that only a file names; `what` begins the message. Returns -1. */
int code_refuse(const char *what, const char *digest);

/* 0, or error() if the code may not run. `what` begins the message: "algorithm './mine.so'". */
int code_check(const char *what, const char *path, const char *digest);

/*
 * Digest of a file: the first 16 digits of its SHA-256. Of a file in C, it continues over the files
 * in quotes that it includes and that are found next to the file that includes them. 0 or error(),
 * which `what` begins.
 */
int code_digest(const char *what, const char *path, char digest[CODE_DIGEST]);

/*
 * Continues the digest by the modules in Python that the file imports from its own folder, each
 * with its name; a file without such leaves it as it is. 0 or error().
 */
int code_digest_others(const char *path, uint64_t *digest);

#endif
