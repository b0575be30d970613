#!/bin/sh
# An ear that listens for a model behind an API that shows no logits: the 0.5B model answers over HTTP, in words, and SmolLM2's ear hears here.
# From the repository's root after `npm ci && npm run build`; some minutes, and it goes on where it stopped.
set -eu
main="${DUPLEX_DIST:-dist}/cli/main.js" port=${PORT:-8099}
node "$main" serve --model llama:qwen2.5-coder-0.5b --port "$port" &
server=$!
trap 'kill $server' EXIT
until curl -sf "http://127.0.0.1:$port/healthz" >/dev/null; do sleep 1; done
node "$main" learn report report:facts=15 --speaker template --listener "openai:solo@http://127.0.0.1:$port/v1" --chunk 8 \
  --samples 20 --policy never,ear,oracle --out runs/learn/results/api.jsonl --save runs/learn/results/api "$@"
