#!/usr/bin/env bash
# Everything that wants a GPU; nothing here needs Jupyter.
#   benchmarks/on_gpu.sh prove               is a captured step the plain one? About 5 minutes, most
#                                            of them compilation; without a GPU everything else, which
#                                            takes a minute and proves this script
#   benchmarks/on_gpu.sh speed               model-steps per second, about 7 minutes
#   benchmarks/on_gpu.sh precision           the floors under the error, SSA beside softmax, and
#                                            its kernel; about 6 minutes
#   benchmarks/on_gpu.sh pages 450 [PAGE..]  missing records of profile gpu, stopped after so many
#                                            seconds (a fleet that is being evaluated ends later);
#                                            without pages, headline ones, most wanted first
#   benchmarks/on_gpu.sh check               rates of the card, a captured step beside the plain one,
#                                            SSA's step time as a record, 12/8/256 beside the usual
#                                            loop; ends after 180 s
#   benchmarks/on_gpu.sh train 450 PLAN      the fleets of a plan, the next one compiled while one
#                                            trains, for so many seconds. PLAN is a file that
#                                            `python -m icllib plan --profile gpu --json` made, as
#                                            planning takes up to a minute. More options follow it:
#                                            benchmarks/train_plan.py --help
# `make gpu-kit` makes a folder with a plan and compiled steps of the fleets that these two begin with:
# name it as $GPU_KIT. PLAN is then not needed.
# $ICLLIB_MEMBERS is the most models that train at once: what has finished needs no second call; a
# plan has its own (plan --members).
# New records are under results/, measurements under benchmarks/results/, checkpoints that the next
# call goes on from under runs/. $ARCHIVE names a .tgz for what was made, written every 20 seconds
# and at the end, so that a call which is killed loses little; a later call with the same name adds to
# it what it makes ($ARCHIVE.start marks since when). In a copy without git, $ICLLIB_COMMIT
# tells the records which code made them: the output of `git rev-parse --short=12 HEAD` where it was
# copied from, with "-dirty" if icllib/ was changed since.
set -uo pipefail
cd "$(dirname "$0")/.."
[ ! -x .venv/bin/python3 ] || PATH=$PWD/.venv/bin:$PATH
export PYTHONPATH=$PWD PYTHONUNBUFFERED=1

WANTED=(context_scaling/fig02_one_noise_level context_scaling/fig01_scaling
        causal_lm/few_shot_tokens)

pack() {  # what is newer than the start, through a file of this name, so that two may do it
  find results benchmarks/results -newer "$ARCHIVE.start" -type f ! -name '*.part' -print0 |
    tar czf "$scratch/$1" --null -T - && mv "$scratch/$1" "$ARCHIVE"
}
if [ -n "${ARCHIVE:-}" ]; then
  scratch=$(mktemp -d)
  [ -e "$ARCHIVE.start" ] || touch "$ARCHIVE.start"
  pack first || exit 2  # before any work, should it be impossible
  while sleep 20; do pack next; done > /dev/null 2>&1 &
  trap "kill $!; pack last" EXIT
fi

if [ -n "${GPU_KIT:-}" ]; then  # once: what is compiled later is kept beside it
  export TORCHINDUCTOR_CACHE_DIR=${TORCHINDUCTOR_CACHE_DIR:-$PWD/runs/compiled}
  export ICLLIB_COMMIT=${ICLLIB_COMMIT:-$(cat "$GPU_KIT/commit")}
  [ -d "$TORCHINDUCTOR_CACHE_DIR" ] ||
    python3 benchmarks/gpu_kit.py "$GPU_KIT" --unpack "$TORCHINDUCTOR_CACHE_DIR" || exit 2
fi

worst=0
refuse() {
  echo "on_gpu.sh: expected $1" >&2
  exit 2
}
end_after() {  # so many seconds from now
  [[ $1 =~ ^(0|[1-9][0-9]*)$ ]] || refuse "whole seconds, got ${1:-nothing}"
  end=$((SECONDS + $1))
}
try() {  # one failure does not end the others
  "$@" || worst=1
}

case "${1:-prove}" in
  prove)
    try python3 -m pytest -q -rs tests/training/test_capture.py tests/training/test_fallbacks.py \
      -k "captured or fallbacks"
    try python3 -m pytest -q -rs tests/models/test_signed_fused.py -k on_a_gpu
    try python3 benchmarks/bench.py --sizes 3/2/64 --members 1 4 --seconds 3 --dry-run
    try python3 -m icllib run context_scaling/fig01_scaling --profile smoke
    ;;
  speed)
    try python3 benchmarks/bench.py --seconds 6
    ;;
  precision)
    try python3 benchmarks/training_time.py
    try python3 benchmarks/precision.py --steps 3000
    try python3 benchmarks/signed_kernel.py
    ;;
  pages)
    end_after "${2:-}"
    shift 2
    [ $# -gt 0 ] || set -- "${WANTED[@]}"
    for page in "$@"; do  # a process each, as an error of the device stays with its process
      left=$((end - SECONDS))
      [ $left -le 0 ] || try python3 -m icllib run "$page" --profile gpu --time-limit $left
    done
    ;;
  check)
    try timeout 180 python3 benchmarks/check_gpu.py
    ;;
  train)
    end_after "${2:-}"
    plan=${3:-${GPU_KIT:+$GPU_KIT/plan.json}}
    [ -r "$plan" ] || refuse "a plan, found no file $plan"
    try python3 benchmarks/train_plan.py $((end - SECONDS)) "$plan" "${@:4}"
    ;;
  *)
    refuse "prove, speed, precision, pages SECONDS [PAGE..], check or train SECONDS PLAN, got $1"
    ;;
esac
exit $worst
