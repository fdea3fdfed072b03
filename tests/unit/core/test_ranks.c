/* Lists of ranks: what a text names, what is refused, what two lists share, and back to text. */
#include "core/base/mem.h"
#include "core/node.h"
#include "core/text/ranks.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static struct ranks_rule rule(const char *text, int workers)
{
	return (struct ranks_rule){ "who", text, "ranks before ':'", .workers = workers,
				    .end = ':' };
}

static struct rank_list taken(const char *text, int workers)
{
	struct ranks_rule r = rule(text, workers);
	struct rank_list ranks = { 0 };

	r.alone = r.server = true;
	assert_int_equal(ranks_take(&r, &text, &ranks), 0);
	assert_string_equal(text, "rest");
	return ranks;
}

static void is_put(const char *text, int workers, const char *want)
{
	struct rank_list ranks = taken(text, workers);
	char *got = NULL;
	size_t size;
	FILE *out = xmemstream(&got, &size);

	ranks_put(&ranks, out);
	xmemclose(out);
	assert_string_equal(got, want);
	ranks_release(&ranks);
	free(got);
}

static void refused(const char *text, int workers, const char *why)
{
	const struct ranks_rule r = rule(text, workers);
	struct rank_list ranks = { 0 };

	capture_start();
	assert_int_equal(ranks_take(&r, &text, &ranks), -1);
	capture_stop();
	if (!strstr(capture_text(), why))
		fail_msg("%s: %s", r.text, capture_text());
	ranks_release(&ranks);
}

static void lists_come_back(void **state)
{
	is_put("3:rest", 8, "3");
	is_put("0 , 4 - 7\t: rest", 8, "0,4-7");
	is_put("2-2,server: rest", 8, "2,server");
	is_put("0-7: rest", 1, "0");
	is_put("4-7,9: rest", 1, "");
}

static void bad_lists(void **state)
{
	static const char *const bad[] = { "", ":", "0", "0 x:", "0,:", "0,,1:", "-1:", "0-:",
					   "9999999999:" };

	refused("4-2: x", 8, "who '4-2: x': ranks 4-2: the first is the larger; did you mean 2-4?");
	refused("1,8: x", 8, "who '1,8: x': there is no rank 8 among 8 workers (ranks are 0 to 7)");
	refused("1: x", 1, "there is no rank 1 among 1 worker ");
	refused("server: x", 8, "who 'server: x': expected ranks before ':'");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i], 8, "expected ranks before ':'");
}

static void lists_share_ranks(void **state)
{
	struct rank_list a = taken("0-3,9,server: rest", 12), b = taken("4,2-8: rest", 12),
		     c = taken("10-11,server: rest", 12);

	assert_true(ranks_has(&a, 3) && ranks_has(&a, 9) && ranks_has(&a, SERVER));
	assert_false(ranks_has(&a, 4) || ranks_has(&b, SERVER));
	assert_int_equal(ranks_common(&a, &b), 2);
	assert_int_equal(ranks_common(&a, &c), SERVER);
	assert_int_equal(ranks_common(&b, &c), NO_PEER);
	assert_int_equal(ranks_twice(&a), NO_PEER);
	assert_int_equal(ranks_twice(&b), 4);
	ranks_release(&a);
	ranks_release(&b);
	ranks_release(&c);
}

RUN_ALL(lists_come_back, bad_lists, lists_share_ranks)
