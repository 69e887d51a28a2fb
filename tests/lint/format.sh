#!/usr/bin/env bash
# format.sh [--fix] [FILE...]: names every source that clang-format would change by .clang-format, and fails where there
# is one; with --fix it changes them. Of the FILEs alone where some are named, else of all. Exit status 77 where there is
# no clang-format, 2 for a FILE that is no source. Versions differ in what they do: this is 14.
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
