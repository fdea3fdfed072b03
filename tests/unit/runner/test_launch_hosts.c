/* Files of hosts in either launcher's form. */
#include "core/base/mem.h"
#include "runner/launch/hosts.h"
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
	assert_string_equal(read_and_remove(hosts_write_list("a:2,b,c:x", ':')), "a:2\nb\nc:x\n");
	assert_string_equal(read_and_remove(hosts_write_list("a:2,b", ' ')), "a slots=2\nb\n");
}

static void test_file(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/hosts", folder);
	FILE *f = fopen(path, "w");

	fputs("# all of them\nnode1 slots=4 max_slots=8\nnode2 slots = 2 # slow\n\nnode3\n", f);
	fclose(f);
	assert_true(hosts_file_differs(path, ':'));
	assert_false(hosts_file_differs(path, ' '));
	assert_string_equal(read_and_remove(hosts_write_file(path, ':')),
			    "node1:4\nnode2:2\nnode3\n");
	f = fopen(path, "w");
	fputs("node1:4\nnode2\n", f);
	fclose(f);
	assert_true(hosts_file_differs(path, ' '));
	assert_false(hosts_file_differs(path, ':'));
	assert_string_equal(read_and_remove(hosts_write_file(path, ' ')), "node1 slots=4\nnode2\n");
	unlink(path);
	capture_start();
	assert_null(hosts_write_file(path, ':'));
	capture_stop();
	assert_said("No such file");
	folder_remove(folder);
	free(path);
}

RUN_ALL(test_list, test_file)
