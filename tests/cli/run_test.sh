#!/bin/bash
# Usage: run_test.sh SAKER. What people bring to `saker run`, with the model of models/demo: words that are no
# question, pipes, conversations as JSON, JSON out, log-probabilities, beginnings of answers, several clips, and
# numbers that are none. Right answers are those of examples/pictures/questions.json.
set -u
saker=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
picture=examples/pictures/shapes-1.png
clip=examples/pictures/motion

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out" "$work/err"
    failures=$((failures + 1))
}

# says TEXT COMMAND...: exactly TEXT on stdout, exit code 0.
says() {
    local text=$1
    shift
    timeout 120 "$@" > "$work/out" 2> "$work/err" < "${stdin:-/dev/null}" || { fail "exit code $?: $*"; return; }
    [ "$(cat "$work/out")" = "$text" ] || fail "does not say $text: $*"
}

# refuses PATTERN COMMAND...: exit code 2, nothing on stdout, one line on stderr with PATTERN and one full stop.
refuses() {
    local pattern=$1
    shift
    timeout 60 "$@" > "$work/out" 2> "$work/err" < "${stdin:-/dev/null}"
    local got=$?
    [ $got = 2 ] || { fail "exit code $got for 2: $*"; return; }
    grep -qE -- "$pattern" "$work/err" || fail "no /$pattern/ on stderr: $*"
    # Where the disk is slow, the time of loading is told too.
    sed -i '/^saker: reading weights: /d' "$work/err"
    [ "$(wc -l < "$work/err")" = 1 ] || fail "more than one line on stderr: $*"
    grep -q '[^.]\.$' "$work/err" || fail "does not end with one full stop: $*"
    [ ! -s "$work/out" ] || fail "something on stdout: $*"
}

# json EXPRESSION: true of the object `o` on stdout of the last command.
json() {
    python3 -c "import json, sys; o = json.load(open('$work/out')); sys.exit(not ($1))" || fail "not so: $1"
}

# --- Which word is what ------------------------------------------------------------------------------
echo "What colour is the ring?" > "$work/question"
for word in /models/X ./X ~/X ../X models/X Qwen/Qwen3-VL-4B Qwen3-VL X.safetensors 'C:\models'; do
    stdin=$work/question refuses "is no folder of a checkpoint" "$saker" run "$word" --image $picture
done
says 3 "$saker" run --image $picture "How many objects are there?"
says 3 "$saker" run models/demo --image $picture --question "How many objects are there?"
timeout 60 "$saker" run --max-tokens 1 -q ./X > "$work/out" 2> "$work/err" || fail "-q takes any question"
timeout 60 "$saker" run --max-tokens 1 "Why?" > "$work/out" 2> "$work/err" || fail "a lone word may be a question"
refuses "contradict" "$saker" run models/demo "one?" --question "two?"
refuses "question is empty" "$saker" run models/demo ""
stdin=$work/question says black "$saker" run --image $picture

# --- stdin and pipes ------------------------------------------------------------------------------------
mkfifo "$work/open"
sleep 100 > "$work/open" &
writer=$!
stdin=$work/open says 3 "$saker" run --image $picture "How many objects are there?"
kill $writer
stdin=$picture says 3 "$saker" run --image - "How many objects are there?"
says 3 "$saker" run --image <(cat $picture) "How many objects are there?"
(cat $picture > "$work/open" &)
says 3 "$saker" run --image "$work/open" "How many objects are there?"
stdin=$picture refuses "needs the question on the command line" "$saker" run --image -
stdin=$picture refuses "can be given once" "$saker" run --image - --image - "x?"
stdin=/dev/zero refuses "stdin: is larger than 1 GiB" "$saker" run --image - "x?"
refuses "/dev/zero: is larger than 1 GiB" "$saker" run --image /dev/zero "x?"
refuses "examples: is a folder" "$saker" run --image examples "x?"
refuses "none.png: there is no such file" "$saker" run --image none.png "x?"
refuses "name is empty" "$saker" run "" --image $picture "x?"
refuses "name is empty" "$saker" run "" -q "x?"
mkdir "$work/pipes" && cp $picture "$work/pipes/1.png" && cp $picture "$work/pipes/3.png" && mkfifo "$work/pipes/2.png"
timeout 60 "$saker" run --video-frames "$work/pipes" --fps 2 --max-tokens 1 "x?" > /dev/null 2> "$work/pipes.err" ||
    fail "a pipe among frames is waited for"
grep -q 'passed over as no picture: "2.png"' "$work/pipes.err" || fail "a pipe among frames is not named"
stdin=/dev/null refuses "stdin: The image is" "$saker" run --image - "x?"

# --- Numbers ----------------------------------------------------------------------------------------------
for flag in seed top-k max-tokens max-context threads max-image-pixels min-pixels max-pixels; do
    for number in -3 18446744073709551616 0x10 1e3 nan inf 1.5 "" 7x " 7" +7; do
        refuses "^saker: --$flag: .* is not a whole number from -?[0-9]+ to [0-9]+" "$saker" run "--$flag" "$number" "x?"
    done
done
for flag in temperature top-p min-p repetition-penalty presence-penalty frequency-penalty fps; do
    for number in -3 nan inf 0x10 "" 7x 1e999 1,5; do
        refuses "^saker: --$flag: .* is not a number (from|above) " "$saker" run "--$flag" "$number" "x?"
    done
done
for number in -3 21 0x10 1e3 1.5 7x; do
    refuses "logprobs: .$number. is not a whole number from 0 to 20" "$saker" run --logprobs "$number" "x?"
done
refuses "chunk: .0x10. is not" "$saker" verify models/demo x --chunk 0x10
refuses "context: .1e3. is not" "$saker" inspect --context 1e3
refuses "scale: .nan. is not" "$saker" synth x y --scale nan
refuses "seed: .18446744073709551616. is not" "$saker" synth x y --seed 18446744073709551616
refuses "shard-mb: .0. is not" "$saker" synth x y --shard-mb 0
refuses "n: .-1. is not" "$saker" eval --n -1
says 3 "$saker" run --image $picture --top-k -1 --seed 18446744073709551615 "How many objects are there?"

# --- How pictures are seen ----------------------------------------------------------------------------------
says 3 "$saker" run --image $picture --max-image-pixels 1000000 "How many objects are there?"
refuses "Image 1 .*shapes-1.png" "$saker" run --image $picture --max-image-pixels 1000 "x?"
refuses "contradict" "$saker" run --image $picture --min-pixels 5000 --max-pixels 4999 "x?"
refuses "max-pixels must be from 1024" "$saker" run --image $picture --max-pixels 1000 "x?"
refuses "min-pixels 268435456 .*max-pixels" "$saker" run --image $picture --min-pixels 268435456 "x?"
tokens() { timeout 60 "$saker" run --json --max-tokens 1 --image $picture "$@" "x?" > "$work/out" 2> "$work/err"; }
refuses "max-pixels 4096 is below .*--min-pixels" "$saker" run --image $picture --max-pixels 4096 "x?"
tokens --min-pixels 1024 --max-pixels 4096
json "o['usage']['prompt_tokens_details']['image_tokens'] <= 4"
tokens --min-pixels 65536 --max-pixels 70000
json "64 <= o['usage']['prompt_tokens_details']['image_tokens'] <= 70"

# --- Several clips --------------------------------------------------------------------------------------------
timeout 60 "$saker" run --json --video-frames $clip --fps 2 --video-frames $clip --fps 4 "Which way does it move?" \
    > "$work/out" 2> "$work/err"
json "o['usage']['prompt_tokens_details']['video_tokens'] > 0 and o['finish_reason'] == 'stop'"
timeout 60 "$saker" run --json --video-frames $clip --fps 2 "Which way does it move?" > "$work/one" 2> "$work/err"
json "o['usage']['prompt_tokens_details']['video_tokens'] == 2 * json.load(open('$work/one'))['usage']['prompt_tokens_details']['video_tokens']"
timeout 60 "$saker" run --max-tokens 1 --video-frames $clip --video-frames $clip --fps 2 "x?" > "$work/out" 2> "$work/err" \
    || fail "one --fps is for all clips"
refuses "3 times for 2" "$saker" run --video-frames $clip --video-frames $clip --fps 1 --fps 2 --fps 3 "x?"
refuses "video-frames needs --fps" "$saker" run --video-frames $clip "x?"
refuses "fps needs --video-frames" "$saker" run --fps 2 "x?"

# --- Conversations as JSON ---------------------------------------------------------------------------------------
base64 -w0 $picture > "$work/base64"
cat > "$work/talk.json" << END
{"messages": [
  {"role": "user", "content": [{"type": "text", "text": "How many objects are there?"},
                               {"type": "image_url", "image_url": {"url": "$picture"}}]},
  {"role": "assistant", "content": "3"},
  {"role": "user", "content": "How many of them are black?"}], "temperature": 0, "model": "any"}
END
says 2 "$saker" run --messages "$work/talk.json"
stdin=$work/talk.json says 2 "$saker" run --messages -
python3 -c "import json; print(json.dumps(json.load(open('$work/talk.json'))['messages']))" > "$work/list.json"
says 2 "$saker" run --messages "$work/list.json"
says black "$saker" run --messages "$work/list.json" "What colour is the ring?"
# A picture between texts stands there in the prompt.
echo '[{"role": "user", "content": [{"type": "text", "text": "How many "},
 {"type": "image", "image": "data:image/png;base64,'"$(cat "$work/base64")"'"}, {"type": "text", "text": "objects?"}]}]' \
    > "$work/between.json"
timeout 60 "$saker" run --json --messages "$work/between.json" > "$work/out" 2> "$work/err" || fail "between.json"
json "o['usage']['prompt_tokens_details']['image_tokens'] == 48"
echo '[{"role": "user", "content": [{"type": "video", "video": "'$clip'"}, {"type": "text", "text": "Which way does it move?"}]}]' \
    > "$work/clip.json"
says "$(timeout 60 "$saker" run --video-frames $clip --fps 2 "Which way does it move?")" \
    "$saker" run --messages "$work/clip.json" --fps 2
echo '{"messages": [{"role": "user", "content": [{"type": "image", "image": "'$picture'"},
 {"type": "text", "text": "Locate the black ring."}]}, {"role": "assistant", "content": "{\"bbox_2d\": [190, 400"}],
 "continue_final_message": true, "add_generation_prompt": false}' > "$work/begun.json"
says ', 450, 600], "label": "black ring"}' "$saker" run --messages "$work/begun.json"
refuses "fps is missing" "$saker" run --messages "$work/clip.json"
refuses "messages and --system contradict" "$saker" run --messages "$work/talk.json" --system x
echo '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"continue_final_message":true}' \
    > "$work/goes_on.json"
refuses "continue_final_message.*contradict" "$saker" run --messages "$work/goes_on.json" "one more?"
refuses "messages and --image contradict" "$saker" run --messages "$work/talk.json" --image $picture
refuses "image - and --messages - contradict" "$saker" run --messages - --image - "x?"
timeout 60 "$saker" run --json --messages "$work/list.json" --image $picture "What colour is the ring?" > "$work/out" 2> "$work/err"
json "o['text'] == 'black' and o['usage']['prompt_tokens_details']['image_tokens'] == 2 * 48"
sed 's/"temperature": 0/"n": 2/' "$work/talk.json" > "$work/wrong.json"
refuses "wrong.json: n asks for something that Saker does not do" "$saker" run --messages "$work/wrong.json"
sed "s,$picture,https://example.org/x.png," "$work/talk.json" > "$work/wrong.json"
refuses "does not fetch" "$saker" run --messages "$work/wrong.json"
refuses "none.json: there is no such file" "$saker" run --messages none.json
stdin=/dev/null refuses "JSON" "$saker" run --messages -
# What the file wishes of sampling holds, and a flag wins.
echo '{"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 2, "seed": 5}' > "$work/wish.json"
timeout 60 "$saker" run --json --messages "$work/wish.json" > "$work/out" 2> "$work/err"
json "o['usage']['completion_tokens'] == 2 and o['seed'] == 5 and o['finish_reason'] == 'length'"
timeout 60 "$saker" run --json --messages "$work/wish.json" --max-tokens 1 > "$work/out" 2> "$work/err"
json "o['usage']['completion_tokens'] == 1"

# --- JSON out ----------------------------------------------------------------------------------------------------
timeout 60 "$saker" run --json --image $picture --logprobs 2 "What colour is the ring?" > "$work/out" 2> "$work/err"
json "o['text'] == 'black' and o['finish_reason'] == 'stop'"
json "o['usage'] == {'prompt_tokens': 64, 'completion_tokens': 1, 'total_tokens': 65, 'prompt_tokens_details': {'image_tokens': 48, 'video_tokens': 0}}"
json "set(o['timings_ms']) == {'decode_pictures', 'patches', 'tokenize', 'vision', 'prefill', 'decode', 'first_token', 'total'}"
json "all(v >= 0 for v in o['timings_ms'].values()) and o['timings_ms']['first_token'] <= o['timings_ms']['total']"
json "isinstance(o['seed'], int) and o['tokens_per_second']['prefill'] > 0"
json "[t['token'] for t in o['logprobs']['content']] == ['black'] and bytes(o['logprobs']['content'][0]['bytes']) == b'black'"
json "len(o['logprobs']['content'][0]['top_logprobs']) == 2 and -0.01 < o['logprobs']['content'][0]['logprob'] <= 0"
json "o['logprobs']['content'][0]['top_logprobs'][0]['logprob'] == o['logprobs']['content'][0]['logprob']"
timeout 60 "$saker" run --json --logprobs --image $picture "How many objects are there?" > "$work/out" 2> "$work/err"
json "o['text'] == '3' and o['logprobs']['content'][0]['top_logprobs'] == []"
# Tokens that are parts of characters have their bytes, and the bytes of all are the text.
timeout 60 "$saker" run --json --logprobs --seed 3 --temperature 2 --max-tokens 40 --top-k 0 "你好" > "$work/out" 2> "$work/err"
json "bytes(b for t in o['logprobs']['content'] for b in t['bytes']).decode(errors='replace') == o['text']"
# The seed that was drawn gives the answer again.
timeout 60 "$saker" run --json --temperature 2 --max-tokens 20 "Hello" > "$work/first" 2> "$work/err"
seed=$(python3 -c "import json; print(json.load(open('$work/first'))['seed'])")
timeout 60 "$saker" run --json --temperature 2 --max-tokens 20 --seed "$seed" "Hello" > "$work/out" 2> "$work/err"
json "o['text'] == json.load(open('$work/first'))['text']"
says black "$saker" run --image $picture --logprobs 1 "What colour is the ring?"
grep -qE '^ +-0\.0000  "black"   of "black" -0\.0000$' "$work/err" || fail "no table of log-probabilities"

# error CODE TYPE PATTERN COMMAND...: the error as JSON on stdout and as a sentence on stderr.
error() {
    local code=$1 type=$2 pattern=$3
    shift 3
    timeout 60 "$@" > "$work/out" 2> "$work/err" < /dev/null
    local got=$?
    sed -i '/^saker: reading weights: /d' "$work/err"
    [ $got = "$code" ] || fail "exit code $got for $code: $*"
    grep -qE -- "$pattern" "$work/err" || fail "no /$pattern/ on stderr: $*"
    json "list(o) == ['error'] and set(o['error']) == {'message', 'type', 'param', 'code'} and o['error']['type'] == '$type'"
    json "'saker: ' + o['error']['message'] == open('$work/err').read().strip()"
}
error 2 invalid_request_error "no folder" "$saker" run --json /models/X
error 2 invalid_request_error "seed" "$saker" run --seed 1e3 --json "x?"
error 2 invalid_request_error "no such file" "$saker" run --json --image none.png "x?"
error 2 invalid_request_error "not of a supported kind" "$saker" run --json --image Makefile "x?"
error 2 invalid_request_error "maximum context" "$saker" run --json --max-context 8 "What is in the picture, and what is not?"
error 3 server_error "is not a folder" "$saker" run --json "$work/none" "x?"

# --- What can be raised ----------------------------------------------------------------------------------------
refuses "shorten it or raise --max-context" "$saker" run --max-context 8 "What is in the picture, and what is not?"
long=$(printf 'word %.0s' $(seq 20000))
refuses "shorten it, since the model takes no more" "$saker" run "$long"
timeout 60 "$saker" run --max-tokens 1 "Hello" > "$work/out" 2> "$work/err"
grep -q "cut at 1 tokens (--max-tokens)" "$work/err" || fail "what cut the answer?"
timeout 60 "$saker" run --json --max-tokens 1 "Hello" > "$work/out" 2> "$work/err"
room=$(python3 -c "import json; print(json.load(open('$work/out'))['usage']['prompt_tokens'] + 3)")
timeout 60 "$saker" run --max-context "$room" "Hello" > "$work/out" 2> "$work/err"
grep -q "cut at 3 tokens: the context of $room is full (--max-context)" "$work/err" || fail "a full context is told otherwise"
cp -r models/demo "$work/limited"
python3 - "$work/limited/generation_config.json" << END
import json, sys
settings = json.load(open(sys.argv[1]))
settings["max_new_tokens"] = 2
json.dump(settings, open(sys.argv[1], "w"))
END
timeout 60 "$saker" run "$work/limited" "Hello" > "$work/out" 2> "$work/err"
grep -q "cut at 2 tokens, the model's own limit (--max-tokens)" "$work/err" || fail "the model's own limit is told otherwise"

# --- How an answer begins -------------------------------------------------------------------------------------------
box='{"bbox_2d": [190, 400, 450, 600], "label": "black ring"}'
says "$box" "$saker" run --image $picture "Locate the black ring."
says "$box" "$saker" run --image $picture "Locate the black ring." --prefill '{"bbox_2d": [190, 400'
says "a black ring, a gray diamond, a black diamond" "$saker" run --image $picture "What is in the picture?" --prefill "a black"
timeout 60 "$saker" run --json --image $picture "Locate the black ring." --prefill '{"bbox_2d": [190, 400' > "$work/out" 2> "$work/err"
json "json.loads(o['text'])['label'] == 'black ring'"

[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
