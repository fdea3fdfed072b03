#!/bin/bash
# QUICK
# An option whose field is of another type than it says does not compile.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }

# compiles KIND TYPE: an option of that kind for a field of that type.
compiles() {
	cat >"$work/opt.c" <<-END
		#include "core/text/opt.h"
		struct conf { char before; $2 field; };
		extern const struct opt opts[];
		const struct opt opts[] = { { .name = "o", OPT_AT($1, struct conf, field) }, { 0 } };
	END
	"$cc" -std=c11 -I "$CONVOY_SOURCE" -fsyntax-only "$work/opt.c" 2>"$work/err"
}

types=("bool" "int64_t" "double" "char *" "int" "struct opt_doubles")
kinds=(BOOL INT DOUBLE STRING ENUM DOUBLES)
for k in "${!kinds[@]}"; do
	for t in "${!types[@]}"; do
		if compiles "${kinds[k]}" "${types[t]}"; then
			[ "$k" = "$t" ] || { echo "FAILED: ${kinds[k]} takes ${types[t]}"; exit 1; }
		else
			[ "$k" != "$t" ] || { cat "$work/err"; exit 1; }
		fi
	done
done
