/* Files are found by kind and name, the user's paths win, and unknown names get advice. */
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/convoy-paths-XXXXXX";

static void put(const char *name)
{
	char *path = xasprintf("%s/%s", home, name), *dir = xstrdup(path);
	FILE *f;

	*strrchr(dir, '/') = '\0';
	assert_int_equal(dir_make(dir), 0);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("{}", f);
	fclose(f);
	free(path);
	free(dir);
}

static int make_home(void **state)
{
	if (!mkdtemp(home) || setenv("CONVOY_HOME", home, 1))
		return -1;
	put("experiments/one/quick-test.json");
	put("experiments/one/twice.json");
	put("experiments/two/twice.json");
	put("experiments/two/.hidden.json");
	put("experiments/two/notes.txt");
	put("nets/zoo/resnet20.json");
	return chdir(home);
}

static int drop_home(void **state)
{
	char *command = xasprintf("rm -rf '%s'", home);
	int rc = system(command);

	free(command);
	return rc;
}

static void expect(const char *kind, const char *name, const char *below_home)
{
	char *found = path_find(kind, name);
	char *path = xasprintf("%s/%s", home, below_home);

	assert_non_null(found);
	assert_string_equal(found, path);
	free(found);
	free(path);
}

static void refuse(const char *kind, const char *name, const char *message)
{
	capture_start();
	assert_null(path_find(kind, name));
	capture_stop();
	assert_said(message);
}

static void test_find(void **state)
{
	expect("experiments", "one/quick-test", "experiments/one/quick-test.json");
	expect("experiments", "quick-test", "experiments/one/quick-test.json");
	expect("experiments", "quick-test.json", "experiments/one/quick-test.json");
	expect("experiments", "two/twice", "experiments/two/twice.json");
	/* The home's net hides the one of the source tree. */
	expect("nets/zoo", "resnet20", "nets/zoo/resnet20.json");
}

/* A lesson needs no folder, whatever else has its name. */
static void test_lessons_win(void **state)
{
	put("experiments/tour/twice.json");
	expect("experiments", "twice", "experiments/tour/twice.json");
	expect("experiments", "twice.json", "experiments/tour/twice.json");
	expect("experiments", "one/twice", "experiments/one/twice.json");
	unlink("experiments/tour/twice.json");
	refuse("experiments", "twice", "'twice' is ambiguous: one/twice or two/twice?");
}

static void test_paths_of_the_user_win(void **state)
{
	char *found = path_find("experiments", "./nets/zoo/resnet20.json");

	assert_string_equal(found, "./nets/zoo/resnet20.json");
	free(found);
	put("quick-test.json");
	found = path_find("experiments", "quick-test.json");
	assert_string_equal(found, "quick-test.json");
	free(found);
	unlink("quick-test.json");
}

static void test_unknown_names(void **state)
{
	refuse("experiments", "quick-tset", "unknown experiment 'quick-tset', and no such file or "
					    "folder; did you mean 'quick-test'?");
	refuse("experiments", "one/quick-tests", "did you mean 'one/quick-test'?");
	refuse("experiments", "twice", "'twice' is ambiguous: one/twice or two/twice?");
	refuse("nets/zoo", "resnet21", "unknown net 'resnet21'; did you mean 'resnet20'?");
	refuse("sim/clusters", "../../etc/nothing", "cluster: cannot read '../../etc/nothing'");
	refuse("experiments", "", "unknown experiment ''");
	refuse("experiments", "/", "cannot read '/': Is a directory");
	refuse("experiments", "./nope.json",
	       "cannot read './nope.json': No such file or directory");
	refuse("experiments", "nope.json", "cannot read 'nope.json': No such file or directory");
	refuse("nets/zoo", "/x/resnet20",
	       "net: cannot read '/x/resnet20': No such file or directory");
	refuse("experiments", "experiments/one",
	       "cannot read 'experiments/one': Is a directory (expected the name or the "
	       "JSON file of an experiment)");
	refuse("experiments", "twice.json", "'twice' is ambiguous");
	refuse("experiments", "one", "unknown experiment 'one'; that is the folder of: "
				       "quick-test, twice");
	refuse("experiments", "eight", "unknown experiment 'eight', and no such file or folder; "
				       "'convoy list experiments' names all");
	put("nope");
	refuse("experiments", "nope", "unknown experiment 'nope', and the file of that name does "
				      "not end in .json; ");
	refuse("nets/zoo", "nope", "unknown net 'nope', and the file of that name does not end in "
				   ".json; ");
	unlink("nope");
	refuse("nets/zoo", "experiments", "unknown net 'experiments', and the folder of that name "
					  "is no JSON file; ");
	put("mine.json");
	refuse("nets/zoo", "mine", "unknown net 'mine'; the file is called 'mine.json'");
	unlink("mine.json");
}

/* How often name is in the list, which is sorted and holds no name twice. */
static int count(const char *kind, const char *name)
{
	char **names = path_list(kind);
	int n = 0;

	for (int i = 0; names[i]; i++) {
		if (i)
			assert_true(strcmp(names[i - 1], names[i]) < 0);
		n += !strcmp(names[i], name);
	}
	path_list_free(names);
	return n;
}

static void test_list(void **state)
{
	assert_int_equal(count("experiments", "two/twice"), 1);
	assert_int_equal(count("experiments", "two/.hidden"), 0);
	assert_int_equal(count("experiments", "two/notes"), 0);
	assert_int_equal(count("nets/zoo", "resnet20"), 1);
	path_list_free(NULL);
}

static void test_dir_list(void **state)
{
	char **paths = dir_list("experiments/two", "");

	assert_string_equal(paths[0], "experiments/two/notes.txt");
	assert_string_equal(paths[1], "experiments/two/twice.json");
	assert_null(paths[2]);
	path_list_free(paths);
	paths = dir_list("experiments/two", ".json");
	assert_string_equal(paths[0], "experiments/two/twice.json");
	assert_null(paths[1]);
	path_list_free(paths);
	errno = 0;
	assert_null(dir_list("experiments/three", ""));
	assert_int_equal(errno, ENOENT);
}

static void test_dir_make(void **state)
{
	struct stat st;

	assert_int_equal(dir_make("a/b//c/"), 0);
	assert_int_equal(dir_make("a/b/c"), 0);
	assert_int_equal(stat("a/b/c", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	capture_start();
	assert_int_equal(dir_make("nets/zoo/resnet20.json/x"), -1);
	assert_string_equal(capture_text(), "error: cannot make the folder "
			    "'nets/zoo/resnet20.json': a file is already there\n");
	assert_int_equal(dir_make("/proc/nothing/x"), -1);
	assert_int_equal(dir_make(""), -1);
	capture_stop();
}

static void test_file_read(void **state)
{
	enum { SIZE = 100000 };
	char *text = xcalloc(SIZE, 1), *back;
	FILE *f = fopen("big", "wb");
	size_t size;

	memset(text, 'x', SIZE);
	text[500] = '\0';
	fwrite(text, 1, SIZE, f);
	fclose(f);
	back = file_read("big", &size);
	assert_int_equal(size, SIZE);
	assert_memory_equal(text, back, SIZE);
	assert_int_equal(back[SIZE], 0);
	free(back);
	free(text);
	refuse("nets/zoo", "big", "unknown net");
	capture_start();
	assert_null(file_read("no/such", NULL));
	assert_said("'no/such'");
	capture_stop();
}

static void expect_text(char *got, const char *want)
{
	assert_string_equal(got, want);
	free(got);
}

static void test_bare_and_stem(void **state)
{
	expect_text(path_bare("a/net.json"), "a/net");
	expect_text(path_bare("a/net.JSON.x"), "a/net.JSON.x");
	expect_text(path_bare(".json"), ".json");
	expect_text(path_stem("a/b.json/net.json"), "net");
	expect_text(path_stem("net"), "net");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_lessons_win),
		cmocka_unit_test(test_paths_of_the_user_win),
		cmocka_unit_test(test_unknown_names),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_dir_list),
		cmocka_unit_test(test_dir_make),
		cmocka_unit_test(test_file_read),
		cmocka_unit_test(test_bare_and_stem),
	};

	return cmocka_run_group_tests(tests, make_home, drop_home);
}
