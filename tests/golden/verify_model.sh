#!/bin/sh
# Usage: verify_model.sh SAKER MODEL BACKEND
# Runs `saker verify` on all cases of a model of the reference values: each compute type, each chunk size,
# each case alone and all in one batch. Exits 77 (skipped) where the reference values are not there.
set -eu
saker=$1 model=$2 backend=$3
goldens=../shared/goldens
[ -d "$goldens" ] || { echo "no $goldens beside the repository"; exit 77; }
# moe-a-release holds moe-a's weights in another layout and has no cases of its own.
cases=$goldens/${model%-release}/cases
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for compute in f32 bf16; do
    for chunk in 7 64 1000; do
        for together in "" --together; do
            "$saker" verify "$goldens/$model" "$cases"/* --backend "$backend" --compute $compute \
                --video-outer-pair --chunk $chunk $together > "$log" 2>&1 || {
                cat "$log"
                echo "FAILED: $model $backend $compute, chunks of $chunk $together"
                exit 1
            }
            tail -n 1 "$log"
        done
    done
done
