#!/bin/sh
# Debate and meeting with 0.5B models in all roles: `debate.sh debate` or `debate.sh meeting`.
# From the repository's root after `npm ci && npm run build`; ten minutes on two cores for a dozen samples, and it goes on where it stopped.
set -eu
task=${1:-debate} samples=${2:-12}
model=llama:qwen2.5-coder-0.5b
policies=never,after:2,own:0.5,prompted,concise answers=choose
if [ "$task" = meeting ]; then policies=never,after:3,prompted,concise answers=say; fi
node "${DUPLEX_DIST:-dist}/cli/main.js" eval "$task" --speaker "$model" --listener "$model" --answers "$answers" --max-tokens 48 \
  --split test --samples "$samples" --policy "$policies" --out "runs/eval/results/$task-0.5b.jsonl"
