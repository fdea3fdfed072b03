/* Whether another process of this program has ended. */
#include "core/base/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* "3 (convoy) S ...": true of one that is a convoy, and has not ended. */
static bool is_at_work(const char *stat)
{
	const char *state = strrchr(stat, ')');

	return state && strstr(stat, "convoy") && state[1] == ' ' && !strchr("ZXx", state[2]);
}

bool process_gone(const char *host, pid_t pid)
{
	char path[64], text[256] = "";
	struct utsname here;
	FILE *in;

	if (!host || uname(&here) < 0 || strcmp(host, here.nodename) != 0 ||
	    access("/proc/self/stat", R_OK) != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	in = fopen(path, "r");
	if (in && !fgets(text, sizeof(text), in))
		text[0] = '\0';
	if (in)
		fclose(in);
	return !is_at_work(text);
}
