#!/bin/bash
# Lets a real Prometheus (Debian package of the same name) scrape the server, and checks the metrics with promtool's linter:
#   tests/clients/prometheus.sh [PROGRAM [MODEL]]
# The linter may only report the colons in the names of the two compatible families (`llamacpp:`, `vllm:`).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${1:-$root/build/release/bin/lacuna}
model=${2:-$root/resources/models/pilot-29m-q8_0.gguf}
folder=$(mktemp -d)
"$program" serve "$model" --port 0 --alias pilot --api-key secret --set precision=fast --set temperature=0 >"$folder/log" 2>&1 &
server=$!
prometheus=
trap 'kill $server $prometheus 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 600); do grep -q 'listening on' "$folder/log" && break; kill -0 $server || { cat "$folder/log"; exit 1; }; sleep 0.1; done
address=$(sed -n 's/.*listening on //p' "$folder/log")
ask() { curl -s --max-time 60 -H 'Authorization: Bearer secret' -H 'Content-Type: application/json' "$@"; }
ask -d '{"prompt":"Once upon a time","n_predict":16}' "$address/completion" >/dev/null
ask "$address/metrics" >"$folder/scrape"
found=$(promtool check metrics <"$folder/scrape" 2>&1 | grep -v "^\(llamacpp\|vllm\):[a-z0-9_]* metric names should not contain ':'$" || true)
[ -z "$found" ] || { echo "promtool: $found"; exit 1; }
echo "promtool: $(grep -c '^# TYPE' "$folder/scrape") families, nothing but the colons of the compatible ones"
cat >"$folder/prometheus.yml" <<YAML
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: lacuna
    authorization: {credentials: secret}
    static_configs: [{targets: ["${address#http://}"]}]
YAML
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data" --web.listen-address="127.0.0.1:$port" >"$folder/prometheus.log" 2>&1 &
prometheus=$!
# value QUERY: prints the value of the first series; empty if there is none
value() {
    curl -s --get --data-urlencode "query=$1" "http://127.0.0.1:$port/api/v1/query" |
        python3 -c 'import json, sys; found = json.load(sys.stdin)["data"]["result"]; print(found[0]["value"][1] if found else "")' 2>/dev/null || true
}
for _ in $(seq 60); do
    [ "$(value 'lacuna_cache_live_bytes')" != "" ] && break
    sleep 0.5
done
[ "$(value up)" = 1 ] || { echo "prometheus: the scrape is not up"; tail -5 "$folder/prometheus.log"; exit 1; }
before=$(value 'vllm:generation_tokens_total')
ask -d '{"prompt":"Once upon a time","n_predict":16}' "$address/completion" >/dev/null
sleep 3
after=$(value 'vllm:generation_tokens_total')
[ "$before" = 16 ] && [ "$after" = 32 ] || { echo "prometheus: tokens $before, then $after; expected 16, then 32"; exit 1; }
for _ in 1 2; do ask -d '{"prompt":"Once upon a time","n_predict":2000,"ignore_eos":true}' "$address/completion" >/dev/null & done
sleep 6
echo "scrapes while two answers are written (goal 0.010 s): $(value 'max_over_time(scrape_duration_seconds[5s])') s at most, running $(value 'vllm:num_requests_running')"
echo "prometheus: up, tokens $before, then $after, live bytes $(value 'sum(lacuna_cache_live_bytes)'), $(value 'scrape_samples_scraped') samples"
