#!/usr/bin/env bash
# thread_safety.sh [BUILD]: runs clang's -Wthread-safety over the sources that hold a mutex (engine/base/mutex.h). Guarded
# members are private, so it is enough to check the sources that include the header directly or in the header of the same
# name. Exit status 1 for a finding, 77 without clang. BUILD (build/release) contains compile_commands.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export commands=${1:-build/release}/compile_commands.json
compiler=$(command -v clang++-14 || command -v clang++) || { echo "not checked: there is no clang++ (package clang)"; exit 77; }
export compiler
[ -f "$commands" ] || { echo "there is no $commands: please configure first" >&2; exit 2; }

# Command that compiles a source; if sources are united (LACUNA_UNITE), the command of its module.
command_of() {
    grep -m 1 "\"command\":.* -c [^ ]*/${1//./\\.}\"" "$commands" && return
    local room
    room=$(dirname "$1")
    while [ "$room" != . ]; do
        grep -m 1 "\"command\":.* -o $room/CMakeFiles/[^ ]*/Unity/" "$commands" && return
        room=$(dirname "$room")
    done
    return 1
}

# Keeps the include paths and definitions among the flags that compile a source.
flags_of() {
    command_of "$1" |
        sed 's/^ *"command": "//; s/",$//; s/\\"/"/g; s/\\\\/\\/g' | xargs printf '%s\n' |
        awk 'wait {wait = 0; print} /^-isystem$/ {wait = 1; print} /^-(I|D|std=)/'
}

# check SOURCE [FLAG...]: checks with the flags of SOURCE, or with those of engine/base if SOURCE is in no target.
check() {
    local flags
    mapfile -t flags < <(flags_of "$1" || flags_of engine/base/log.cpp)
    "$compiler" -fsyntax-only "${flags[@]}" -Wno-everything -Wthread-safety -Werror=thread-safety "${@:2}" "$1"
}
export -f command_of flags_of check

# The check itself must detect mistakes.
example=tests/lint/unguarded.cpp
check $example
for mistake in 1 2 3; do
    if said=$(check $example "-DLACUNA_MISTAKE=$mistake" 2>&1) || ! grep -q 'Wthread-safety' <<<"$said"; then
        echo "$example: mistake $mistake passes" >&2
        exit 1
    fi
done

mapfile -t sources < <(
    grep -rl --include='*.h' --include='*.cpp' '#include "engine/base/mutex.h"' engine app ui |
        while read -r file; do [ -f "${file%.h}.cpp" ] && echo "${file%.h}.cpp" || echo "$file"; done | sort -u)
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I {} bash -o pipefail -c 'check {}' || exit 1
echo "${#sources[@]} sources that hold a mutex: nothing unguarded"
