#!/usr/bin/env bash
# Everything that wants a GPU, most wanted first.
#   benchmarks/on_gpu.sh prove               a minute or two: is a captured step the plain one?
#   benchmarks/on_gpu.sh measure             the benchmarks, about 8 minutes
#   benchmarks/on_gpu.sh pages 540 [PAGE..]  missing records of profile gpu, stopped after so many
#                                            seconds; without pages, the headline ones
# Needs no Jupyter. New records are under results/, measurements under benchmarks/results/. In a copy
# without git, ICLLIB_COMMIT tells the records which code made them: the output of
# `git rev-parse --short=12 HEAD` where it was copied from, with "-dirty" if icllib/ was changed since.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH=$PWD PYTHONUNBUFFERED=1

WANTED=(signed_averaging/table01_scoring_functions signed_averaging/learned_exponents
        context_scaling/fig01_scaling causal_lm/table01_prefix_causal)

case "${1:-prove}" in
  prove)
    python3 -m pytest -q tests/test_compile.py -k captured
    python3 benchmarks/bench.py --sizes 3/2/64 --members 1 4 --seconds 3 --dry-run
    python3 -m icllib run context_scaling/fig01_scaling --profile smoke
    ;;
  measure)
    python3 benchmarks/bench.py --seconds 9
    python3 benchmarks/precision.py --steps 3000
    ;;
  pages)
    limit=${2:?seconds}
    shift 2
    [ $# -gt 0 ] || set -- "${WANTED[@]}"
    python3 -m icllib run "$@" --profile gpu --time-limit "$limit"
    ;;
  *)
    echo "on_gpu.sh: expected prove, measure or pages SECONDS [PAGE..], got $1" >&2
    exit 2
    ;;
esac
