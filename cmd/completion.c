/* `convoy completion bash|zsh|fish`: the scripts in completion/, which ask `convoy complete`. */
#include "cmd/cmd.h"

#include "cmd/args.h"
#include "core/base/error.h"
#include "core/file/paths.h"
#include "core/text/word.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	static const char *const files[] = { "completion/bash/convoy", "completion/zsh/_convoy",
					     "completion/fish/convoy.fish" };
	char *text;
	int code;

	if (a->nwords != 1)
		return args_usage(a, "no shell is named (bash, zsh or fish)");
	for (size_t i = 0; shells[i]; i++) {
		if (strcmp(a->words[0], shells[i]) != 0)
			continue;
		text = path_shipped_text(files[i], "convoy completion");
		code = !text ? EXIT_BAD : fputs(text, stdout) < 0 ? EXIT_DIE : EXIT_OK;
		free(text);
		return code;
	}
	word_unknown(NULL, "shell", a->words[0], shells);
	return EXIT_USAGE;
}

const struct syntax cmd_completion = {
	.usage = "completion bash|zsh|fish",
	.about = completion_about, .run = script_print,
};
