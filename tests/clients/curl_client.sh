#!/bin/bash
# Tests a server with curl: curl_client.sh ADDRESS. Exit status 0 if everything works.
set -euo pipefail
address=$1
key='Authorization: Bearer secret'
json='Content-Type: application/json'
cases=0
# status EXPECTED ARGUMENTS...
status() {
    local expected=$1 got
    shift
    got=$(curl -s -o /dev/null -w '%{http_code}' --max-time 30 "$@")
    [ "$got" = "$expected" ] || { echo "expected $expected, got $got: $*"; exit 1; }
    cases=$((cases + 1))
}
status 200 "$address/health"
status 200 -I "$address/health"
status 401 "$address/v1/models"
status 200 -H "$key" "$address/v1/models"
status 404 -H "$key" "$address/nothing"
status 405 -H "$key" "$address/completion"
status 403 -H "$key" -H 'Origin: https://evil.example' "$address/v1/models"
status 403 -H "$key" -H 'Host: evil.example' "$address/v1/models"
status 415 -H "$key" -d '{"prompt":"a"}' "$address/completion"
status 200 -H "$key" -H "$json" -d '{"prompt":"Once","n_predict":4}' "$address/completion"
status 200 -H "$key" -H "$json" -H 'Transfer-Encoding: chunked' -d '{"prompt":"Once","n_predict":4}' "$address/completion"
status 200 --http1.0 -H "$key" -H "$json" -d '{"prompt":"Once","n_predict":4,"stream":true}' "$address/completion"
large=$(mktemp)
trap 'rm -f "$large"' EXIT
head -c 9000000 /dev/zero | tr '\0' ' ' >"$large"
status 413 -H "$key" -H "$json" --data-binary @"$large" "$address/completion"
{ printf '{"content":"'; head -c 2000000 /dev/zero | tr '\0' 'a'; printf '"}'; } >"$large"
status 200 -H "$key" -H "$json" --data-binary @"$large" "$address/tokenize"
stream=$(curl -sN -H "$key" -H "$json" -d '{"messages":[{"role":"user","content":"Hi"}],"stream":true,"max_tokens":4}' "$address/v1/chat/completions")
grep -q '^data: \[DONE\]' <<<"$stream" || { echo "no end of stream: $stream"; exit 1; }
cases=$((cases + 1))
echo "curl: $cases cases"
