#!/bin/bash
# Usage: eval_demo.sh SAKER. Grades models/demo on part of its held-out questions: what it answers right, where
# its boxes lie, and how evenly its experts are used, in bf16 and, on fewer questions, in f32. The answers are
# greedy and the questions fixed, so that a bound is missed when the engine or the model changes, not by chance.
set -u
saker=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# ask OPTIONS...: `saker eval` with --json, its values one a line in $work/values: "kinds/chart/accuracy 0.98",
# "experts/2/least 0.9". Reads the indented lines that dump_json writes, and no other JSON.
ask() {
    "$saker" eval models/demo --json "$@" > "$work/json" 2> "$work/err" || {
        cat "$work/err"
        echo "FAILED: saker eval models/demo $*"
        exit 1
    }
    awk '{
        match($0, /^ */)
        depth = RLENGTH / 2
        text = substr($0, RLENGTH + 1)
        sub(/,$/, "", text)
        if (text ~ /^[]}]/) next
        if (match(text, /^"[^"]*": /)) {
            key[depth] = substr(text, 2, RLENGTH - 4)
            text = substr(text, RLENGTH + 1)
        } else {
            key[depth] = element[depth]++
        }
        if (text == "[") element[depth + 1] = 0
        if (text == "[" || text == "{") next
        path = key[1]
        for (i = 2; i <= depth; ++i) path = path "/" key[i]
        print path, text
    }' "$work/json" > "$work/values"
    echo "saker eval models/demo $*:"
}

# hold PATTERN OP BOUND: every value whose path the pattern fits, and at least one, stands so to BOUND, a number or
# a path.
hold() {
    awk -v pattern="^$1\$" -v op="$2" -v bound="$3" '
        { value[$1] = $2 }
        $1 ~ pattern { paths[++n] = $1 }
        END {
            if (bound in value) limit = value[bound]
            else if (bound ~ /^[0-9.]+$/) limit = bound
            else n = 0
            if (!n) print "FAILED: no value " pattern " or no bound " bound
            for (i = 1; i <= n; ++i) {
                v = value[paths[i]] + 0
                ok = op == ">=" ? v >= limit + 0 : op == "<=" ? v <= limit + 0 : v == limit + 0
                bad += !ok
                printf "%s  %-32s %.6g, bound %s %.6g\n", ok ? "ok    " : "FAILED", paths[i], v, op, limit
            }
            exit !n || bad
        }' "$work/values" || failures=$((failures + 1))
}

# Each token went through each layer once: prompts, and answers, which all end by themselves. Nobody is preempted.
hold_experts() {
    awk '$1 == "prompt_tokens" || $1 == "answer_tokens" { sum += $2 } END { print "tokens", sum }' "$work/values" \
        > "$work/sum"
    cat "$work/sum" >> "$work/values"
    hold "experts/5/layer" == 5
    hold "experts/[0-9]+/rows" == tokens
    hold "experts/[0-9]+/least" ">=" 0.25
    hold "experts/[0-9]+/most" "<=" 4
}

# Enough of each kind that one flip on another CPU stays within the bounds.
ask --n 600
hold all/asked == 600
hold "kinds/(attribute|yesno)/accuracy" ">=" 0.97
hold "kinds/(count|chart|position|motion)/accuracy" ">=" 0.95
hold "kinds/(description|text)/accuracy" ">=" 0.90
hold kinds/box/mean_iou ">=" 0.75
hold "languages/(en|zh)/accuracy" ">=" 0.95
hold_experts

# A kind has too few questions here for a bound of its own.
ask --n 60 --compute f32
hold all/asked == 60
hold all/accuracy ">=" 0.95
hold kinds/box/mean_iou ">=" 0.75
hold_experts

[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
