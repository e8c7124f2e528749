#!/usr/bin/env bash
# Everything that wants a GPU, most wanted first.
#   benchmarks/on_gpu.sh prove         a minute at small sizes: does capture work, what does a step cost?
#   benchmarks/on_gpu.sh measure       the benchmarks
#   benchmarks/on_gpu.sh pages 540     missing records of profile gpu, stopped after so many seconds
# Needs no Jupyter. New records are under results/, measurements under benchmarks/results/.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH=$PWD PYTHONUNBUFFERED=1

case "${1:-prove}" in
  prove)
    python3 benchmarks/bench.py --seconds 3 --members 1 4
    python3 -m icllib run context_scaling/fig01_scaling --profile smoke
    python3 -m icllib status
    ;;
  measure)
    python3 benchmarks/bench.py --seconds 15
    python3 benchmarks/precision.py --steps 3000
    ;;
  pages)
    python3 -m icllib run all --profile gpu --time-limit "${2:?seconds}"
    ;;
  *)
    echo "on_gpu.sh: expected prove, measure or pages SECONDS, got $1" >&2
    exit 2
    ;;
esac
