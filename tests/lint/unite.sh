#!/usr/bin/env bash
# unite.sh: checks that packaging/cmake/unite.pl distinguishes the names that are private to a source, separates sources
# that share such a name, and divides the rest evenly. Exit status 77 without perl.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v perl >/dev/null || { echo "not checked: there is no perl"; exit 77; }
unite=packaging/cmake/unite.pl
shapes=tests/lint/unite/shapes
diff <(perl $unite --names $shapes.txt | sed 's/^[^:]*: //') $shapes.names

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# units BYTES NAME...: prints the unit of each source
units() { local bytes=$1; shift; perl $unite "$bytes" "${@/#/$work/}" | paste -sd ' '; }
expect() { [ "$1" = "$2" ] || { echo "$3: units $1, expected $2" >&2; exit 1; }; }
echo 'namespace { int hidden() { return 1; } }' >"$work/first"
echo 'namespace { int hidden() { return 2; } }' >"$work/second"
echo 'int shown(int x) { return x; }' >"$work/one_overload"
echo 'int shown(double) { return 0; }' >"$work/other_overload"
echo 'using Rows = int;' | tee "$work/alias" >"$work/same_alias"
echo 'using Rows = long;' >"$work/another_alias"
expect "$(units 9999 first second)" "0 1" "a name that both keep for themselves"
expect "$(units 9999 one_overload other_overload alias same_alias)" "0 0 0 0" "overloads, and one alias twice"
expect "$(units 9999 alias another_alias)" "0 1" "one alias of two types"
for i in 1 2 3 4 5 6; do printf 'int part%d() { return %d; }\n' $i $i >"$work/part$i"; done
expect "$(units 60 part1 part2 part3 part4 part5 part6)" "0 0 1 1 2 2" "six sources of 30 bytes, 60 at a time"
