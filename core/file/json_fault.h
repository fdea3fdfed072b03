/* The first position where a text is not JSON, and why. */
#ifndef CORE_FILE_JSON_FAULT_H
#define CORE_FILE_JSON_FAULT_H

struct json_fault {
	const char *at;         /* in the text; NULL: the text is JSON */
	const char *why;
};

/* Judges the text by RFC 8259, nesting by recursion, numbers by what a double holds. */
struct json_fault json_fault(const char *text);

#endif
