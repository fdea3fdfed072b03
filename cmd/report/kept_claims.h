/*
 * kept_claims.h - verdicts of kept results, judged again by the specs as they are now.
 */
#ifndef CMD_REPORT_KEPT_CLAIMS_H
#define CMD_REPORT_KEPT_CLAIMS_H

/*
 * Rewrites FOLDER/PAPER/NAME/claims.json of every kept result, and prints the paths: from its
 * runs.json where that is kept; else the former verdict stays, except that a comparison of what
 * was learnt becomes undecided where nothing is known of its interval. 0 or error().
 */
int kept_claims_judge(const char *folder);

#endif
