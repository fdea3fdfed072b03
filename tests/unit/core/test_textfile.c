/* Texts of users: marks, ends of lines, zero bytes; records with quotes, names and units. */
#include "core/base/mem.h"
#include "core/file/csv.h"
#include "core/file/textfile.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static void is_clean(const char *bytes, size_t n, const char *want)
{
	char *text = xcalloc(n + 1, 1);

	memcpy(text, bytes, n);
	assert_int_equal(textfile_clean("file", text, n), 0);
	assert_string_equal(text, want);
	free(text);
}

static void is_no_text(const char *bytes, size_t n, const char *says)
{
	char *text = xcalloc(n + 1, 1);

	memcpy(text, bytes, n);
	capture_start();
	assert_int_equal(textfile_clean("file", text, n), -1);
	assert_said(says);
	capture_stop();
	free(text);
}

static void marks_and_ends_of_lines(void **state)
{
	is_clean("", 0, "");
	is_clean("a\nb", 3, "a\nb");
	is_clean("\xef\xbb\xbf" "a\r\nb\r\r\nc\r", 12, "a\nb\n\nc\n");
	is_clean("a\xef\xbb\xbf", 4, "a\xef\xbb\xbf");
	is_no_text("\xff\xfe" "a\0", 4, "file:1: a text in UTF-16");
	is_no_text("\xfe\xff\0a", 4, "file:1: a text in UTF-16");
	is_no_text("\xff\xfe\0\0", 4, "file:1: a text in UTF-32");
	is_no_text("a\0\n\0", 4, "file:1: a zero byte at offset 1 (");
	is_no_text("a\r\nb\rc\n\0", 8, "file:4: a zero byte at offset 7 (");
	is_no_text("\0", 1, "file:1: a zero byte at offset 0 (");
	is_no_text("\211HDF\r\n\032\n\0", 9, "file: the file is in the format of HDF5 (");
}

static void lines(void **state)
{
	char text[] = "a\n\nb", *rest = text;

	assert_string_equal(textfile_line(&rest), "a");
	assert_string_equal(textfile_line(&rest), "");
	assert_string_equal(textfile_line(&rest), "b");
	assert_null(textfile_line(&rest));
}

/* The records of a text, as "field|field\n", or what was said of them. */
static void is_split(const char *text, const char *want)
{
	char *copy = xstrdup(text), *got = xstrdup("");
	struct csv c;
	int ret;

	capture_start();
	csv_begin(&c, "file", copy);
	while ((ret = csv_next(&c)) > 0) {
		for (size_t i = 0; i < c.n; i++)
			xappend(&got, i ? "|" : "", c.field[i]);
		xappend_own(&got, "", xasprintf("@%zu ", c.line));
	}
	if (ret < 0)
		xappend(&got, "", capture_text());
	capture_stop();
	assert_string_equal(got, want);
	csv_release(&c);
	free(copy);
	free(got);
}

static void records(void **state)
{
	is_split("", "");
	is_split("\n  \n# a, b\n", "");
	is_split("a, b ,c\n1,,3\n\n4,5,", "a|b|c@1 1||3@2 4|5|@4 ");
	is_split("# a;b;c\na;1,5;c\n1,5e2;1,5,2;1,x\n", "a|1.5|c@2 1.5e2|1,5,2|1,x@3 ");
	is_split("a\tb\tc\n1,5\t2\t3\n", "a|b|c@1 1,5|2|3@2 ");
	is_split("a\tb\n1\t\n\t2\n", "a|b@1 1|@2 |2@3 ");
	is_split("\"a, b\" , \"c \"\"d\"\"\"\n\"x\ny\",2\n3,4\n", "a, b|c \"d\"@1 x\ny|2@2 3|4@4 ");
	is_split("\"a;b\";\"\"\n", "a;b|@1 ");
	is_split("a,b\n\"1,2\n3,4\n", "a|b@1 error: file:2: this quoted field has no end "
		 "(expected '\"')\n");
	is_split("\"a\"b,c\n", "error: file:1: text after a quoted field (expected ',')\n");
}

static const char *const ranks[] = { "worker", "rank", NULL };
static const char *const times[] = { "seconds", "duration", "time_s", NULL };

/* Which fields of a header are the worker and the seconds, and how many of a unit are a second. */
static void is_found(const char *header, size_t worker, size_t seconds, double per_second)
{
	struct csv_column column[] = {
		{ .name = "worker", .names = ranks },
		{ .name = "seconds", .names = times, .time = true, .any_time = true },
	};
	char *copy = xstrdup(header);
	struct csv c;

	csv_begin(&c, "file", copy);
	assert_int_equal(csv_header(&c, column, 2), 0);
	assert_int_equal(column[0].at, worker);
	assert_int_equal(column[1].at, seconds);
	assert_near(column[1].per_second, per_second, 0.0);
	csv_release(&c);
	free(copy);
}

static void names_and_units(void **state)
{
	is_found("worker,seconds", 0, 1, 1.0);
	is_found("Seconds;x;RANK", 2, 0, 1.0);
	is_found("rank,worker,duration", 1, 2, 1.0);
	is_found("rank,worker,duration_ms,seconds", 1, 3, 1.0);
	is_found("duration,rank,seconds", 1, 2, 1.0);
	is_found("duration_ms,worker", 1, 0, 1e3);
	is_found("Duration (us),worker", 1, 0, 1e6);
	is_found("duration [ns],worker", 1, 0, 1e9);
	is_found("duration \xc2\xb5s,worker", 1, 0, 1e6);
	is_found("worker,ms", 0, 1, 1e3);
	is_found("worker,time-s,other_ms", 0, 1, 1.0);
	is_found("worker,anything_us", 0, 1, 1e6);
	is_found("worker,one_us,two_us", 0, CSV_NONE, 1.0);
	is_found("worker,comm_us", 0, CSV_NONE, 1.0);
	is_found("worker,Data Time (ms)", 0, CSV_NONE, 1.0);
	is_found("worker,all-reduce_ms,forward_ms", 0, 2, 1e3);
	is_found("worker,time", 0, CSV_NONE, 1.0);
	is_found("", CSV_NONE, CSV_NONE, 1.0);
}

static void headers(void **state)
{
	assert_true(csv_has_header("worker,step\n"));
	assert_true(csv_has_header("# 1\n\n \"a b\";c\n"));
	assert_false(csv_has_header("# a,b\n1,2\n"));
	assert_false(csv_has_header("-1e-3\tb\n"));
	assert_false(csv_has_header("one two\n"));
	assert_false(csv_has_header(""));
}

static void rows(void **state)
{
	struct csv_column column[] = {
		{ .name = "worker", .names = ranks },
		{ .name = "seconds", .names = times, .time = true },
	};
	char text[] = "worker;duration_ms;note\n3;250;a\n3;1.000,25;\n1.5;nan;\n1\n";
	int64_t worker;
	double seconds;
	struct csv c;

	csv_begin(&c, "file", text);
	assert_int_equal(csv_header(&c, column, 2), 0);
	assert_int_equal(csv_need(&c, column, 2), 0);
	assert_int_equal(csv_row(&c), 1);
	assert_int_equal(csv_int(&c, &column[0], &worker), 0);
	assert_int_equal(worker, 3);
	assert_int_equal(csv_double(&c, &column[1], &seconds), 0);
	assert_near(seconds, 0.25, 0.0);
	capture_start();
	assert_int_equal(csv_row(&c), 1);
	assert_int_equal(csv_double(&c, &column[1], &seconds), -1);
	assert_said("file:3: column 'duration_ms': '1.000,25' is no number. Write a decimal point");
	assert_int_equal(csv_row(&c), 1);
	assert_int_equal(csv_int(&c, &column[0], &worker), -1);
	assert_said("file:4: column 'worker': '1.5' is no whole number");
	assert_int_equal(csv_row(&c), -1);
	assert_said("file:5: 1 field, but the header names 3 columns");
	capture_stop();
	csv_release(&c);
}

RUN_ALL(marks_and_ends_of_lines, lines, records, names_and_units, headers, rows)
