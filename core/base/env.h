/* Whole numbers from environment variables. */
#ifndef CORE_BASE_ENV_H
#define CORE_BASE_ENV_H

/*
 * The variable's whole number, 1 to `most`, in decimal digits alone; 0: it is not set, or
 * empty; -1: it holds something else.
 */
int env_count(const char *name, int most);

/* The same of a text; it must not be NULL. */
int text_count(const char *text, int most);

#endif
