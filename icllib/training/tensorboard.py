"""Losses during training, shown in TensorBoard."""

import os

from claimbook.records.errors import InputError
from claimbook.records.files import folder_named


def board(name: str):
    """Returns a function (step, losses) that logs to TensorBoard if $CLAIMBOOK_TENSORBOARD is set."""
    if not os.environ.get("CLAIMBOOK_TENSORBOARD"):
        return lambda step, losses: None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise InputError("CLAIMBOOK_TENSORBOARD: expected the package tensorboard, which is not "
                         "installed") from None
    writer = SummaryWriter(folder_named("CLAIMBOOK_TENSORBOARD", "") / name)

    def log(step, losses):
        of_members = {str(m): float(loss) for m, loss in enumerate(losses.mean(dim=0))}
        writer.add_scalars("loss", of_members, step)
        writer.flush()  # a worker may end without closing it

    return log
