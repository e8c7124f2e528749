#!/usr/bin/env bash
# one_gpu.sh COMMAND ...: runs it on one GPU of this machine that no other such command has, or, on a
# machine without one, as it is. Slurm and Kubernetes show a job its own GPU alone; Snakemake on one
# machine counts them, and tells no job which is its own. GPUs that are hidden stay so.
set -uo pipefail
gpus=${CUDA_VISIBLE_DEVICES-$(nvidia-smi --query-gpu=index --format=csv,noheader 2> /dev/null)}
gpus=(${gpus//,/ })
[ ${#gpus[@]} -gt 1 ] || exec "$@"
for gpu in "${gpus[@]}"; do
  [ "$gpu" != -1 ] || break  # CUDA sees none from there on
  lock=${TMPDIR:-/tmp}/icllib-gpu-$UID-$gpu
  # Held by the command, and free when it ends, however it ends.
  exec 9> "$lock" || { echo "one_gpu.sh: TMPDIR: expected a folder to write to" >&2; exit 2; }
  flock --nonblock 9 && CUDA_VISIBLE_DEVICES=$gpu exec "$@"
done
echo "one_gpu.sh: expected a free one of ${#gpus[@]} GPUs, found none: start Snakemake with" \
  "--resources gpu=${#gpus[@]}" >&2
exit 2
