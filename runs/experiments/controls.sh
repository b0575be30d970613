#!/bin/sh
# See README.md beside this. Steps late in a message are bad in the default, simulated world.
cd "$(dirname "$0")/../.." || exit 1
MODEL=${MODEL:-simulated:ttft=500,decode=40,stepTokens=30,accuracy=0.95/0.9/0.6/0.3,delta=0.04,epsilon=0.08}
exec ${DUPLEX:-node dist/cli/main.js} experiment controls --model "$MODEL" --out "${OUT:-runs/experiments/out/controls}" \
  --items 60 --samples 40 --policy never,after:3,random:0.2,prompted,own:0.8,oracle "$@"
