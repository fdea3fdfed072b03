/* Files that are whole or not there. */
#ifndef CORE_FILE_OUTPUT_H
#define CORE_FILE_OUTPUT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes bytes to a temporary file, PATH.new or one of its own where another process is at that
 * one, and renames it to PATH. 0, or error() and no temporary file.
 */
int output_write(const char *path, const void *bytes, size_t n);

/* The same, and the bytes are on the disk before they have their name: slower. */
int output_final(const char *path, const void *bytes, size_t n);

/* output_write() for a string. */
int output_text(const char *path, const char *text);

/* Prints JSON and a newline. */
void output_json(const cJSON *json, FILE *out);

/* temporary_was_full() */
bool output_full(void);

/* The exit code of a process that failed: EXIT_DIE instead of EXIT_BAD if output_full(). */
int output_code(int code);

#endif
