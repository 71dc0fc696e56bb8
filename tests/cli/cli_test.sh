#!/bin/bash
# Usage: cli_test.sh SAKER. Runs the commands on a small random checkpoint that `saker synth` writes, and feeds
# them what users get wrong. Each fault must give one line on stderr that starts with "saker: ", name what is
# wrong, leave stdout without half an answer, and exit with 2 (the caller) or 3 (the files).
set -u
saker=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$work/model
failures=0

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out" "$work/err"
    failures=$((failures + 1))
}

# expect CODE PATTERN COMMAND...: PATTERN must be in stdout (code 0) or in the one line of stderr.
expect() {
    local code=$1 pattern=$2
    shift 2
    timeout 120 "$@" > "$work/out" 2> "$work/err" < "${stdin:-/dev/null}"
    local got=$?
    [ $got = "$code" ] || { fail "exit code $got for $code: $*"; return; }
    if grep -q '[^.]\.\.$' "$work/err"; then fail "two full stops: $*"; fi
    if [ "$code" = 0 ]; then
        grep -qE -- "$pattern" "$work/out" || fail "no /$pattern/ on stdout: $*"
    else
        grep -qE -- "$pattern" "$work/err" || fail "no /$pattern/ on stderr: $*"
        [ "$(wc -l < "$work/err")" = 1 ] || fail "more than one line on stderr: $*"
        grep -q "^saker: " "$work/err" || fail "stderr does not start with saker: $*"
        [ ! -s "$work/out" ] || fail "half an answer on stdout: $*"
    fi
}

# broken FILE SED-SCRIPT: a copy of the model with one file changed; its path is in $copy.
broken() {
    copy=$work/broken
    rm -rf "$copy"
    cp -r "$model" "$copy"
    sed -i "$2" "$copy/$1"
}

# An answer of random weights may be blank, so "^" asks for a line and no more.
# --- What works ---------------------------------------------------------------------------------------
expect 0 "122 tensors" "$saker" synth examples/synth/config.json "$model"
expect 0 "qwen3_vl_moe" "$saker" inspect "$model"
expect 0 "released" "$saker" inspect "$model"
expect 0 "^" "$saker" run "$model" --image examples/pictures/shapes-1.png "What is this?" --max-tokens 8 --seed 1
first=$(cat "$work/out")
expect 0 "^" "$saker" run "$model" --image examples/pictures/shapes-1.png "What is this?" --max-tokens 8 --seed 1
[ "$first" = "$(cat "$work/out")" ] || fail "the same seed gave two answers"
expect 0 "^" "$saker" run "$model" --backend ref --compute f32 "Hello" --max-tokens 3
expect 0 "^" "$saker" run "$model" "Hello" --max-tokens 3 --stats
grep -q "tokens/s" "$work/err" || fail "--stats prints no rates"
mkdir "$work/frames"
for i in 0 1 2; do cp examples/pictures/shapes-1.png "$work/frames/$i.png"; done
expect 0 "^" "$saker" run "$model" --video-frames "$work/frames" --fps 2 "What moves?" --max-tokens 3
# Frames come in the order of their numbers: by bytes, frame_120 would stand before frame_30 and pink come first.
# A stray file is passed over, with a word if it is not hidden.
mkdir -p "$work/numbered/more"
number=0
for frame in examples/pictures/order/*.png; do
    number=$((number + 30))
    cp "$frame" "$work/numbered/frame_$number.png"
done
echo "A clip." > "$work/numbered/readme.txt"
echo "Bud1" > "$work/numbered/.DS_Store"
expect 0 "^gray, orange, pink$" "$saker" run models/demo --video-frames "$work/numbered" --fps 2 \
    "In which order do the colours come?"
grep -q 'numbered: passed over as no picture: "more" and "readme.txt"\.$' "$work/err" || fail "stray files are not named"
# A picture that is whole in a file that is not.
head -c -12 examples/pictures/shapes-1.png > "$work/endless.png"
expect 0 "^" "$saker" run "$model" --image "$work/endless.png" "What is this?" --max-tokens 3
grep -q "warning: Image 1 (.*endless.png): The image is whole, but its file ends early" "$work/err" ||
    fail "a PNG without its end chunk gives no warning"
expect 0 "^" "$saker" run "$model" --image tests/media/bmp8_rle.bmp "What is this?" --max-tokens 3
echo "Hello from stdin" > "$work/question"
stdin=$work/question expect 0 "^" "$saker" run "$model" --max-tokens 3
printf '{"text": "Hello world"}\n\n{"text": "\\u4f60\\u597d"}\n' > "$work/lines"
stdin=$work/lines expect 0 '"text": "Hello world"' "$saker" tokenize --tokenizer "$model/tokenizer.json"
grep -q '"text": "你好"' "$work/out" || fail "tokenize does not give Chinese text back"
echo '{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x.png"}},
 {"type": "text", "text": "Hi <|im_end|>"}]}]}' > "$work/request.json"
expect 0 '<\|vision_start\|><\|image_pad\|><\|vision_end\|>Hi' "$saker" render "$model" "$work/request.json"

# With a models/demo in the working folder, a question alone is enough, and a folder still is the model.
mkdir -p "$work/home/models"
ln -s "$model" "$work/home/models/demo"
expect 0 "^" env -C "$work/home" "$saker" run "Hello there" --max-tokens 3
expect 0 "^" env -C "$work/home" "$saker" run "$model" "Hello there" --max-tokens 3
expect 0 "qwen3_vl_moe" env -C "$work/home" "$saker" inspect

# The repository's own is found from elsewhere too.
expect 0 "qwen3_vl_moe" env -C "$work" "$saker" inspect
# Without one, neither beside the program nor here, a word that is no folder is no question.
mkdir "$work/lone"
cp "$saker" "$work/lone/saker"
expect 2 "No model is named" env -C "$work/lone" ./saker run hi
expect 2 "No model is named" env -C "$work/lone" ./saker eval
expect 2 "whole number" "$saker" eval "$model" --n 1e3

# What generation_config.json sets holds for an answer, and --generation-config none sets it aside.
cp -r models/demo "$work/settings"
ask=("$saker" run "$work/settings" --compute f32 "What is in the picture?")
settings() { sed "s/\"do_sample\": false,/&$1/" models/demo/generation_config.json > "$work/settings/generation_config.json"; }
settings ""
expect 0 "^a table with 2 rows and 2 columns$" "${ask[@]}"
settings '"stop_strings": [" and"], "max_new_tokens": 20,'
expect 0 "^a table with 2 rows$" "${ask[@]}"
expect 0 "^a table with$" "${ask[@]}" --stop " 2"
expect 0 "^a table with 2 rows and 2 columns$" "${ask[@]}" --generation-config none
settings '"max_new_tokens": 3, "suppress_tokens": [933, 17],'
expect 0 "^aYou are$" "${ask[@]}"
expect 0 "^aYou are welcome.$" "${ask[@]}" --max-tokens 30
settings '"no_repeat_ngrams_size": 2, "num_beams": 4,'
expect 3 "generation_config.json: .no_repeat_ngrams_size.*did you mean no_repeat_ngram_size.*--generation-config none" "${ask[@]}"
expect 0 "^a table with 2 rows and 2 columns$" "${ask[@]}" --generation-config none
settings '"num_beams": 4,'
expect 3 "num_beams asks for something that Saker does not do .beam search.*--generation-config none" "${ask[@]}"
settings '"max_length": 5,'
expect 2 "the model's own max_length allows 5" "${ask[@]}"
expect 2 "generation-config" "${ask[@]}" --generation-config frobnicate
rm -r "$work/settings"

# --- What the caller gets wrong: 2 ----------------------------------------------------------------------
expect 2 "subcommand" "$saker"
expect 2 "frobnicate" "$saker" run "$model" --frobnicate
expect 2 "temperature" "$saker" run "$model" --temperature 3 x
expect 2 "temperature" "$saker" run "$model" --temperature nan x
expect 2 "top-p" "$saker" run "$model" --top-p 0 x
expect 0 "^" "$saker" run "$model" --top-k -1 --max-tokens 3 x
expect 2 "top-k" "$saker" run "$model" --top-k -2 x
expect 2 "backend" "$saker" run "$model" --backend gpu x
expect 2 "fps" "$saker" run "$model" --video-frames "$work/frames" x
expect 2 "question" "$saker" run "$model"
expect 2 "no such file" "$saker" run "$model" --image "$work/none.png" x
expect 2 "Makefile: .*not of a supported kind" "$saker" run "$model" --image Makefile x
head -c 500 examples/pictures/shapes-1.png > "$work/cut.png"
expect 2 "Image 2 .*cut.png.: " "$saker" run "$model" --image examples/pictures/shapes-1.png --image "$work/cut.png" x
expect 2 "not a folder of pictures" "$saker" run "$model" --video-frames "$work/none" --fps 1 x
mkdir "$work/hollow"
expect 2 "hollow: is not a folder of pictures, it is empty" "$saker" run "$model" --video-frames "$work/hollow" --fps 1 x
cp Makefile README.md "$work/hollow"
expect 2 'it holds "Makefile" and "README.md"' "$saker" run "$model" --video-frames "$work/hollow" --fps 1 x
rm -r "$work/numbered/more" "$work/numbered/readme.txt"
: > "$work/numbered/frame_90.png"
expect 2 "Video 1, .*frame_90.png .3 of 6.: The image is empty" "$saker" run "$model" --video-frames "$work/numbered" --fps 2 x
cp tests/media/rgb.png "$work/numbered/frame_90.png"
expect 2 "Video 1, .*frame_90.png .3 of 6.: The image is 37 x 29, but the first frame is [0-9]+ x [0-9]+;" \
    "$saker" run "$model" --video-frames "$work/numbered" --fps 2 x
: > "$work/empty.png"
expect 2 "empty.png: The image is empty" "$saker" run "$model" --image "$work/empty.png" x
printf '\0\0\0\030ftypheic\0\0\0\0' > "$work/photo.jpg"
expect 2 "photo.jpg: The image is a HEIC picture.*heif-convert" "$saker" run "$model" --image "$work/photo.jpg" x
printf '\0\0\0\030ftypisom\0\0\0\0' > "$work/clip.mp4"
expect 2 "The image is a video .MP4.*ffmpeg.*--video-frames" "$saker" run "$model" --image "$work/clip.mp4" x
expect 2 "clip.mp4: is a video .MP4., not a folder" "$saker" run "$model" --video-frames "$work/clip.mp4" --fps 1 x
echo "<!DOCTYPE html><title>404</title>" > "$work/page.png"
expect 2 "page.png: The image is a web page" "$saker" run "$model" --image "$work/page.png" x
# A header of 30000 x 30000, and nothing behind it.
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30\010\2\0\0\0\0\0\0\0' > "$work/huge.png"
expect 2 "huge.png.: The image is 30000 x 30000, 900.0 megapixels; the limit is [0-9.]+ .--max-image-pixels" \
    "$saker" run "$model" --image "$work/huge.png" x
printf 'caf\xe9' > "$work/latin1"
stdin=$work/latin1 expect 2 "UTF-8" "$saker" run "$model"
long=$(printf 'word %.0s' $(seq 5000))
expect 2 "maximum context length is" "$saker" run "$model" "$long"
expect 2 "holds a checkpoint already" "$saker" synth examples/synth/config.json "$model"
echo '{"text": 5}' > "$work/lines"
stdin=$work/lines expect 2 "Line 1" "$saker" tokenize --tokenizer "$model/tokenizer.json"
echo '{"messages": []}' > "$work/request.json"
expect 2 "messages" "$saker" render "$model" "$work/request.json"
echo '{"messages": ' > "$work/request.json"
expect 2 "JSON" "$saker" render "$model" "$work/request.json"

expect 2 "max_tokens asks for" "$saker" run "$model" --max-tokens 9223372036854775807 x
expect 2 "whole number" "$saker" run "$model" --max-context -1 x
for fps in nan inf 0 1e-308; do
    expect 2 "fps: .$fps. is not a number from 0.001 to 1000" "$saker" run "$model" --video-frames "$work/frames" --fps $fps x
done
expect 2 "scale" "$saker" synth examples/synth/config.json "$work/none" --scale nan
stdin=/dev/zero expect 2 "64 MiB" "$saker" run "$model"
stdin=/dev/zero expect 2 "64 MiB" "$saker" render "$model" -
stdin=/dev/zero expect 2 "64 MiB" "$saker" tokenize --tokenizer "$model/tokenizer.json"
mkdir "$work/clip"
for i in $(seq 769); do ln examples/pictures/shapes-1.png "$work/clip/$i.png" 2> /dev/null || cp examples/pictures/shapes-1.png "$work/clip/$i.png"; done
expect 2 "more frames than the limit" "$saker" run "$model" --video-frames "$work/clip" --fps 1 x

# --- Streams that are closed, full or gone ---------------------------------------------------------------
expect 3 "output could not be written" bash -c "exec '$saker' run '$model' x > /dev/full"
expect 3 "output could not be written" bash -c "exec '$saker' run '$model' x >&-"
expect 3 "output could not be written" bash -c "exec '$saker' inspect '$model' > /dev/full"
stdin=$work/question expect 0 "^" bash -c "exec '$saker' run '$model' --max-tokens 3 2>&-"
# A closed stderr must not lend its number to the weight file.
expect 0 "122 tensors" bash -c "exec '$saker' synth examples/synth/config.json '$work/unheard' 2>&-"
cmp -s "$model/model.safetensors" "$work/unheard/model.safetensors" || fail "stderr was written into the weights"
# Ends when the reader is gone, long before the context is full.
timeout 60 "$saker" run "$model" --seed 1 --temperature 2 --stop never x 2> "$work/err" | head -c 1 > "$work/out"
[ "${PIPESTATUS[0]}" = 3 ] || fail "a reader that left was not noticed"
expect 3 "File too large" bash -c "ulimit -f 500; exec '$saker' synth examples/synth/config.json '$work/small'"
[ -z "$(ls "$work/small")" ] || fail "half a checkpoint was left"
expect 0 "^" "$saker" run "$model" "Hello" --max-tokens 3 --threads 1024
grep -q "more than this machine" "$work/err" || fail "--threads beyond the cores is taken silently"

# --- What is wrong with the files: 3 ---------------------------------------------------------------------
expect 3 "none: is not a folder" "$saker" run "$work/none" x
for file in config.json tokenizer.json preprocessor_config.json model.safetensors; do
    broken config.json ""
    rm "$copy/$file"
    expect 3 "$file" "$saker" run "$copy" x
    [ $file = model.safetensors ] && continue
    broken $file '1s/^/{/'
    expect 3 "$file" "$saker" run "$copy" x
done
broken config.json 's/"num_attention_heads": 4/"num_attention_heads": 0/'
expect 3 "config.json: text_config.num_attention_heads" "$saker" run "$copy" x
broken config.json 's/"num_attention_heads": 4/"num_attention_heads": 3/'
expect 3 "num_attention_heads" "$saker" run "$copy" x
broken config.json 's/"num_hidden_layers": 4/"num_hidden_layers": 1000000/'
expect 3 "num_hidden_layers" "$saker" run "$copy" x
broken config.json 's/"num_hidden_layers": 4/"num_hidden_layers": 5/'
expect 3 "layers.4" "$saker" run "$copy" x
broken config.json 's/"num_hidden_layers": 4/"num_hidden_layers": 3/'
expect 3 "layers.3" "$saker" run "$copy" x
broken config.json 's/"hidden_size": 64/"hidden_size": 128/'
expect 3 "hidden_size" "$saker" run "$copy" x
broken config.json 's/"patch_size": 16/"patch_size": 0/'
expect 3 "patch_size" "$saker" run "$copy" x
broken config.json 's/"model_type": "qwen3_vl_moe",/"model_type": "llama",/'
expect 3 "model_type" "$saker" run "$copy" x
broken config.json 's/"rope_theta": [0-9.]*/"rope_theta": NaN/'
expect 3 "config.json" "$saker" run "$copy" x
broken config.json 's/"rope_type": "default"/"rope_type": "yarn", "factor": 4, "attention_factor": "rubbish"/'
expect 3 "text_config.rope_scaling.attention_factor is not a number" "$saker" run "$copy" x
broken config.json 's/"rope_type": "default"/"rope_type": "yarn", "factr": 4/'
expect 3 "did you mean factor" "$saker" run "$copy" x
broken video_preprocessor_config.json 's/"size": {[^}]*}/"size": {"height": 64, "width": 64}/'
expect 3 "size.height asks for something" "$saker" run "$copy" x
broken config.json 's/"image_token_id": [0-9]*/"image_token_id": 3/'
expect 3 "image_token_id" "$saker" run "$copy" x
broken config.json ""
ln -sf nowhere.json "$copy/generation_config.json"
expect 3 "generation_config.json" "$saker" run "$copy" x
broken config.json ""
ln -sf nowhere.jinja "$copy/chat_template.jinja"
expect 3 "chat_template.jinja" "$saker" run "$copy" x
broken chat_template.jinja '3s/.*/{% if x | nonsense %}/'
expect 3 "chat_template.jinja: line 3: the filter 'nonsense' is not supported" "$saker" run "$copy" x
expect 0 "^" "$saker" run "$copy" x --chat-template instruct --max-tokens 1
expect 3 "nowhere.jinja: there is no such file" "$saker" run "$model" x --chat-template nowhere.jinja
echo '{"messages": [{"role": "user", "content": "q"}]}' > "$work/request"
echo '{{ messages[0].content }}!{{ raise_exception("no more") if tools }}' > "$work/mine.jinja"
expect 0 '"prompt": "q!"' "$saker" render "$model" "$work/request" --chat-template "$work/mine.jinja"
expect 0 'assistant.n<think>' "$saker" render "$model" "$work/request" --chat-template thinking
echo '{"messages": [{"role": "user", "content": "q"}], "tools": [{"type": "function", "function": {"name": "f"}}]}' > "$work/request"
expect 2 "no more" "$saker" render "$model" "$work/request" --chat-template "$work/mine.jinja"
broken preprocessor_config.json 's/"patch_size": 16/"patch_size": 8/; s/"temporal_patch_size": 2/"temporal_patch_size": 8/'
expect 3 "patch_size must equal that for images" "$saker" run "$copy" x
cp "$copy/preprocessor_config.json" "$work/sizes.json"
sed 's/Qwen2VLImageProcessorFast/Qwen3VLVideoProcessor/; s/image_processor_type/video_processor_type/' \
    "$work/sizes.json" > "$copy/video_preprocessor_config.json"
expect 3 "patch, temporal and merge sizes" "$saker" run "$copy" x
broken generation_config.json 's/"eos_token_id":.*/"eos_token_id": 99999,/'
expect 3 "generation_config.json" "$saker" run "$copy" x
broken config.json 's/"decoder_sparse_step": 1/"decoder_sparse_step": 2/'
expect 3 "gate_proj" "$saker" inspect "$copy"
broken preprocessor_config.json 's/"image_std": .0.5,/"image_std": [1e-300,/'
expect 3 "image_std" "$saker" run "$copy" x
for token in im_start im_end image_pad video_pad; do
    broken tokenizer.json "s/<|$token|>/<|lost|>/"
    expect 3 "$token" "$saker" run "$copy" x
    echo '{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x.png"}}]}]}' \
        > "$work/request.json"
    expect 3 "$token" "$saker" render "$copy" "$work/request.json"
done
# Links in a circle, pipes that nobody writes to, files without an end.
for file in preprocessor_config.json generation_config.json chat_template.jinja tokenizer_config.json SHA256SUMS; do
    for kind in circle pipe endless; do
        broken config.json ""
        rm -f "$copy/$file"
        case $kind in
            circle) ln -s $file "$copy/$file" ;;
            pipe) mkfifo "$copy/$file" ;;
            endless) ln -s /dev/zero "$copy/$file" ;;
        esac
        expect 3 "$file: cannot be read" "$saker" run "$copy" x
    done
done
broken config.json ""
ln -s gone "$copy/SHA256SUMS"
expect 3 "SHA256SUMS: is a link to gone" "$saker" run "$copy" x
expect 3 "too long" "$saker" run "$(printf 'x%.0s' $(seq 5000))" x
broken config.json ""
truncate -s -100 "$copy/model.safetensors"
expect 3 "model.safetensors" "$saker" run "$copy" x
truncate -s 4 "$copy/model.safetensors"
expect 3 "model.safetensors" "$saker" run "$copy" x
expect 3 "verify|case.json|golden" "$saker" verify "$model" "$work/none"
# A weight file that shrinks while an answer is written.
broken config.json ""
timeout 60 "$saker" run "$copy" --backend ref --seed 1 --temperature 2 x > "$work/out" 2> "$work/err" &
for i in $(seq 500); do
    [ -s "$work/out" ] && break
    sleep 0.02
done
truncate -s 20K "$copy/model.safetensors"
wait $!
[ $? = 3 ] && grep -q "^saker: A weight file was cut short" "$work/err" || fail "a shrinking weight file is not noticed"
# --- Names, layouts and places of a model ------------------------------------------------------------------
answer() {
    "$saker" run "$@" --image examples/pictures/shapes-1.png "What is this?" --max-tokens 8 --seed 1 2> "$work/err"
}
# As the base class saves it: the names in the header are six letters shorter, six spaces longer.
broken config.json ""
LC_ALL=C sed -i 's/"model\.\(language_model\|visual\)\.\([^"]*\)"/"\1.\2"      /g' "$copy/model.safetensors"
grep -aq '"visual.pos_embed' "$copy/model.safetensors" || fail "no base-class names were made"
[ "$(answer "$copy")" = "$first" ] || fail "base-class names give another answer"
LC_ALL=C sed -i 's/"lm_head.weight"/"score_x.weight"/' "$copy/model.safetensors"
expect 3 "no lm_head.weight" "$saker" run "$copy" x
# Shards: what the index does not list is left aside with a word, and so is what it lists elsewhere.
expect 0 "122 tensors" "$saker" synth examples/synth/config.json "$work/shards" --shard-mb 1
[ -f "$work/shards/model-00002-of-00002.safetensors" ] || ls "$work/shards"
head -c 1000 "$model/model.safetensors" > "$work/shards/model.safetensors"
[ "$(answer "$work/shards")" = "$first" ] || fail "a stray model.safetensors beside shards changes the answer"
grep -q 'left aside.*1 file ("model.safetensors")' "$work/err" || fail "no word on the stray model.safetensors"
rm "$work/shards/model-00001"*
cp "$model/model.safetensors" "$work/shards/model.safetensors"
[ "$(answer "$work/shards")" = "$first" ] || fail "a whole model.safetensors beside an index is not taken"
rm "$work/shards/model.safetensors"
expect 3 "model-00001-of-.*safetensors: is missing: download" "$saker" run "$work/shards" x
# Links lead where their owner made them lead; one that leads nowhere is named.
mkdir "$work/links"
ln -s "$model"/* "$work/links"
[ "$(answer "$work/links")" = "$first" ] || fail "a folder of links gives another answer"
for file in model.safetensors config.json tokenizer.json chat_template.jinja; do
    ln -sfn nowhere "$work/links/$file"
    expect 3 "$file: is a link to nowhere, which is not there" "$saker" run "$work/links" x
    if [ -e "$model/$file" ]; then ln -sfn "$model/$file" "$work/links/$file"; else rm "$work/links/$file"; fi
done
# The Hugging Face cache: its folder of a model, and the repository's id.
hub=$work/home/.cache/huggingface/hub
repository=$hub/models--some--model
mkdir -p "$repository/blobs" "$repository/refs" "$repository/snapshots/abc123"
printf abc123 > "$repository/refs/main"
for file in "$model"/*; do
    cp "$file" "$repository/blobs/of-${file##*/}"
    ln -s "../../blobs/of-${file##*/}" "$repository/snapshots/abc123/${file##*/}"
done
[ "$(answer "$repository")" = "$first" ] || fail "a cache root gives another answer"
unset HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_HOME XDG_CACHE_HOME
export HOME=$work/home
[ "$(answer some/model)" = "$first" ] || fail "a repository id gives another answer"
expect 0 "qwen3_vl_moe" "$saker" inspect some/model
expect 0 "qwen3_vl_moe" env HOME=/ HF_HOME="$work/home/.cache/huggingface" "$saker" inspect some/model
expect 0 "qwen3_vl_moe" env HOME=/ XDG_CACHE_HOME="$work/home/.cache" "$saker" inspect some/model
expect 0 "qwen3_vl_moe" env HOME=/ HF_HUB_CACHE="$hub" "$saker" inspect some/model
echo '{"messages": [{"role": "user", "content": "Hi"}]}' > "$work/request.json"
expect 0 '"prompt"' "$saker" render some/model "$work/request.json"
expect 3 "some/other: is not a folder, and no repository .*$hub" "$saker" inspect some/other
rm "$repository/snapshots/abc123/model.safetensors"
touch "$repository/blobs/of-model.safetensors.incomplete"
expect 3 "download is not complete: .model.safetensors. is missing, and 1 of" "$saker" run some/model x
rm -r "$repository/snapshots/abc123"
expect 3 "without a snapshot" "$saker" run some/model x

# --- What the folder is ---------------------------------------------------------------------------------------
for file in config.json tokenizer.json generation_config.json preprocessor_config.json tokenizer_config.json \
    chat_template.jinja model.safetensors; do
    broken config.json ""
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n' > "$copy/$file"
    expect 3 "$file: is a Git LFS pointer.*git lfs pull" "$saker" run "$copy" x
    printf '<!DOCTYPE html>\n<html>' > "$copy/$file"
    expect 3 "$file: is a web page" "$saker" run "$copy" x
done
broken config.json '$d'
expect 3 "config.json: is not valid JSON at byte [0-9]*, where it ends: if its download" "$saker" run "$copy" x
broken config.json ""
echo '{"peft_type": "LORA", "base_model_name_or_path": "some/base"}' > "$copy/adapter_config.json"
expect 3 'adapter .*"some/base".*not merged' "$saker" run "$copy" x
mkdir -p "$work/gguf/empty" "$work/around"
echo GGUF > "$work/gguf/model-Q4.gguf"
expect 3 "GGUF files" "$saker" run "$work/gguf" x
expect 3 "is a GGUF file" "$saker" inspect "$work/gguf/model-Q4.gguf"
expect 3 "is an empty folder" "$saker" run "$work/gguf/empty" x
cp -r "$model" "$work/around/inner"
expect 3 'give its subfolder "inner"' "$saker" run "$work/around" x
expect 3 "give the folder, $model" "$saker" inspect "$model/config.json"
expect 3 "give the folder, $model" "$saker" inspect "$model/model.safetensors"
echo '{"model_type": "qwen3", "vocab_size": 9}' > "$copy/config.json"
rm "$copy/adapter_config.json"
expect 3 "is a text-only model .model_type .qwen3" "$saker" run "$copy" x
echo '{"model_type": "siglip_vision_model", "patch_size": 16}' > "$copy/config.json"
expect 3 "is an image tower alone" "$saker" run "$copy" x
echo '{"model_type": "qwen2_5_vl", "vision_config": {}}' > "$copy/config.json"
expect 3 "is a Qwen2.5-VL" "$saker" run "$copy" x
broken config.json '1s/{/{"quantization_config": {"quant_method": "awq", "bits": 4},/'
expect 3 'quantised with "awq" .4 bits.' "$saker" run "$copy" x
broken config.json '1s/{/{"quantization_config": {"quant_method": "fp8", "weight_block_sizes": [128, 128]},/'
expect 3 "did you mean weight_block_size" "$saker" run "$copy" x
# Weights that hold a NaN: the answer names what finds it, and that names the tensor.
broken config.json ""
at=$(grep -abo '"model.language_model.norm.weight"[^}]*}' "$copy/model.safetensors" | head -1 |
    sed 's/.*"data_offsets": *\[\([0-9]*\),.*/\1/')
header=$(od -An -tu4 -N4 "$copy/model.safetensors")
printf '\xc0\x7f' | dd of="$copy/model.safetensors" conv=notrunc bs=1 seek=$((8 + header + at)) 2> /dev/null
expect 3 "not a number.*saker inspect --check-finite" "$saker" run "$copy" x
expect 3 'infinity lies in 1 of 122 tensors: "model.language_model.norm.weight"' \
    "$saker" inspect "$copy" --check-finite
expect 0 "every number of 122 tensors is finite" "$saker" inspect "$model" --check-finite

# reference PROMPT HEADER: a reference case whose tensors are 16 zero bytes.
reference() {
    mkdir -p "$work/case"
    echo "{\"prompt\": \"$1\"}" > "$work/case/case.json"
    { printf "\\x$(printf %x ${#2})\\0\\0\\0\\0\\0\\0\\0"; printf %s "$2"; head -c 16 /dev/zero; } \
        > "$work/case/golden.safetensors"
}
ids='"input_ids":{"dtype":"I64","shape":[2],"data_offsets":[0,16]}'
reference "" "{$ids}"
expect 3 "prompt is empty" "$saker" verify "$model" "$work/case"
# Frames are numbered from 0 without a gap: one left out would move all behind it.
reference "<|vision_start|><|video_pad|><|vision_end|>" "{$ids}"
sed -i 's/}$/, "fps": 2}/' "$work/case/case.json"
for i in 000 001 003; do cp tests/media/rgb.png "$work/case/frame$i.png"; done
expect 3 "has 3 pictures frameN, but frame003.png is not number 2" "$saker" verify "$model" "$work/case"
rm "$work/case"/frame*
reference hi '{"input_ids":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}'
expect 3 "input_ids must hold integers" "$saker" verify "$model" "$work/case"
reference hi "{$ids,\"logits\":{\"dtype\":\"F32\",\"shape\":[0,512],\"data_offsets\":[16,16]}}"
expect 3 "logits is empty" "$saker" verify "$model" "$work/case"

[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
