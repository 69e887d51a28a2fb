#!/bin/bash
# Checks that each option of `lacuna serve` has an effect visible to clients: options.sh PROGRAM MODEL.
set -euo pipefail
program=$1
model=$2
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
cases=0
# with OPTIONS...: starts a server with them; its address is in $address
with() {
    [ -z "$server" ] || { kill "$server"; wait "$server" || true; }
    : >"$folder/log"
    "$program" serve "$model" --port 0 --set precision=fast --set temperature=0 --set max_tokens=6 "$@" >"$folder/log" 2>&1 &
    server=$!
    for _ in $(seq 600); do grep -q 'listening on' "$folder/log" && break; kill -0 $server || { cat "$folder/log"; exit 1; }; sleep 0.1; done
    address=$(sed -n 's/.*listening on //p' "$folder/log")
}
# refused OPTIONS...: expects the program to end with an error that contains a word of them
refused() {
    local word=$1
    shift
    if timeout 60 "$program" serve "$model" --port 0 "$@" >"$folder/log" 2>&1; then echo "not refused: $*"; exit 1; fi
    grep -q -- "$word" "$folder/log" || { echo "no $word for $*:"; cat "$folder/log"; exit 1; }
    cases=$((cases + 1))
}
# says WORD CURL_ARGUMENTS...: expects the word in the reply
says() {
    local word=$1 got
    shift
    got=$(curl -s -i --max-time 60 -H 'Content-Type: application/json' "$@")
    grep -q -- "$word" <<<"$got" || { echo "no $word: $*"; echo "$got" | head -c 1000; exit 1; }
    cases=$((cases + 1))
}
chat='{"messages":[{"role":"user","content":"Hi"}]}'
with --alias other,second --slots 3 --slot-dir "$folder" --chat-template phi3 --embeddings --pooling last --host localhost --allow-origin https://a.example --allow-host b.example
says '"id":"other"' "$address/v1/models"
says '"aliases":\["other","second"\]' "$address/v1/models/second"
says '"total_slots":3' "$address/props"
says '<|user|>\\nHi<|end|>' -d "$chat" "$address/apply-template"
says '"object":"embedding"' -d '{"input":"a"}' "$address/v1/embeddings"
says '"id_slot":2' -d '{"prompt":"a","id_slot":2}' "$address/completion"
says '"n_saved"' -d '{"filename":"a"}' "$address/slots/2?action=save"
[ -s "$folder/a" ] || { echo "nothing was saved"; exit 1; }
says ' 200 OK' -H 'Origin: https://a.example' "$address/health"
says ' 200 OK' -H 'Host: b.example' "$address/health"
says ' 403 ' -H 'Host: c.example' "$address/health"
with --host 127.0.0.1,127.0.0.2 --verbose
says ' 200 OK' "${address/127.0.0.1/127.0.0.2}/health"
says '"__verbose":{' -d "$chat" "$address/v1/chat/completions"
printf '%s' 'X{{ messages[0].content }}{% if enable_thinking %}on{% else %}off{% endif %}' >"$folder/template"
with --chat-template-file "$folder/template" --reasoning off --api-key one --api-key two --set context=64 --draft-model "$model"
says '"prompt":"XHioff"' -H 'X-Api-Key: two' -d "$chat" "$address/apply-template"
says ' 401 ' -d "$chat" "$address/apply-template"
says '"n_ctx":64' -H 'Authorization: Bearer one' "$address/props"
says '"draft_n":[1-9]' -H 'Authorization: Bearer one' -d '{"prompt":"Once upon a time","n_predict":12}' "$address/completion"
says ' 501 ' -H 'Authorization: Bearer one' -d '{"input":"a"}' "$address/v1/embeddings"
printf '# keys\nthree\n\nfour\n' >"$folder/keys"
with --api-key-file "$folder/keys" --metrics open --body-limit 1
says '"id":' -H 'Authorization: Bearer four' "$address/v1/models"
says ' 401 ' -H 'Authorization: Bearer # keys' "$address/v1/models"
says 'llamacpp:n_decode_total' "$address/metrics"
head -c 1048577 /dev/zero | tr '\0' ' ' >"$folder/large"
says ' 413 ' -H 'Authorization: Bearer four' --data-binary "@$folder/large" "$address/tokenize"
with --metrics off
says ' 501 ' "$address/metrics"
with --host 0.0.0.0 --api-key one
says ' 501 ' -H 'Authorization: Bearer one' "${address/0.0.0.0/127.0.0.1}/metrics"
with --chat-template-file "$folder/template" --reasoning on
says '"prompt":"XHion"' -d "$chat" "$address/apply-template"
refused 'no built-in chat template' --chat-template none
refused 'reasoning' --reasoning on
refused 'is no folder' --slot-dir "$folder/none"
refused 'api-key' --host 0.0.0.0
refused 'api-key' --host 127.0.0.1,0.0.0.0
refused 'embeddings' --pooling mean
refused 'every page' --allow-origin '*'
printf '# none\n' >"$folder/keys"
refused 'holds no key' --api-key-file "$folder/keys"
refused 'body-limit' --body-limit 65
echo "options: $cases cases"
