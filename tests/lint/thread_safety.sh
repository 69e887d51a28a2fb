#!/usr/bin/env bash
# thread_safety.sh [BUILD]: clang's -Wthread-safety over the sources that hold a mutex (engine/base/mutex.h). Guarded
# members are private, so it is enough to read those that include the header, themselves or in the header of their own
# name. Exit status 1 on a find, 77 where there is no clang. BUILD (build/release) holds compile_commands.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export commands=${1:-build/release}/compile_commands.json
compiler=$(command -v clang++-14 || command -v clang++) || { echo "not checked: there is no clang++ (package clang)"; exit 77; }
export compiler
[ -f "$commands" ] || { echo "there is no $commands: please configure first" >&2; exit 2; }

# The command that a source is built with; where it is built together with others (LACUNA_UNITE), that of its room.
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

# Of the flags that a source is built with: where its headers are, and what is defined.
flags_of() {
    command_of "$1" |
        sed 's/^ *"command": "//; s/",$//; s/\\"/"/g; s/\\\\/\\/g' | xargs printf '%s\n' |
        awk 'wait {wait = 0; print} /^-isystem$/ {wait = 1; print} /^-(I|D|std=)/'
}

# check SOURCE [FLAG...]: with the flags of SOURCE, or of a source of engine/base where it is built by nothing.
check() {
    local flags
    mapfile -t flags < <(flags_of "$1" || flags_of engine/base/log.cpp)
    "$compiler" -fsyntax-only "${flags[@]}" -Wno-everything -Wthread-safety -Werror=thread-safety "${@:2}" "$1"
}
export -f command_of flags_of check

# A check that lets mistakes pass is none.
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
