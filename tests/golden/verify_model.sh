#!/bin/sh
# Usage: verify_model.sh SAKER MODEL CASES BACKEND [COMPUTE...]
# Runs `saker verify` on every case of the folder CASES: each compute type (both where none is named), each
# chunk size, each case alone and all in one batch.
set -eu
saker=$1 model=$2 cases=$3 backend=$4
shift 4
[ $# -gt 0 ] || set -- f32 bf16
[ -d "$cases" ] || { echo "FAILED: no folder $cases"; exit 1; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for compute in "$@"; do
    for chunk in 7 64 1000; do
        for together in "" --together; do
            "$saker" verify "$model" "$cases"/*/ --backend "$backend" --compute "$compute" \
                --video-outer-pair --chunk $chunk $together > "$log" 2>&1 || {
                cat "$log"
                echo "FAILED: $model $backend $compute, chunks of $chunk $together"
                exit 1
            }
            tail -n 1 "$log"
        done
    done
done
