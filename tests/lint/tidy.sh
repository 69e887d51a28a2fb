#!/usr/bin/env bash
# tidy.sh [MODULE...]: runs clang-tidy with .clang-tidy over the sources of these modules (engine/kv, ui, ...; default: all),
# and levels 0 and 1 of clazy over those of ui and app/state. Takes minutes per module and is not part of the test command.
# Prints each finding once and the number of findings of each kind; exit status 1 if there is one.
# BUILD (build/release) contains compile_commands.json and must be built, because Qt's generated headers are included.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${BUILD:-build/release}
rooms=("$@")
[ ${#rooms[@]} -gt 0 ] || mapfile -t rooms < <(printf '%s\n' engine/*/ app/*/ | sed 's/\/$//'; echo ui)

found=$(mktemp)
trap 'rm -f "$found"' EXIT
for room in "${rooms[@]}"; do
    mapfile -t sources < <(ls "$room"/*.cpp)
    nice clang-tidy -quiet -p "$build" --extra-arg=-Wno-unknown-warning-option "${sources[@]}" 2>/dev/null >>"$found" || true
    case $room in
    ui | app/state)
        CLAZY_HEADER_FILTER="/$room/" nice clazy-standalone -checks=level0,level1 --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error -p "$build" "${sources[@]}" 2>>"$found" >>"$found" || true
        ;;
    esac
done
findings=$(grep -E '(warning|error): .*\[[a-zA-Z0-9.,-]+\]$' "$found" | sort -u || true)
[ -z "$findings" ] && { echo "${rooms[*]}: nothing found"; exit; }
printf '%s\n' "$findings"
sed 's/.*\[\(.*\)\]$/\1/' <<<"$findings" | sort | uniq -c | sort -rn >&2
exit 1
