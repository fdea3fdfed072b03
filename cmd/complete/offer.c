/* What completion prints of a word that it offers, and options by their flags. */
#include "cmd/complete/complete.h"

#include "core/base/mem.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 90 };          /* of what a word is about, in bytes */

/* Bytes of the text's first line, up to a blank where it is long. */
static int about_shown(const char *about)
{
	size_t n = strcspn(about, "\t\r\n");

	if (n > LONGEST)
		for (n = LONGEST; n > 1 && about[n] != ' '; n--)
			;
	return (int)n;
}

/* A word that a shell takes as it is: the scripts put it on the command line unquoted. */
static bool offer_is_plain(const char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word <= ' ' || *word == 127 ||
		    strchr("'\"\\$`&;|<>()*?[]{}!#", *word))
			return false;
	return true;
}

void offer(struct stem s, const char *word, const char *tail, const char *about)
{
	const bool tells = about && *about;
	char *line;

	if (!offer_is_plain(word))
		return;
	for (size_t i = 0; s.text[i]; i++)
		if ((s.text[i] == '_' ? '-' : s.text[i]) != (word[i] == '_' ? '-' : word[i]))
			return;
	line = xasprintf("%.*s%s%s%s%.*s", s.n, s.lead, word, tail, tells ? "\t" : "",
			 tells ? about_shown(about) : 0, tells ? about : "");
	utf8_puts(line);
	free(line);
}

struct stem stem_after(struct stem s, const char *mark)
{
	const int n = s.n + (int)(mark - s.text) + 1;

	return (struct stem){ s.text == s.lead + s.n ? s.lead : s.text - s.n, n, mark + 1 };
}

const struct opt set_opts[] = {
	{ .name = "set", .type = OPT_STRING, .help = "KEY=VALUE, a setting of the runs" },
	{ .name = NULL }
};

void offer_flags(struct stem s, const struct opt *opts)
{
	for (; opts && opts->name; opts++) {
		char *flag = word_option(opts->name);

		if (!(opts->flags & OPT_HIDDEN))
			offer(s, flag, "", opts->help);
		free(flag);
	}
}

const struct opt *option_of(const struct args *a, const char *word)
{
	const char *name = word + strspn(word, "-");
	const struct opt *o = a->opts ? opt_find(a->opts, name) : NULL;

	if (word[0] != '-' || !*name)
		return NULL;
	if (!o && strcmp(name, "o") == 0 && a->opts)
		o = opt_find(a->opts, "out");
	if (!o && a->settings)
		o = opt_find(settings_opts, name);
	return o || !a->settings ? o : opt_find(set_opts, name);
}
