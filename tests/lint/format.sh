#!/usr/bin/env bash
# format.sh [--fix] [FILE...]: lists every source that clang-format would change under .clang-format, or with --fix changes
# it. Without FILEs it checks all sources. Exit status 1 if a source differs, 2 for a FILE that is not a source, 77 without
# clang-format 14, because other versions format differently.
set -euo pipefail
fix=
[ "${1:-}" = --fix ] && { fix=1; shift; }
files=()
for file in "$@"; do
    [[ -f $file && $file =~ \.(h|cpp|inl)$ ]] || { echo "$file: not a source (.h, .cpp or .inl)" >&2; exit 2; }
    files+=("$(realpath "$file")")
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "not checked: there is no clang-format"; exit 77; }
[[ $("$tool" --version) == *"version 14."* ]] || { echo "not checked: $("$tool" --version) is not version 14"; exit 77; }
sources() {
    if [ ${#files[@]} -gt 0 ]; then printf '%s\0' "${files[@]}"; return; fi
    find engine app ui tests \( -name '*.h' -o -name '*.cpp' -o -name '*.inl' \) -print0 | sort -z
}
if [ -n "$fix" ]; then
    sources | xargs -0 -P "$(nproc)" -n 50 "$tool" -i --style=file
    exit
fi

differing=$(sources | xargs -0 -P "$(nproc)" -n 50 "$tool" --style=file --dry-run 2>&1 |
    sed -n 's/^\(.*\):[0-9]*:[0-9]*: warning: .*clang-format-violations.*/\1/p' | sort -u)
[ -z "$differing" ] && exit
printf '%s\n' "$differing"
echo "$(wc -l <<<"$differing") files differ from .clang-format; tests/lint/format.sh --fix changes them" >&2
exit 1
