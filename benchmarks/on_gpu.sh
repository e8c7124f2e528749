#!/usr/bin/env bash
# Everything that wants a GPU, most wanted first; nothing here needs Jupyter.
#   benchmarks/on_gpu.sh prove               is a captured step the plain one? About 5 minutes, most
#                                            of them compilation; without a GPU everything else, which
#                                            takes a minute and proves this script
#   benchmarks/on_gpu.sh speed               model-steps per second, about 7 minutes
#   benchmarks/on_gpu.sh precision           the floors under the error, SSA beside softmax, and
#                                            its kernel; about 6 minutes
#   benchmarks/on_gpu.sh pages 450 [PAGE..]  missing records of profile gpu, stopped after so many
#                                            seconds (a fleet that is being evaluated ends later);
#                                            without pages, headline ones, most wanted first
#   benchmarks/on_gpu.sh fleets 450 [PLAN]   the same fleet by fleet, those first that settle most
#                                            open claims per minute; PLAN is a file that `python -m
#                                            icllib plan --profile gpu --json` made elsewhere, as
#                                            planning takes up to a minute
# $ICLLIB_MEMBERS is the most models that train at once: what has finished needs no second call. A
# PLAN has its own (plan --members).
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
  fleets)
    end_after "${2:-}"
    plan=${3:-$(mktemp)}
    [ -r "$plan" ] || refuse "a plan, found no file $plan"
    [ -n "${3:-}" ] || python3 -m icllib plan --profile gpu --json \
      ${ICLLIB_MEMBERS:+--members "$ICLLIB_MEMBERS"} > "$plan" || exit 2
    while read -r -a records; do
      left=$((end - SECONDS))
      [ $left -le 0 ] || try python3 -m icllib train "${records[@]}" --time-limit $left < /dev/null
    done < <(tr -d '\n' < "$plan" | grep -o '"records": \[[^]]*\]' | sed 's/"records": //; s/[][",]/ /g')
    ;;
  *)
    refuse "prove, speed, precision, pages SECONDS [PAGE..] or fleets SECONDS [PLAN], got $1"
    ;;
esac
exit $worst
