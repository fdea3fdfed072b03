/* Vectors are zeroed and aligned, arena blocks are disjoint, overflow ends the process. */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool all_zero(const void *p, size_t n)
{
	const unsigned char *c = p;

	for (size_t i = 0; i < n; i++)
		if (c[i])
			return false;
	return true;
}

static void test_small_helpers(void **state)
{
	char *s = xasprintf("%d-%s", 42, "x"), *copy = xstrdup(s), *empty = xcalloc(0, 8);

	assert_string_equal(s, "42-x");
	assert_string_equal(copy, s);
	assert_null(xstrdup(NULL));
	assert_non_null(empty);
	copy = xrealloc(copy, 1000, 1);
	assert_string_equal(copy, s);
	free(s);
	free(copy);
	free(empty);
}

static void test_texts_are_appended_after_a_joint(void **state)
{
	char *all = NULL;

	xappend(&all, ", ", "");
	assert_string_equal(all, "");
	xappend(&all, ", ", "a");
	assert_string_equal(all, "a");
	xappend_own(&all, ", ", xasprintf("%s2", all));
	assert_string_equal(all, "a, a2");
	xappend(&all, ", ", "");
	assert_string_equal(all, "a, a2, ");
	free(all);
}

static void test_vectors_are_aligned_and_zero(void **state)
{
	for (size_t n = 0; n < 40; n++) {
		float *v = vec_new(n);

		assert_int_equal((uintptr_t)v % 64, 0);
		assert_true(all_zero(v, n * sizeof *v));
		free(v);
	}
}

/* Blocks are disjoint: each keeps the byte written all over it. */
static void test_arena_blocks_are_disjoint(void **state)
{
	enum { N = 300 };
	struct arena a = { 0 };
	unsigned char *p[N];

	for (size_t i = 0; i < N; i++) {
		p[i] = arena_alloc(&a, i * 7, 3);
		assert_int_equal((uintptr_t)p[i] % 64, 0);
		assert_true(all_zero(p[i], i * 21));
		memset(p[i], (int)i % 255 + 1, i * 21);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < i * 21; k++)
			assert_int_equal(p[i][k], i % 255 + 1);
	arena_release(&a);
	assert_null(a.last);
}

static void test_arena_takes_blocks_larger_than_its_own(void **state)
{
	struct arena a = { 0 };
	char *small = arena_alloc(&a, 1, 1), *big = arena_alloc(&a, 1000, 1000);

	memset(big, 1, 1000000);
	assert_int_equal(*small, 0);
	arena_release(&a);
	small = arena_alloc(&a, 1, 1);
	assert_int_equal(*small, 0);
	arena_release(&a);
}

/* Blocks grow: the last of 40,000 small ones are in larger ones, and as clean as the first. */
static void test_arena_grows(void **state)
{
	enum { N = 40000, EACH = 1000 };
	struct arena a = { 0 };

	for (size_t i = 0; i < N; i++) {
		unsigned char *p = arena_alloc(&a, 1, EACH);

		assert_int_equal((uintptr_t)p % 64, 0);
		assert_true(p[0] == 0 && p[EACH / 2] == 0 && p[EACH - 1] == 0);
		p[0] = p[EACH / 2] = p[EACH - 1] = 1;
	}
	assert_true(a.capacity > 1 << 20);
	arena_release(&a);
}

/* All of it can be written, also where no whole huge page is in it. */
static void test_whole_arrays_are_zero(void **state)
{
	static const size_t sizes[] = { 0, 1, 4096, 1 << 21, 3 << 20, (5 << 20) + 7 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *p = xcalloc_whole(sizes[i], 1);

		assert_true(all_zero(p, sizes[i]));
		memset(p, 1, sizes[i]);
		free(p);
	}
}

static int status_of(void (*f)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		f();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void overflow_calloc(void)
{
	free(xcalloc(SIZE_MAX / 2, 3));
}

static void overflow_realloc(void)
{
	free(xrealloc(NULL, SIZE_MAX / 4 + 1, 4));
}

static void overflow_vec(void)
{
	free(vec_new(SIZE_MAX / sizeof(float)));
}

static void overflow_arena(void)
{
	struct arena a = { 0 };

	arena_alloc(&a, SIZE_MAX - 10, 1);
}

static void test_overflow_dies(void **state)
{
	assert_int_equal(status_of(overflow_calloc), EXIT_DIE);
	assert_int_equal(status_of(overflow_realloc), EXIT_DIE);
	assert_int_equal(status_of(overflow_vec), EXIT_DIE);
	assert_int_equal(status_of(overflow_arena), EXIT_DIE);
}

RUN_ALL(test_small_helpers, test_texts_are_appended_after_a_joint,
	test_vectors_are_aligned_and_zero, test_arena_blocks_are_disjoint,
	test_arena_takes_blocks_larger_than_its_own, test_arena_grows,
	test_whole_arrays_are_zero, test_overflow_dies)
