#!/bin/sh
# Reports of 7 facts, one of eight answers, qwen2.5-coder-0.5b listening, test samples, a look every 8 tokens. `report7.sh template` (a template speaks) or
# `report7.sh written MODEL` (a model has written each message, once for all policies).
# One context (contexts=1) reads for all policies what they share of a message: faster, but the times of the table are then nobody's own.
# From the repository's root after `npm ci && npm run build`; about an hour on one core, and it goes on where it stopped.
set -eu
how=${1:-template} speaker=template samples=200
[ $# -eq 0 ] || shift
if [ "$how" = written ]; then
  speaker="once:llama:${1:-qwen2.5-coder-1.5b}" samples=100 how="written-${1:-qwen2.5-coder-1.5b}"
  [ $# -eq 0 ] || shift
fi
node "${DUPLEX_DIST:-dist}/cli/main.js" learn report report:facts=7,choices=8 --answers choose --speaker "$speaker" --listener llama:qwen2.5-coder-0.5b,contexts=1 \
  --chunk 8 --samples "$samples" --policy "${POLICIES:-never,own:0.3,ear,after:7,random:0.1,oracle}" \
  --out "runs/learn/results/report7-$how.jsonl" --save "runs/learn/results/report7-$how" "$@"
