#!/bin/sh
# assemble.sh FOLDER MODULE VERSION OUT: one HTML file of the page's parts and the module.
set -eu
folder=$1 module=$2 version=$3 out=$4
{
	while IFS= read -r line; do
		case $line in
		*@STYLE@*) cat "$folder/page.css" ;;
		*@SCRIPT@*)
			printf 'const MODULE = "%s";\n' "$(base64 <"$module" | tr -d '\n')"
			printf 'const VERSION = "%s";\n' "$version"
			for part in module settings lessons timeline draw page; do
				cat "$folder/$part.js"
			done
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$folder/page.html"
} >"$out.new"
mv "$out.new" "$out"
