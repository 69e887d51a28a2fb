#!/bin/bash
# Slow senders and readers against the server's deadlines, with slowhttptest (Debian package of the same name):
#   tests/clients/slow.sh [PROGRAM [MODEL]]
# 100 connections of each kind: slow heads (deadline 10 s), slow bodies (31 s), answers that are read 8 bytes at a time.
# The first two must be cut off at their deadlines, and other requests must be answered throughout.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${1:-$root/build/release/bin/lacuna}
model=${2:-$root/resources/models/pilot-29m-q8_0.gguf}
folder=$(mktemp -d)
"$program" serve "$model" --port 0 --set precision=fast >"$folder/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 600); do grep -q 'listening on' "$folder/log" && break; kill -0 $server || { cat "$folder/log"; exit 1; }; sleep 0.1; done
address=$(sed -n 's/.*listening on //p' "$folder/log")
missed=0
# attack NAME LEAST MOST OPTIONS...: expects the connections to close within LEAST to MOST seconds; 0 0: they may stay open
attack() {
    local name=$1 least=$2 most=$3 out ended unavailable
    shift 3
    out=$(slowhttptest -c 100 -r 100 -p 3 "$@" 2>&1 | sed 's/\x1b\[[0-9;]*m//g')
    ended=$(sed -n 's/.*Test ended on \([0-9]*\)th second.*/\1/p' <<<"$out")
    unavailable=$(grep -c 'service available: *NO' <<<"$out" || true)
    local told="$name: over after $ended s, unavailable $unavailable times"
    if [ "$unavailable" -ne 0 ] || { [ "$most" -ne 0 ] && { [ "$ended" -lt "$least" ] || [ "$ended" -gt "$most" ] || ! grep -q 'No open connections left' <<<"$out"; }; }; then
        told="$told  MISSED"
        missed=1
    fi
    echo "$told"
}
attack "heads that trickle (deadline 10 s)" 10 13 -H -i 2 -l 45 -x 10 -u "$address/health"
attack "bodies that trickle (deadline 31 s)" 30 34 -B -i 2 -l 60 -s 60000 -x 10 -t POST -f application/json -u "$address/tokenize"
attack "answers that are hardly read (20 s)" 0 0 -X -l 20 -w 1 -y 8 -n 2 -z 8 -k 3 -u "$address/metrics"
exit $missed
