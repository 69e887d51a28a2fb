#!/bin/bash
# Tests `lacuna serve` with OpenAI's Python and JavaScript clients, Vercel's and curl, and validates its answers against
# OpenAI's API description.
#   tests/clients/run.sh [PROGRAM [MODEL [OPENAPI.json]]]
# Installs the clients into build/clients on the first call. Needs python3-venv and curl; the JavaScript clients need npm
# and Node 18 or later and are skipped without them.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/clients
program=${1:-$root/build/release/bin/lacuna}
model=${2:-$root/resources/models/pilot-29m-q8_0.gguf}
openapi=${3:+$(realpath "$3")}
folder=$root/build/clients
[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
"$folder/bin/python" -c 'import openai, jsonschema' 2>/dev/null || "$folder/bin/pip" install -q openai jsonschema
log=$(mktemp)
"$program" serve "$model" --port 0 --alias pilot --api-key secret --slots 2 --embeddings --set precision=fast --set temperature=0 --set max_tokens=24 >"$log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -f "$log"' EXIT
for _ in $(seq 600); do grep -q 'listening on' "$log" && break; kill -0 $server || { cat "$log"; exit 1; }; sleep 0.1; done
address=$(sed -n 's/.*listening on //p' "$log")
"$folder/bin/python" "$here/openai_client.py" "$address"
"$folder/bin/python" "$here/validate_answers.py" "$address" ${openapi:+"$openapi"}
bash "$here/curl_client.sh" "$address"
if command -v npm >/dev/null && command -v node >/dev/null; then
    mkdir -p "$folder/node"
    (cd "$folder/node" && { [ -d node_modules/@ai-sdk/openai ] || npm install --silent --no-audit --no-fund openai ai @ai-sdk/openai-compatible @ai-sdk/openai >/dev/null; }
        node "$here/node_client.mjs" "$address")
else
    echo "node: not tried, npm is not installed"
fi
bash "$here/options.sh" "$program" "$model"
begin=$(date +%s%N)
kill -TERM $server
wait $server && status=0 || status=$?
took=$((($(date +%s%N) - begin) / 1000000))
[ "$status" -eq 0 ] && [ "$took" -lt 1000 ] || { echo "SIGTERM: status $status after $took ms"; exit 1; }
echo "SIGTERM: ended after $took ms"
