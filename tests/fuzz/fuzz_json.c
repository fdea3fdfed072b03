/* Fuzzes the JSON parser. */
#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xcalloc(size + 1, 1);

	if (size)
		memcpy(text, data, size);
	cJSON_Delete(json_parse(text, "input"));
	free(text);
	return 0;
}
