#!/bin/bash
# What is installed names no folder of its build, finds its experiments wherever it lies, and has its
# documents, licence and reference results, whose links hold. The build folder's own program finds the
# sources' experiments.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$CONVOY_BUILD" --prefix "$work/usr" >/dev/null
program=$work/usr/bin/convoy doc=$work/usr/share/doc/convoy

fail() {
	echo "FAIL: $*"
	exit 1
}

check_no_folder_of_the_build() {
	local folder
	for folder in "$CONVOY_SOURCE" "$CONVOY_BUILD"; do
		! grep -aoP "(?<![\w./-])\Q$folder\E(?![\w.-])[ -~]*" "$program" ||
			fail "the program names $folder"
	done
}

# lists PROGRAM: what it finds when called from elsewhere, without a word of where to look.
lists() {
	(cd / && for kind in experiments nets clusters; do
		env -u CONVOY_HOME "$1" list $kind
	done)
}

check_experiments() {
	lists "$program" >"$work/installed"
	lists "$CONVOY" >"$work/built"
	diff "$work/installed" "$work/built"
	mv "$work/usr" "$work/moved"
	lists "$work/moved/bin/convoy" | diff "$work/installed" -
	mv "$work/moved" "$work/usr"
	grep -q slow-worker "$work/installed" || fail "no experiments"
}

# What it prints and writes for its user comes with it.
check_texts() {
	(cd / && env -u CONVOY_HOME "$program" completion zsh) | cmp - "$CONVOY_SOURCE/completion/zsh/_convoy"
	mkdir "$work/new"
	(cd "$work/new" && env -u CONVOY_HOME "$program" new algo mine >/dev/null 2>&1)
	[ "$(ls "$work/new")" = "$(printf 'Makefile\nmine.c\ntest_mine.sh')" ] || fail "new algo: $(ls "$work/new")"
	! grep -r '@[A-Z_]*@' "$work/new" || fail "new algo leaves marks"
}

check_links() {
	local page link links=0
	while IFS=: read -r page link; do
		[ -e "$(dirname "$page")/$link" ] || fail "$page: $link is not installed"
		links=$((links + 1))
	done < <(cd "$doc" && grep -roE --include='*.md' '\]\([^)#]+' . | sed 's/](//' |
		grep -v ':https\?://' | sed "s,^\.,$doc,")
	[ "$links" -gt 100 ] || fail "only $links links"
}

check_no_folder_of_the_build
check_experiments
check_texts
check_links
cmp "$CONVOY_SOURCE/LICENSE" "$doc/LICENSE"
