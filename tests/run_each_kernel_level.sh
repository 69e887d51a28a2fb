#!/bin/bash
# Runs the engine's test programs once for every instruction set.
#
#   tests/run_each_kernel_level.sh [--bin FOLDER] [--emulate] [NAME ...]
#
# NAME is a module, as in lacuna_NAME_test; the default is all modules of the engine. The levels are the kernel tables
# of this machine, selected with LACUNA_KERNELS. --emulate answers with the test model and runs the named modules on
# emulated processors that lack the instructions (qemu-user: Nehalem has no AVX, Haswell nothing beyond AVX2), where
# an unavailable instruction terminates the program. Prints one line per program; fails if one fails.
set -u
bin=build/release/bin
emulate=0
names=()
while [ $# -gt 0 ]; do
    case $1 in
        --bin) bin=$2; shift ;;
        --emulate) emulate=1 ;;
        *) names+=("$1") ;;
    esac
    shift
done
failed=0

run_one() { # LEVEL PROGRAM COMMAND...
    local level=$1 program=$2
    shift 2
    local log start
    log=$(mktemp)
    start=$SECONDS
    "$@" "$program" --gtest_brief=1 >"$log" 2>&1
    local status=$?
    printf '%-18s %-28s %4d s  ' "$level" "$(basename "$program")" $((SECONDS - start))
    if [ $status -eq 0 ]; then
        grep -h '\[  PASSED' "$log" | tr -d '\n'
        echo " $(grep -h 'SKIPPED \] [0-9]' "$log")"
    else
        echo "FAILED, status $status"
        tail -30 "$log"
        failed=1
    fi
    rm -f "$log"
}

if [ $emulate -eq 1 ]; then
    command -v qemu-x86_64 >/dev/null || { echo "qemu-x86_64 is missing (package qemu-user)"; exit 2; }
    for cpu in Nehalem-v1:scalar Haswell-v4:avx2; do
        isa=${cpu#*:}
        cpu=${cpu%:*}
        found=$(qemu-x86_64 -cpu "$cpu" "$bin/lacuna-bench" bench resources/models/pilot-29m-q8_0.gguf --threads 1 \
            --repeat 1 --prefill 8 --decode 2 --no-compaction 2>/dev/null | sed -n 's/.*"isa": "\(.*\)".*/\1/p')
        if [ "$found" = "$isa" ]; then
            echo "emulated $cpu: answers with table $found"
        else
            echo "emulated $cpu: FAILED, expected an answer with table $isa, found \"$found\""
            failed=1
        fi
        for name in ${names[@]+"${names[@]}"}; do
            run_one "emulated $cpu" "$bin/lacuna_${name}_test" qemu-x86_64 -cpu "$cpu"
        done
    done
    exit $failed
fi

if [ ${#names[@]} -eq 0 ]; then
    for name in base tensor kernels linalg text format kv compress store model grammar generate quality \
        report session; do
        [ -x "$bin/lacuna_${name}_test" ] && names+=("$name")
    done
fi
tables=$("$bin/lacuna_kernels_test" --gtest_list_tests --gtest_filter='*GroupProducts*exact*')
for level in scalar avx2 avx512 avx512-vnni avx512-vnni-bf16; do
    grep -q "/${level//-/_} " <<<"$tables" || continue
    for name in "${names[@]}"; do
        run_one "$level" "$bin/lacuna_${name}_test" env LACUNA_KERNELS=$level
    done
done
exit $failed
