/*
 * again.h - plots of kept results, drawn again from their numbers.
 */
#ifndef CMD_REPORT_AGAIN_H
#define CMD_REPORT_AGAIN_H

/*
 * Draws every plot under the folder again, from the NAME.json that lies in a folder "plots", and
 * prints the paths of the pictures. 0 or error().
 */
int report_again(const char *folder);

#endif
