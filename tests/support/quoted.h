/* JSON in a test's own text, with ' where JSON has ". */
#ifndef TESTS_SUPPORT_QUOTED_H
#define TESTS_SUPPORT_QUOTED_H

#include <cjson/cJSON.h>

/* Parses it; fails the test when it is no JSON. The caller frees with cJSON_Delete(). */
cJSON *quoted_json(const char *quoted);

#endif
