#!/bin/sh
# Reports of 15 facts, template speaker, qwen2.5-coder-0.5b listening, test samples, a look every 8 tokens: `report15.sh choose` (one of eight
# answers), `free`, or `own`: policies that ask the listener itself, every 16 tokens, since each of their looks takes it a second.
# From the repository's root after `npm ci && npm run build`; about an hour on one core, and it goes on where it stopped.
# One context (contexts=1) reads for all policies what they share of a message: faster, but the times of the table are then nobody's own.
# Thresholds: those of ears and weights were chosen on dev (runs/learn/ship.mjs), that of own on dev too (docs/LOG.md).
set -eu
how=${1:-choose}
[ $# -eq 0 ] || shift
listener=llama:qwen2.5-coder-0.5b,contexts=1
task=report:facts=15,choices=8 answers=choose chunk=8 policies=never,ear,after:14,random:0.05,oracle
case $how in
  own) listener=llama:qwen2.5-coder-0.5b chunk=16 policies=never,own:0.4,oracle ;; # and calibrated, after ship.mjs --only weights and a build
  free) task=report:facts=15 answers=say policies=never,ear,oracle ;;
esac
node "${DUPLEX_DIST:-dist}/cli/main.js" learn report "$task" --answers "$answers" --speaker template --listener "$listener" \
  --chunk "$chunk" --samples 200 --policy "${POLICIES:-$policies}" \
  --out "runs/learn/results/report15-$how.jsonl" --save "runs/learn/results/report15-$how" "$@"
