/*
 * mem.h - memory that is never NULL.
 *
 * Running out of memory ends the process: these die() instead of
 * returning NULL, and check that n * size does not overflow. Vectors are
 * aligned to 64 bytes, one cache line and one AVX-512 register.
 */
#ifndef CORE_BASE_MEM_H
#define CORE_BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Zeroed array of n elements; the caller frees with free(). */
void *xcalloc(size_t n, size_t size);

/* As realloc(3) for n elements; new bytes are not zeroed. */
void *xrealloc(void *p, size_t n, size_t size);

/* Space for one more after the n elements of an array that only grows by this: it doubles. */
void *xgrown(void *p, size_t n, size_t size);

/*
 * A new last element of v[n], for which memory is allocated: APPEND(list->v, list->n) = x, where x
 * uses neither v nor n, which may have changed before it is computed.
 */
#define APPEND(v, n) (*((v) = xrealloc(v, (size_t)(n) + 1, sizeof(*(v))), &(v)[(n)++]))

/* free() of each; free_all(a->x, a) reads a->x before it frees a. */
#define free_all(...)                                                                              \
	free_each((void *[]){ __VA_ARGS__ }, sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *))
void free_each(void *const *p, size_t n);

/*
 * At the end of the block that declares it, scoped_by() passes the address of a variable to a
 * function, and scoped frees what a pointer points to: scoped char *path = xasprintf(...).
 */
#define scoped_by(function) __attribute__((cleanup(function)))
#define scoped scoped_by(free_scoped)
void free_scoped(void *pointer);

/* Copy of a string; the caller frees with free(). NULL gives NULL. */
char *xstrdup(const char *s);

/* printf into fresh memory; the caller frees with free(). */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/*
 * Puts `more`, unless it is NULL, after *text, which the caller owns and may be NULL, with `joint`
 * between unless *text is empty. xappend_own() frees `more`; xappendf() has it from printf.
 */
void xappend(char **text, const char *joint, const char *more);
void xappend_own(char **text, const char *joint, char *more);
void xappendf(char **text, const char *joint, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A growing list; NULL follows its last text. */
struct texts {
	char **v;               /* [n], owned */
	size_t n;
};

/* Adds a copy, the text itself, which is taken over, or a text from printf. */
void texts_put(struct texts *list, const char *text);
void texts_put_own(struct texts *list, char *text);
void texts_putf(struct texts *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void texts_release(struct texts *list);

/* True when a text of the list is equal to this one. */
bool texts_have(const struct texts *list, const char *text);

/* Order of qsort() and bsearch() of an array of texts: that of their bytes. */
int texts_order(const void *a, const void *b);

/*
 * open_memstream(3), and its end: fclose(), after which *text belongs to the caller, who frees it
 * with free().
 */
FILE *xmemstream(char **text, size_t *size);
void xmemclose(FILE *f);

/* Returns p, or dies when it is NULL: for memory that a library allocated for `what`. */
void *must_have(void *p, const char *what);

/*
 * Free bytes of the folder in which MPI libraries put shared memory, and that folder's name:
 * /dev/shm, unless the environment names another for Open MPI. HUGE_VAL: unknown.
 */
double mem_shared_left(const char **folder);

/* Advice for the user if mem_shared_left() is too small. */
#define MEM_SHARED_ADVICE "Remove what fills it, or have a larger one ('docker run " \
	"--shm-size=1g', 'mount -o remount,size=1g /dev/shm')"

/* Ends the process with die(): no memory for `what`. */
_Noreturn void out_of_memory(const char *what);

/* Zeroed vector of n floats, 64-byte aligned; the caller frees with free(). */
float *vec_new(size_t n);

/*
 * Zeroed array of n elements, aligned to a cache line. A large one asks for huge pages: they save
 * TLB misses in code with random access. The caller frees with free().
 */
void *xlines(size_t n, size_t size);

/* xlines() of which the caller sets all bytes. */
void *xlines_unset(size_t n, size_t size);

/* xcalloc() of an array of which nearly all will be used: a large one asks for huge pages. */
void *xcalloc_whole(size_t n, size_t size);

/*
 * Whether large arrays ask for huge pages from now on; they do until told otherwise. Huge pages
 * save TLB misses, but where a virtual machine must get them from its host, their first use takes
 * several times as long as that of small ones.
 */
void mem_huge_pages(bool wanted);

/*
 * arena - memory that lives as long as a run and is freed in one call.
 * struct arena a = {0}; is an empty arena. Blocks are zeroed and 64-byte aligned.
 */
struct arena_block;
struct arena {
	struct arena_block *last;
	size_t used, capacity;  /* bytes, in the last block */
};

/* n * size zeroed bytes owned by the arena. */
void *arena_alloc(struct arena *a, size_t n, size_t size);

/* Frees every block; the arena is empty again. */
void arena_release(struct arena *a);

#endif
