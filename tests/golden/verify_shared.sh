#!/bin/sh
# Usage: verify_shared.sh SAKER GOLDENS BACKEND
# verify_model.sh on each of the models in the folder GOLDENS; moe-a-release has moe-a's cases.
set -eu
saker=$1 goldens=$2 backend=$3
for model in moe-a moe-a-release dense-a; do
    "$(dirname "$0")/verify_model.sh" "$saker" "$goldens/$model" "$goldens/${model%-release}/cases" "$backend"
done
