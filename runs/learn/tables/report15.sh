#!/bin/sh
# Reports of 15 facts, template speaker, qwen2.5-coder-0.5b listening, test samples: `report15.sh choose` (one of eight answers) or
# `report15.sh free`. From the repository's root after `npm ci && npm run build`; about an hour on one core, and it goes on where it stopped.
# Thresholds: those of the ears were chosen on dev (runs/learn/ship.mjs), that of own on dev too (docs/LOG.md).
set -eu
how=${1:-choose}
[ $# -eq 0 ] || shift
if [ "$how" = choose ]; then
  task=report:facts=15,choices=8 answers=choose policies=never,own:0.4,ear,oracle
else
  task=report:facts=15 answers=say policies=never,ear,ear:qwen2.5-coder-0.5b,oracle
fi
node "${DUPLEX_DIST:-dist}/cli/main.js" learn report "$task" --answers "$answers" --speaker template --listener llama:qwen2.5-coder-0.5b \
  --samples 200 --policy "${POLICIES:-$policies}" \
  --out "runs/learn/results/report15-$how.jsonl" --save "runs/learn/results/report15-$how" "$@"
