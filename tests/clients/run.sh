#!/bin/bash
# The server as clients use it: OpenAI's Python client and curl against `lacuna serve`.
#   tests/clients/run.sh [PROGRAM [MODEL]]
# Installs the client into a virtual environment of its own (build/clients) at the first call; needs python3-venv, curl.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${1:-$root/build/release/bin/lacuna}
model=${2:-$root/resources/models/pilot-29m-q8_0.gguf}
venv=$root/build/clients
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import openai' 2>/dev/null || "$venv/bin/pip" install -q openai
log=$(mktemp)
"$program" serve "$model" --port 0 --alias pilot --api-key secret --slots 2 --set precision=fast --set temperature=0 --set max_tokens=24 >"$log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -f "$log"' EXIT
for _ in $(seq 600); do grep -q 'listening on' "$log" && break; kill -0 $server || { cat "$log"; exit 1; }; sleep 0.1; done
address=$(sed -n 's/.*listening on //p' "$log")
"$venv/bin/python" "$root/tests/clients/openai_client.py" "$address"
bash "$root/tests/clients/curl_client.sh" "$address"
begin=$(date +%s%N)
kill -TERM $server
wait $server && status=0 || status=$?
took=$((($(date +%s%N) - begin) / 1000000))
[ "$status" -eq 0 ] && [ "$took" -lt 1000 ] || { echo "SIGTERM: status $status after $took ms"; exit 1; }
echo "SIGTERM: ended after $took ms"
