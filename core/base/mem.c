/* Allocation that ends the process when memory runs out, aligned vectors, and arenas. */
#define _DEFAULT_SOURCE         /* madvise() */
#include "core/base/mem.h"

#include "core/base/error.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ALIGN = 64, MEM_BLOCK = 1 << 16, MEM_LARGE = 1 << 23, HUGE_PAGE = 1 << 21 };

/* n * size + extra; dies on overflow. */
static size_t bytes_of(size_t n, size_t size, size_t extra)
{
	if (size && n > (SIZE_MAX - extra) / size)
		die("out of memory: %zu elements of %zu bytes", n, size);
	return n * size + extra;
}

static void *mem_must(void *p, size_t bytes)
{
	if (!p)
		die("out of memory: %zu bytes", bytes);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	size_t bytes = bytes_of(n, size, 0);

	return mem_must(calloc(1, bytes ? bytes : 1), bytes);
}

static bool wants_huge_pages = true;

void mem_huge_pages(bool wanted)
{
	wants_huge_pages = wanted;
}

/* Asks for huge pages where whole ones lie in p[bytes]. */
static void ask_for_huge_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	const uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	const uintptr_t to = ((uintptr_t)p + bytes) / HUGE_PAGE * HUGE_PAGE;

	if (wants_huge_pages && from < to)
		madvise((char *)p + (from - (uintptr_t)p), to - from, MADV_HUGEPAGE);
#else
	(void)p, (void)bytes;
#endif
}

void *xcalloc_whole(size_t n, size_t size)
{
	void *p = xcalloc(n, size);

	ask_for_huge_pages(p, n * size);
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	size_t bytes = bytes_of(n, size, 0);

	return mem_must(realloc(p, bytes ? bytes : 1), bytes);
}

void *xgrown(void *p, size_t n, size_t size)
{
	return (n & (n - 1)) == 0 ? xrealloc(p, n ? 2 * n : 1, size) : p;
}

void out_of_memory(const char *what)
{
	die("out of memory: %s", what);
}

void *must_have(void *p, const char *what)
{
	if (!p)
		out_of_memory(what);
	return p;
}

void texts_put_own(struct texts *list, char *text)
{
	list->v = xrealloc(list->v, list->n + 2, sizeof(*list->v));
	list->v[list->n++] = text;
	list->v[list->n] = NULL;
}

void texts_putf(struct texts *list, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	texts_put_own(list, xvasprintf(fmt, ap));
	va_end(ap);
}

void texts_put(struct texts *list, const char *text)
{
	texts_put_own(list, xstrdup(text));
}

void texts_release(struct texts *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i]);
	free(list->v);
	*list = (struct texts){ 0 };
}

bool texts_have(const struct texts *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i], text) == 0)
			return true;
	return false;
}

int texts_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

FILE *xmemstream(char **text, size_t *size)
{
	return must_have(open_memstream(text, size), "a text");
}

void xmemclose(FILE *f)
{
	if (fclose(f))
		out_of_memory("a text");
}

void free_each(void *const *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(p[i]);
}

void free_scoped(void *pointer)
{
	void *p;

	memcpy(&p, pointer, sizeof(p));
	free(p);
}

char *xstrdup(const char *s)
{
	size_t n;

	if (!s)
		return NULL;
	n = strlen(s) + 1;
	return memcpy(xcalloc(n, 1), s, n);
}

char *xvasprintf(const char *fmt, va_list ap)
{
	va_list again;
	char *s, small[256];    /* most texts are formatted once only */
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n < 0)
		BUG("cannot format '%s'", fmt);
	s = xcalloc((size_t)n + 1, 1);
	if ((size_t)n < sizeof(small))
		memcpy(s, small, (size_t)n);
	else
		vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void xappend(char **text, const char *joint, const char *more)
{
	const char *own = *text ? *text : "";
	char *longer;

	if (!more)
		return;
	longer = xasprintf("%s%s%s", own, *own ? joint : "", more);
	free(*text);
	*text = longer;
}

void xappend_own(char **text, const char *joint, char *more)
{
	xappend(text, joint, more);
	free(more);
}

void xappendf(char **text, const char *joint, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xappend_own(text, joint, xvasprintf(fmt, ap));
	va_end(ap);
}

/* Zeroed memory, aligned; at least one cache line, and whole ones. */
static void *mem_aligned(size_t bytes)
{
	void *p = NULL;

	if (posix_memalign(&p, ALIGN, bytes))
		die("out of memory: %zu bytes", bytes);
	memset(p, 0, bytes);
	return p;
}

static size_t whole_lines(size_t n, size_t size)
{
	size_t bytes = bytes_of(n, size, ALIGN - 1) / ALIGN * ALIGN;

	return bytes ? bytes : ALIGN;
}

float *vec_new(size_t n)
{
	return mem_aligned(whole_lines(n, sizeof(float)));
}

void *xlines_unset(size_t n, size_t size)
{
	const size_t bytes = whole_lines(n, size);
	void *p = NULL;

	if (posix_memalign(&p, bytes < HUGE_PAGE ? ALIGN : HUGE_PAGE, bytes))
		die("out of memory: %zu bytes", bytes);
	ask_for_huge_pages(p, bytes);
	return p;
}

void *xlines(size_t n, size_t size)
{
	return memset(xlines_unset(n, size), 0, whole_lines(n, size));
}

double mem_shared_left(const char **folder)
{
	const char *other = getenv("OMPI_MCA_osc_sm_backing_directory");
	struct statvfs s;

	*folder = other ? other : "/dev/shm";
	if (access(*folder, W_OK) < 0 || statvfs(*folder, &s) < 0)
		return HUGE_VAL;
	return (double)s.f_bavail * (double)s.f_frsize;
}

struct arena_block {
	struct arena_block *before;
	void *own;              /* the memory that the block is in */
	char pad[ALIGN - 2 * sizeof(void *)];
};

/* Blocks double up to MEM_LARGE, so that an arena of many small ones is in few. */
static void arena_grow(struct arena *a, size_t bytes)
{
	const size_t next = a->capacity < MEM_BLOCK ? MEM_BLOCK :
			    a->capacity < MEM_LARGE ? 2 * a->capacity : MEM_LARGE;
	const size_t capacity = bytes > next ? bytes : next;
	void *own = xcalloc_whole(1, bytes_of(capacity, 1, sizeof(struct arena_block) + ALIGN - 1));
	struct arena_block *block =
		(void *)((char *)own + (ALIGN - (uintptr_t)own % ALIGN) % ALIGN);

	block->before = a->last;
	block->own = own;
	*a = (struct arena){ .last = block, .capacity = capacity };
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes = whole_lines(n, size);
	char *p;

	if (bytes > a->capacity - a->used)
		arena_grow(a, bytes);
	p = (char *)(a->last + 1) + a->used;
	a->used += bytes;
	return p;
}

void arena_release(struct arena *a)
{
	while (a->last) {
		struct arena_block *before = a->last->before;

		free(a->last->own);
		a->last = before;
	}
	*a = (struct arena){ 0 };
}
