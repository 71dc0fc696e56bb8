#!/bin/sh
# Usage: verify_rope.sh SAKER BACKEND COMPUTE
# Runs `saker verify` on every case beside this file, and on the case "yarn" with each other spelling of its
# configuration. Then holds the plain YaRN model, whose file has none of the further keys, against their cases:
# where one of those passes, a key is passed over.
set -eu
saker=$1 backend=$2 compute=$3
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/model.safetensors" models/demo/tokenizer*.json models/demo/*preprocessor_config.json \
    models/demo/generation_config.json models/demo/chat_template.jinja "$folder"

# Usage: verify CONFIG CASE CHUNK; prints on failure, and gives the program's status.
verify() {
    cp "$1" "$folder/config.json"
    status=0
    "$saker" verify "$folder" "$here/cases/$2" --backend "$backend" --compute "$compute" --chunk "$3" \
        > "$folder/log" 2>&1 || status=$?
    return $status
}
failed() {
    cat "$folder/log"
    echo "FAILED: $*"
    exit 1
}

for case in "$here"/cases/*/; do
    name=$(basename "$case")
    for chunk in 7 64 1000; do
        verify "$case/config.json" "$name" $chunk || failed "$name in chunks of $chunk"
    done
    echo "$name agrees"
done
for config in "$here"/spellings/*.json; do
    verify "$config" yarn 1000 || failed "yarn as $(basename "$config") spells it"
    echo "yarn agrees as $(basename "$config") spells it"
done
# In bf16 cosines are judged, which a small key may not move far enough.
[ "$compute" = f32 ] || exit 0
for case in "$here"/cases/*/; do
    name=$(basename "$case")
    [ "$name" != yarn ] || continue
    status=0
    verify "$here/cases/yarn/config.json" "$name" 1000 || status=$?
    [ $status -eq 1 ] || failed "$name does not notice that its key is missing (status $status)"
    grep -q "logits_tail.*FAILED" "$folder/log" || failed "$name fails for another reason"
done
echo "each case notices that its key is missing"
