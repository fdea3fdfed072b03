/*
 * completion.c - `convoy completion bash|zsh`: the scripts that ask `convoy complete`. They stand
 * in completion/ too, from where they are installed.
 */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/error.h"
#include "core/word.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char bash[] =
	"# Completion of convoy for bash, which asks 'convoy complete'.\n"
	"_convoy()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} words word cut\n"
	"\tread -ra words <<<\"$line\"\n"
	"\t[[ $line == *[[:space:]] ]] && words+=(\"\")\n"
	"\tword=${words[-1]}\n"
	"\t# Readline takes a word to begin behind its last ':' or '='.\n"
	"\tcut=${word%\"${word##*[:=]}\"}\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r word; do\n"
	"\t\tCOMPREPLY+=(\"${word#\"$cut\"}\")\n"
	"\tdone < <(\"${words[0]}\" complete \"${words[@]:1}\" 2>/dev/null)\n"
	"\t[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=/] ]] &&\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\treturn 0\n"
	"}\n"
	"complete -o default -F _convoy convoy\n";

static const char zsh[] =
	"#compdef convoy\n"
	"# Completion of convoy for zsh, which asks 'convoy complete'.\n"
	"_convoy()\n"
	"{\n"
	"\tlocal -a found open closed\n"
	"\tfound=(\"${(@f)$(\"${words[1]}\" complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
	"\topen=(\"${(@M)found:#*[:=/]}\")\n"
	"\tclosed=(\"${(@)found:#*[:=/]}\")\n"
	"\topen=(\"${(@)open:#}\")\n"
	"\tclosed=(\"${(@)closed:#}\")\n"
	"\tif ((! ${#open} && ! ${#closed})); then\n"
	"\t\t_files\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t((${#open})) && compadd -Q -S '' -a open\n"
	"\t((${#closed})) && compadd -Q -a closed\n"
	"}\n"
	"_convoy \"$@\"\n";

static const char about[] =
	"Prints the script that teaches a shell to complete commands, options, settings and their\n"
	"values: experiments, algorithms, nets, data, clusters, and the options behind NAME:.\n"
	"An installed convoy has brought it along.\n"
	"\n"
	"Examples:\n"
	"  source <(convoy completion bash)\n"
	"  convoy completion zsh > ~/.zfunc/_convoy";

static int print_script(const char *shell)
{
	static const char *const shells[] = { "bash", "zsh", NULL };
	char *advice;

	if (strcmp(shell, "bash") == 0 || strcmp(shell, "zsh") == 0) {
		fputs(shell[0] == 'b' ? bash : zsh, stdout);
		return EXIT_OK;
	}
	advice = word_advice(shell, shells);
	error("unknown shell '%s'%s", shell, advice);
	free(advice);
	return EXIT_USAGE;
}

int cmd_completion(int argc, char **argv)
{
	struct args a = { .about = about, .usage = "completion bash|zsh" };
	int code;

	if (args_parse(&a, argc, argv, &code))
		code = a.nwords == 1 ? print_script(a.words[0])
				     : args_usage(&a, "which shell: bash or zsh?");
	args_release(&a);
	return code;
}
