/* Names and keys of the further numbers that a problem measures. */
#include "core/metric.h"

#include "core/text/word.h"

#include <ctype.h>
#include <stdio.h>

static const char prefix[] = "metric:";
enum { PREFIX = sizeof(prefix) - 1, NAME_MOST = METRIC_KEY - 1 - PREFIX };

bool metric_is_name(const char *name)
{
	size_t n = 0;

	if (isdigit((unsigned char)*name))
		return false;
	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	return n > 0 && n <= NAME_MOST && !name[n];
}

bool metric_is_key(const char *key)
{
	return word_starts(key, prefix) && metric_is_name(metric_name(key));
}

const char *metric_name(const char *key)
{
	return key + PREFIX;
}

void metric_key(char key[METRIC_KEY], const char *name)
{
	snprintf(key, METRIC_KEY, "%s%s", prefix, name);
}
