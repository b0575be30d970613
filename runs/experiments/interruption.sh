#!/bin/sh
# See README.md beside this. The paper's tasks, chunks from 4 to 50 tokens, and policies on each task.
cd "$(dirname "$0")/../.." || exit 1
MODEL=${MODEL:-simulated:ttft=200,decode=80}
exec ${DUPLEX:-node dist/cli/main.js} experiment interruption --model "$MODEL" --out "${OUT:-runs/experiments/out/interruption}" \
  --tasks report:choices=8,pictionary,meeting,debate --chunks 4,8,16,32,50 --samples 40 \
  --policy "${POLICY:-never,after:3,random:0.2,prompted,own:0.5,own:0.8}" "$@"
