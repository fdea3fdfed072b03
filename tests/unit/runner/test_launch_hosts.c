/* Files of hosts in either launcher's form. */
#include "core/base/mem.h"
#include "runner/launch/launch.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The text of a temporary file, which goes. */
static const char *read_and_remove(char *path)
{
	static char text[1024];
	FILE *f;

	assert_non_null(path);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	unlink(path);
	free(path);
	return text;
}

static void test_list(void **state)
{
	char *tidy = hosts_tidy(" a:2,\tb ,,c:1\n");

	assert_string_equal(read_and_remove(hosts_write_list("a:2,b,c:3", ':')), "a:2\nb:1\nc:3\n");
	assert_string_equal(read_and_remove(hosts_write_list("a:2,b", ' ')),
			    "a slots=2\nb slots=1\n");
	assert_string_equal(tidy, "a:2,b,c:1");
	free(tidy);
}

static void test_ranks_of_list(void **state)
{
	static const char *const wrong[] = { "a:x", "a:0", "a:-1", "a:", ":2", "a:2b", "a:1048577",
					     "a:99999999999", "", " ,\t," };

	assert_int_equal(hosts_ranks(NULL, NULL), 0);
	assert_int_equal(hosts_ranks("a:2,b:3", NULL), 5);
	assert_int_equal(hosts_ranks("a,b,a:4", NULL), 6);
	assert_int_equal(hosts_ranks("a:2\tb:3, c", NULL), 6);
	assert_int_equal(hosts_ranks("[fe80::1]:2,fe80::1,user@b:2", NULL), 5);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		capture_start();
		assert_int_equal(hosts_ranks(wrong[i], NULL), -1);
		capture_stop();
		assert_said("hosts: '");
	}
	capture_start();
	assert_int_equal(hosts_ranks("a:1048576,b", NULL), -1);
	capture_stop();
	assert_said("hosts: 1048577 ranks (expected at most 1048576)");
}

static char *path;

static void file_write(const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

/* The ranks of a file with that text. */
static int ranks_of(const char *text)
{
	file_write(text);
	return hosts_ranks(NULL, path);
}

static void assert_file(const char *text, char separator, const char *written)
{
	char *temporary;

	file_write(text);
	assert_int_equal(hosts_write_file(path, separator, &temporary), 0);
	if (written)
		assert_string_equal(read_and_remove(temporary), written);
	else
		assert_null(temporary);
}

static void assert_wrong(const char *text, const char *message)
{
	capture_start();
	assert_int_equal(ranks_of(text), -1);
	capture_stop();
	assert_said(message);
}

static const char open_mpi[] =
	"# all of them\nnode1 slots=4 max_slots=8\nnode2\tmax_slots=8 slots = 2 # slow\n\n";
static const char hydra[] = "node1:4\r\n#node9:4\nnode2 ifname=eth1\nnode1:1\n";

static void test_file(void **state)
{
	char *folder = folder_new();

	path = xasprintf("%s/hosts", folder);
	assert_int_equal(ranks_of(open_mpi), 6);
	assert_file(open_mpi, ':', "node1:4\nnode2:2\n");
	assert_file(open_mpi, ' ', NULL);
	assert_int_equal(ranks_of(hydra), 6);
	assert_file(hydra, ':', NULL);
	assert_file(hydra, ' ', "node1 slots=5\nnode2 slots=1 ifname=eth1\n");
	/* Open MPI would give a host without a number as many ranks as it has cores. */
	assert_int_equal(ranks_of("a\nb\na\n"), 3);
	assert_file("a\nb\na\n", ' ', "a slots=2\nb slots=1\n");
	assert_file("a\nb\na\n", ':', NULL);
	/* And it would refuse a second number. */
	assert_file("a slots=2\nb slots=1\na slots=1\n", ' ', "a slots=3\nb slots=1\n");
	assert_file("a max_slots=2\n", ' ', "a slots=1 max_slots=2\n");
	assert_wrong("a slots=2\nb slots=two\n", "hosts:2: a number of ranks is wrong");
	assert_wrong("a:0\n", "hosts:1: a number of ranks is wrong");
	assert_wrong("# none\n\n", "names no host (expected a host in each line)");
	unlink(path);
	capture_start();
	assert_int_equal(hosts_ranks(NULL, path), -1);
	capture_stop();
	assert_said("No such file");
	folder_remove(folder);
	free(path);
}

RUN_ALL(test_list, test_ranks_of_list, test_file)
