#!/bin/sh
# See README.md beside this. The whole path over HTTP, in real time: a simulated server at the speeds of an API.
cd "$(dirname "$0")/../.." || exit 1
PORT=${PORT:-8899}
DUPLEX=${DUPLEX:-node dist/cli/main.js}
$DUPLEX simulate --port "$PORT" --ttft 500 --decode 80 --step-tokens 30 \
  --accuracy 0.95/0.9/0.6/0.3 --delta 0.04 --epsilon 0.08 > /dev/null &
SERVER=$!
trap 'kill "$SERVER"' EXIT
sleep "${WAIT:-3}"
$DUPLEX experiment controls --model "openai:simulated@http://127.0.0.1:$PORT/v1" --benchmark steps \
  --out "${OUT:-runs/experiments/out/controls-http}" --no-talks --alone --items 6 --yes "$@"
