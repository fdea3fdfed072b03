/* Files that are complete or do not exist. */
#ifndef CORE_FILE_OUTPUT_H
#define CORE_FILE_OUTPUT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes bytes to a temporary file (PATH.new, or another name if another process writes that one)
 * and renames it to PATH. 0, or error() without a file left.
 */
int output_write(const char *path, const void *bytes, size_t n);

/* output_write(), but waits until the bytes are on the disk before it renames: slower. */
int output_final(const char *path, const void *bytes, size_t n);

struct output_piece {
	const void *bytes;      /* [n] */
	size_t n;
};

/* One of both for n pieces, one after another. */
int output_pieces(const char *path, const struct output_piece *pieces, size_t n, bool final);

/* output_write() for a string. */
int output_text(const char *path, const char *text);

/* output_text() of JSON and its end: a newline, or "", as results have always been. */
int output_json_file(const char *path, const cJSON *json, const char *end);

/* Prints JSON, each number in full, and a newline. */
void output_json(const cJSON *json, FILE *out);

/* Prints a text as JSON, in quotes. */
void output_quoted(const char *text, FILE *out);

/* temporary_was_full(): true when a write failed because the disk was full. */
bool output_full(void);

/* The exit code of a process that failed: EXIT_DIE instead of EXIT_BAD if output_full(). */
int output_code(int code);

#endif
