/* JSON written in a test with ' for ". */
#ifndef TESTS_SUPPORT_QUOTED_H
#define TESTS_SUPPORT_QUOTED_H

#include <cjson/cJSON.h>

/* Parses such a text; fails the test when it is no JSON. The caller frees with cJSON_Delete(). */
cJSON *quoted_json(const char *quoted);

#endif
