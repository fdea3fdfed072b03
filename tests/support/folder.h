/* A folder for each test of a program: RUN_WITH(folder_open, folder_close, ...). */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include "tests/support/files.h"

extern char *folder;            /* the running test's; $CONVOY_DATA is not set */

int folder_open(void **state);
int folder_close(void **state);

#endif
