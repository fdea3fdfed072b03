/*
 * completion.c - `convoy completion bash|zsh|fish`: the scripts that ask `convoy complete`. They
 * stand in completion/ too, from where they are installed.
 */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/text/word.h"

#include <stdio.h>
#include <string.h>

static const char bash[] =
	"# Completion of convoy for bash, which asks 'convoy complete'.\n"
	"_convoy()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} words word about cut\n"
	"\tread -ra words <<<\"$line\"\n"
	"\t[[ $line == *[[:space:]] ]] && words+=(\"\")\n"
	"\tword=${words[-1]}\n"
	"\t# Readline takes a word to begin after its last ':' or '='.\n"
	"\tcut=${word%\"${word##*[:=]}\"}\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS=$'\\t' read -r word about; do\n"
	"\t\tword=${word#\"$cut\"}\n"
	"\t\t# Of a list that is only shown, and not typed, each word says what it is.\n"
	"\t\t[[ ${COMP_TYPE-} == 63 && $about ]] && word+=\"  ($about)\"\n"
	"\t\tCOMPREPLY+=(\"$word\")\n"
	"\tdone < <(\"${words[0]}\" complete \"${words[@]:1}\" 2>/dev/null)\n"
	"\t[[ ${#COMPREPLY[@]} -eq 1 ]] && COMPREPLY[0]=${COMPREPLY[0]%%  (*}\n"
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
	"\tlocal -a open closed open_texts closed_texts\n"
	"\tlocal found line word text\n"
	"\tfound=$(\"${words[1]}\" complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
	"\tfor line in \"${(@f)found}\"; do\n"
	"\t\tword=${line%%$'\\t'*}\n"
	"\t\ttext=$word\n"
	"\t\t[[ $line == *$'\\t'* ]] && text=\"$word  -- ${line#*$'\\t'}\"\n"
	"\t\tcase $word in\n"
	"\t\t'') ;;\n"
	"\t\t*[:=/]) open+=(\"$word\") open_texts+=(\"$text\") ;;\n"
	"\t\t*) closed+=(\"$word\") closed_texts+=(\"$text\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tif ((! ${#open} && ! ${#closed})); then\n"
	"\t\t_files\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t((${#open})) && compadd -Q -l -S '' -d open_texts -a open\n"
	"\t((${#closed})) && compadd -Q -l -d closed_texts -a closed\n"
	"}\n"
	"# Loaded from a folder of fpath, the file is the function; sourced, "
	"it is bound to the command.\n"
	"if [[ ${funcstack[1]-} == _convoy ]]; then\n"
	"\t_convoy \"$@\"\n"
	"else\n"
	"\t(($+functions[compdef])) || { autoload -Uz compinit && compinit -i; }\n"
	"\tcompdef _convoy convoy\n"
	"fi\n";

static const char fish[] =
	"# Completion of convoy for fish, which asks 'convoy complete'.\n"
	"function __convoy_complete\n"
	"    set -l words (commandline -opc)\n"
	"    set -l word (commandline -ct)\n"
	"    set -l found ($words[1] complete $words[2..-1] \"$word\" 2>/dev/null)\n"
	"    if test (count $found) -gt 0\n"
	"        printf '%s\\n' $found\n"
	"    else\n"
	"        __fish_complete_path \"$word\"\n"
	"    end\n"
	"end\n"
	"complete -c convoy -f -a '(__convoy_complete)'\n";

static const char completion_about[] =
	"Prints the script that teaches a shell to complete commands, options, settings and their\n"
	"values: experiments and their scales, algorithms, nets, data, clusters, files, and the\n"
	"options after NAME:. zsh and fish say what each is; bash does in the list that a second\n"
	"Tab shows. Installing convoy installs the script. Otherwise, for good:\n"
	"\n"
	"  bash   a line in ~/.bashrc:  source <(convoy completion bash)\n"
	"  zsh    a line in ~/.zshrc:   source <(convoy completion zsh)\n"
	"         or in a folder of fpath, before compinit: the output, as a file _convoy\n"
	"  fish   once:  convoy completion fish > ~/.config/fish/completions/convoy.fish\n"
	"\n"
	"Examples:\n"
	"  source <(convoy completion bash)\n"
	"  convoy completion zsh > ~/.zfunc/_convoy";

static int script_print(const struct args *a)
{
	static const char *const shells[] = { "bash", "zsh", "fish", NULL };
	static const char *const scripts[] = { bash, zsh, fish };

	if (a->nwords != 1)
		return args_usage(a, "no shell is named (bash, zsh or fish)");
	for (size_t i = 0; shells[i]; i++)
		if (strcmp(a->words[0], shells[i]) == 0)
			return fputs(scripts[i], stdout) < 0 ? EXIT_DIE : EXIT_OK;
	word_unknown(NULL, "shell", a->words[0], shells);
	return EXIT_USAGE;
}

int cmd_completion(int argc, char **argv)
{
	struct args a = { .about = completion_about, .usage = "completion bash|zsh|fish" };

	return args_main(&a, argc, argv, script_print);
}
