#!/bin/bash
# Measures how much compacted caches retain: every method at every ratio on dialogues with a fact to recall, and on
# running text, each against the uncompressed cache. `lacuna-bench bench-compression` does the work, with a few dialogues per
# process, so that it runs in several single-threaded processes; an interrupted process resumes, and a finished one is
# skipped. Figures do not depend on the number of processes. Writes OUT/recall.json (figures of all cells) and
# OUT/recall.md (tables by kind of dialogue).
#
# Usage: recall_cells.sh LACUNA_BENCH MODEL CASES.json OUT [EVERY [PROCESSES]]
#   EVERY      takes every n-th dialogue, which keeps the shares of kinds and lengths (4)
#   PROCESSES  number of concurrent processes (2)
# METHODS and RATIOS in the environment override those below.
set -euo pipefail
LACUNA=$(realpath "$1"); MODEL=$(realpath "$2"); CASES=$(realpath "$3"); OUT=$4; EVERY=${5:-4}; PROCESSES=${6:-2}
METHODS=${METHODS:-am,am-pinned:method=am:pin_percent=2,am-uniform,am-uniform-pinned:method=am:head_budgets=uniform:pin_percent=2,keydiff,keep_low,keep_high,recent,random}
RATIOS=${RATIOS:-2,4,8,16}
HERE=$(cd "$(dirname "$0")" && pwd)
TEXT=$HERE/../../resources/texts/our_mutual_friend.txt
mkdir -p "$OUT"; OUT=$(cd "$OUT" && pwd)

python3 "$HERE/recall_by_kind.py" slice --cases "$CASES" --every "$EVERY" --out "$OUT"
measure() {  # SLICE: running text is a slice of its own, the last
    local text=(--text "$TEXT" --text-limit 1)
    [ "$(basename "$1")" = text ] && text=(--text "$TEXT")
    "$LACUNA" bench-compression "$MODEL" --cases "$1/cases.json" "${text[@]}" --methods "$METHODS" --ratios "$RATIOS" \
        --set threads=1 --out "$1" > "$1/table.txt" 2> "$1/progress.txt" || { cat "$1/progress.txt" >&2; return 255; }
    echo "$(date +%T) $(basename "$1") done"
}
export -f measure; export LACUNA MODEL METHODS RATIOS TEXT
printf '%s\n' "$OUT"/slice-* "$OUT/text" | xargs -P "$PROCESSES" -I{} bash -c 'measure {}'
python3 "$HERE/recall_by_kind.py" table --model "$(basename "$MODEL")" --out "$OUT"
