#!/bin/sh
# Does a listener that follows its own answer save anything? Reports of 7 facts, template speaker, held out; own:0.3 is the cheapest that loses nothing in measures.mjs.
# From the repository's root after `npm ci && npm run build`; about an hour on two busy cores, and it goes on where it stopped.
set -eu
node dist/cli/main.js eval report:choices=8 --listener llama:qwen2.5-coder-0.5b --speaker template --answers choose \
  --policy never,own:0.3,own:0.5,after:4,random:0.15,prompted,oracle --samples 100 --split test --seed 2 --chunk 8 \
  --out runs/eval/results/report7.jsonl "$@"
