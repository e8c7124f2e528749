#!/usr/bin/env bash
# one_gpu.sh COMMAND ...: runs it on one GPU of this machine that no other such command has, or, on a
# machine without one, as it is. Slurm and Kubernetes show a job its own GPU alone; Snakemake on one
# machine counts them, and tells no job which is its own.
set -uo pipefail
gpus=${CUDA_VISIBLE_DEVICES:-$(nvidia-smi --query-gpu=index --format=csv,noheader 2> /dev/null)}
gpus=(${gpus//,/ })
[ ${#gpus[@]} -gt 1 ] || exec "$@"
for gpu in "${gpus[@]}"; do
  exec 9> "${TMPDIR:-/tmp}/icllib-gpu-$UID-$gpu"  # held by the command, and free when it ends, however it ends
  flock --nonblock 9 && CUDA_VISIBLE_DEVICES=$gpu exec "$@"
done
echo "one_gpu.sh: expected a free one of ${#gpus[@]} GPUs, found none: start Snakemake with" \
  "--resources gpu=${#gpus[@]}" >&2
exit 2
