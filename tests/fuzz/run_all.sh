#!/usr/bin/env bash
# Runs every fuzz target for some seconds, from golden files as its corpus. Prints one line for each
# with the number of runs and of findings; exit status 1 if there are any. Findings are kept in
# FOLDER/finds.
#   tests/fuzz/run_all.sh SECONDS [BUILD [FOLDER [TARGET...]]]
# Defaults: BUILD build/fuzz (see tests/long-runs.md), FOLDER BUILD/corpus, all targets.
set -euo pipefail
seconds=${1:?seconds for each target}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${2:-$root/build/fuzz}" && pwd)
folder=${3:-$build/corpus}
golden=$root/tests/golden
mkdir -p "$folder/finds"
folder=$(cd "$folder" && pwd)
targets=("${@:4}")
[ ${#targets[@]} -gt 0 ] || targets=(gguf_fuzz safetensors_fuzz tokenizer_json_fuzz template_fuzz
    encode_fuzz grammar_fuzz schema_fuzz cache_fuzz page_fuzz transform_fuzz settings_fuzz report_fuzz)
[ $# -gt 3 ] || [ ! -x "$build/bin/http_fuzz" ] || targets+=(http_fuzz)

# Files of at most a megabyte, each under a unique name.
take() {
    local into=$1
    shift
    find "$golden" "$root/tests/fuzz/seeds" "$@" -type f -size -1024k -print 2>/dev/null |
        while read -r file; do
            cp -f "$file" "$into/$(printf '%s' "$file" | cksum | cut -d' ' -f1)"
        done
}

seed() {
    local into=$2
    case $1 in
        gguf_fuzz) take "$into" -name '*.gguf' ;;
        safetensors_fuzz) take "$into" '(' -name '*.safetensors' -o -name 'config.json' ')' ;;
        tokenizer_json_fuzz) take "$into" '(' -name 'tokenizer.json' -o -name 'tokenizer.model' ')' ;;
        template_fuzz) take "$into" -name '*.jinja' ;;
        encode_fuzz) take "$into" '(' -name '*.inp' -o -name '*.md' ')' ;;
        grammar_fuzz) take "$into" -name '*.gbnf' ;;
        schema_fuzz) take "$into" -name '*.schema.json' ;;
        cache_fuzz) take "$into" -name '*.cache' ;;
        page_fuzz) take "$into" -name '*.page' ;;
        transform_fuzz) take "$into" "(" -name "*.transform" -o -name "*.page" ")" ;;
        settings_fuzz) take "$into" '(' -name 'config.json' -o -name '*.settings.json' ')' ;;
        http_fuzz) take "$into" -name '*.http' ;;
        report_fuzz) take "$into" -path '*reports*' -name '*.json' ;;
    esac
}

failed=0
for target in "${targets[@]}"; do
    corpus=$folder/$target
    mkdir -p "$corpus"
    seed "$target" "$corpus"
    log=$folder/$target.log
    before=$(find "$folder/finds" -name "$target-*" | wc -l)
    status=0
    "$build/bin/$target" "$corpus" -max_total_time="$seconds" -malloc_limit_mb=256 \
        -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix="$folder/finds/$target-" >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    finds=$(($(find "$folder/finds" -name "$target-*" | wc -l) - before))
    if [ "$status" -ne 0 ] && [ "$finds" -eq 0 ]; then finds=1; fi
    echo "$target: ${runs:-0} runs, $finds finds$([ "$finds" -eq 0 ] || echo ", see $log")"
    [ "$finds" -eq 0 ] || failed=1
done
exit "$failed"
