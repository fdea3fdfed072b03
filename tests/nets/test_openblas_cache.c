/* The file of measured lowerings: kept, found again, and damage left out with a note. */
#include "core/base/mem.h"
#include "nets/openblas/openblas.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/netcase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *folder, *path;

/* A home of its own: what the tests measure decides no other run. */
static int home_new(void **state)
{
	folder = folder_new();
	setenv("XDG_CACHE_HOME", folder, 1);
	path = ob_cache_path();
	return !path;
}

static int home_remove(void **state)
{
	free(path);
	folder_remove(folder);
	return 0;
}

static void check_found(const char *key, enum lowering forward, enum lowering backward)
{
	struct ob_choice c;

	assert_true(ob_cache_find(path, key, &c));
	assert_int_equal(c.forward, forward);
	assert_int_equal(c.backward, backward);
}

static void where(void **state)
{
	char *at;

	assert_string_equal(path + strlen(folder), "/convoy/lowering");
	setenv("XDG_CACHE_HOME", "not/absolute", 1);
	setenv("HOME", "/some/home", 1);
	at = ob_cache_path();
	assert_string_equal(at, "/some/home/.cache/convoy/lowering");
	free(at);
	unsetenv("HOME");
	assert_null(ob_cache_path());
	setenv("XDG_CACHE_HOME", folder, 1);
}

static void kept(void **state)
{
	struct ob_choice c;

	assert_false(ob_cache_find(path, "5x5x3 out 4", &c));
	ob_cache_add(path, "5x5x3 out 4", (struct ob_choice){ LOWERING_2, LOWERING_3 });
	ob_cache_add(path, "5x5x3 out 40", (struct ob_choice){ LOWERING_1, LOWERING_2 });
	check_found("5x5x3 out 4", LOWERING_2, LOWERING_3);
	check_found("5x5x3 out 40", LOWERING_1, LOWERING_2);
	ob_cache_add(path, "5x5x3 out 4", (struct ob_choice){ LOWERING_1, LOWERING_1 });
	check_found("5x5x3 out 4", LOWERING_1, LOWERING_1);
	check_found("5x5x3 out 40", LOWERING_1, LOWERING_2);
}

/* One letter of a line changed, a line cut off, a line from somewhere else. */
static void damaged(void **state)
{
	char text[4096], *at;
	struct ob_choice c;
	size_t n;
	FILE *f;

	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	at = strstr(text, "out 4\n");
	assert_non_null(at);
	at[4] = '5';
	folder_write(folder, "convoy/lowering", PACK_PLAIN, text, n);
	capture_start();
	assert_false(ob_cache_find(path, "5x5x3 out 5", &c));
	assert_said("is damaged; lines that are left out: 1");
	check_found("5x5x3 out 40", LOWERING_1, LOWERING_2);
	at = "0000000000000000 1 9 x\nhello\n\n";
	folder_write(folder, "convoy/lowering", PACK_PLAIN, at, strlen(at));
	assert_false(ob_cache_find(path, "x", &c));
	ob_cache_add(path, "y", (struct ob_choice){ LOWERING_3, LOWERING_3 });
	capture_stop();
	check_found("y", LOWERING_3, LOWERING_3);
}

/* A folder that cannot be is a note, not an end. */
static void nowhere(void **state)
{
	capture_start();
	ob_cache_add("/dev/null/convoy/lowering", "x", (struct ob_choice){ LOWERING_1, 0 });
	assert_said("cannot keep what was measured");
	capture_stop();
}

/* A key longer than a line of the file is not kept. */
static void too_long(void **state)
{
	static char key[3000];
	struct ob_choice c;

	memset(key, 'k', sizeof(key) - 1);
	ob_cache_add(path, key, (struct ob_choice){ LOWERING_1, LOWERING_1 });
	assert_false(ob_cache_find(path, key, &c));
}

/* `auto` keeps a choice for each geometry, and two contexts of any size are bit-identical. */
static void automatic(void **state)
{
	const struct backend_conf conf = { .lowering = LOWERING_AUTO };
	const struct netcase *nc = netcases;
	struct trial t;
	float *a, *b;
	void *one, *two;

	folder_unlink(folder, "convoy/lowering");
	trial_open(&t, nc);
	a = vec_new(t.g->dim);
	b = vec_new(t.g->dim);
	one = backend_openblas.open(t.g, &conf, t.n, NULL);
	two = backend_openblas.open(t.g, &conf, 5 * t.n, NULL);
	backend_openblas.grad(one, t.x, t.n, t.images, t.labels, 3, t.use, a, NULL);
	backend_openblas.grad(two, t.x, t.n, t.images, t.labels, 3, t.use, b, NULL);
	assert_memory_equal(a, b, t.g->dim * sizeof(*a));
	assert_int_equal(access(path, R_OK), 0);
	backend_openblas.close(one);
	backend_openblas.close(two);
	free(a);
	free(b);
	trial_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where), cmocka_unit_test(kept), cmocka_unit_test(damaged),
		cmocka_unit_test(nowhere), cmocka_unit_test(too_long), cmocka_unit_test(automatic),
	};

	return cmocka_run_group_tests(tests, home_new, home_remove);
}
