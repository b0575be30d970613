#!/bin/sh
# Pictionary among 8 words: a 1.5B model describes, a 0.5B model guesses. `dev` chooses the threshold, `test` is reported.
# From the repository's root after `npm ci && npm run build`; about an hour on two busy cores, and it goes on where it stopped.
set -eu
split=${1:-test} samples=${2:-100}
node dist/cli/main.js eval pictionary:choices=8,rounds=1 --speaker once:llama:qwen2.5-coder-1.5b \
  --listener llama:qwen2.5-coder-0.5b --answers choose --max-tokens 96 --chunk 8 --split "$split" --samples "$samples" \
  --policy "${3:-never,after:2,after:3,own:0.5,own:0.6,concise}" \
  --out "runs/eval/results/pictionary-$split.jsonl"
