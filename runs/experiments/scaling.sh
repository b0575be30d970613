#!/bin/sh
# See README.md beside this.
cd "$(dirname "$0")/../.." || exit 1
MODEL=${MODEL:-simulated:ttft=500,decode=40,stepTokens=30,accuracy=0.7,delta=0.004,epsilon=0.004}
exec ${DUPLEX:-node dist/cli/main.js} experiment scaling --model "$MODEL" --out "${OUT:-runs/experiments/out/scaling}" \
  --items 1 "$@"
