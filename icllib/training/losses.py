"""The losses that training minimizes, and pairs in random order."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from claimbook.records.errors import InputError
from icllib.checks import prediction_shape
from icllib.streams import Stream, constant
from icllib.tasks import MaskedBatch, Prompt


def forward_of(module):
    """What answers in training: a module, or every layer of one with probes."""
    return module.predictions_by_layer if getattr(module, "probes", ()) else module


def recipe_losses(forward, prompt, recipe, weights=1.0, own=None) -> Tensor:
    """Each member's loss as a recipe says, a mean over prompts, queries and classes: (M,). weights: of the
    context lengths. own: a loss in place of the recipe's. With `loss_on_pairs` the outputs at the pairs count
    like those at the queries, with target 0 (Ding et al., Appendix E). Where `forward` answers after every
    layer, the sum over layers."""
    if recipe.loss == "masked tokens":
        return masked_losses(forward, prompt)
    lengths, points = recipe.layout
    options = {} if points == lengths else {"points": points}
    targets = prompt.ys.index_select(2, constant(points, prompt.ys.device))
    if recipe.loss_on_pairs:
        options["with_pairs"] = True
        zeros = torch.zeros_like(prompt.ys[:, :, : max(lengths)])
        targets = torch.cat((zeros, targets), dim=2)
    predictions = forward(prompt.xs, prompt.ys, lengths, **options).to(targets.dtype)
    prediction_shape(targets.shape, predictions)
    if own:
        losses = own(predictions, targets)
        if getattr(losses, "shape", None) != predictions.shape:
            raise InputError(f"loss: expected losses of the answers' shape, {tuple(predictions.shape)}, got "
                             f"{tuple(losses.shape) if isinstance(losses, Tensor) else losses!r:.100}")
    elif recipe.loss == "cross-entropy":  # predictions are log-odds
        losses = binary_cross_entropy_with_logits(predictions, targets.expand_as(predictions), reduction="none")
    else:
        losses = (predictions - targets).square()
    if targets.dim() == 4:  # one-hot labels
        losses = losses.mean(dim=-1)
    losses = (losses * weights).mean(dim=(-2, -1))
    return losses.sum(dim=0) if losses.dim() == 2 else losses


def masked_losses(forward, batch: MaskedBatch) -> Tensor:
    """Each member's cross-entropy, a mean over the hidden tokens: (M,)."""
    logits = forward(batch.tokens, batch.places, batch.ids)
    losses = cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), reduction="none")
    losses = losses.view_as(batch.targets) * batch.counted
    return losses.sum(dim=1) / batch.counted.sum(dim=1)


def permuted_pairs(prompt: Prompt, stream: Stream, draws: Tensor, pairs: int) -> Prompt:
    """Each prompt with its first `pairs` points in a random order (Ding et al., Table 7).
    draws: (M, B) integers, one for each time that a prompt is seen."""
    order = stream.words(draws, "pair order", pairs).argsort(dim=-1, stable=True)
    queries = torch.arange(pairs, prompt.xs.shape[2], device=order.device)
    order = torch.cat((order, queries.expand(*draws.shape, -1)), dim=-1)  # (M, B, N)

    def gather(tensor):
        index = order.view(*order.shape, *[1] * (tensor.dim() - 3)).expand_as(tensor)
        return tensor.gather(2, index)

    return Prompt(*map(gather, prompt))
