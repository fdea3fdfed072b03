/* The man page. */
#ifndef CMD_MANUAL_H
#define CMD_MANUAL_H

/*
 * Prints the template, in which the lines @SYNOPSIS@, @OPTIONS@ and @SETTINGS@ stand for what the
 * option tables say. The exit code.
 */
int manual_print(const char *template);

#endif
