"""Linear self-attention with all its weights, trained by gradient descent on real prompts.

"A solvable attention for neural scaling laws", Section 2; the equation numbers are that paper's.
Nothing here uses that the tasks decouple, so that the decoupled solution can be compared with it.
"""

from dataclasses import dataclass

import numpy as np
import torch

from claimbook.records.checks import finite, fits, instance, integer, numbers, shaped
from claimbook.records.errors import InputError
from icllib.tasks import Prompt


@dataclass(frozen=True)
class Data:
    """Prompts as the model sees them, B of them: f = [V H W query] at row s."""

    contexts: np.ndarray  #: H = Phi Phi^T, (B, N_s + 1, N_s + 1)
    queries: np.ndarray  #: the query's feature, (B, N_s)
    rows: np.ndarray  #: s, counted from 0, (B,)
    targets: np.ndarray  #: the query's label, (B,)
    weights: np.ndarray  #: shares of the prompts in the loss, (B,); 1 / N each in Eq. 6

    def __post_init__(self):
        shaped((None, None), queries=self.queries)
        prompts, tasks = np.shape(self.queries)
        shaped((prompts, tasks + 1, tasks + 1), contexts=self.contexts)
        shaped((prompts,), "integers of at least 0", rows=self.rows)
        shaped((prompts,), targets=self.targets, weights=self.weights)
        if np.max(self.rows) >= tasks:
            raise InputError(f"rows: expected rows below {tasks}, the number of tasks, got {np.max(self.rows)}")


def data_matrices(prompt):
    """Phi of Eq. 4 of each prompt of a fleet of one, (B, N_s + 1, psi + 1); no query's label.

    Raises InputError for prompts that are not those of a fleet of one.
    """
    instance(Prompt, prompt=prompt)
    shaped((1, None, None, None), xs=prompt.xs)
    shaped(tuple(prompt.xs.shape[:3]), ys=prompt.ys)
    xs, ys = prompt.xs[0].numpy(), prompt.ys[0].numpy().copy()
    ys[:, -1] = 0
    return np.concatenate((xs, ys[..., None]), axis=-1).swapaxes(1, 2)


def data_of(prompt, types, weights) -> Data:
    """The prompts of a fleet of one; types: s, counted from 1, (B,); weights: (B,)."""
    phi = data_matrices(prompt)
    numbers("integers of at least 1", types=types)
    numbers(weights=weights)
    return Data(phi @ phi.swapaxes(1, 2), prompt.xs[0, :, -1].numpy(), np.asarray(types) - 1,
                prompt.ys[0, :, -1].numpy(), np.asarray(weights, dtype=float))


def outputs(data: Data, v, w):
    """f of every prompt, (B,); v: V, (N_s, N_s + 1); w: W, (N_s + 1, N_s)."""
    _check_data(data, v, w)
    return (v[data.rows] * (data.contexts @ (data.queries @ w.T)[..., None])[..., 0]).sum(-1)


def gradient_descent(data: Data, v, w, learning_rate: float, steps: int, trained=(1, 1)):
    """Gradient descent on Eq. 6: yields f of every prompt, V and W at steps 0 to `steps`.

    v, w: V and W at the start; later steps change the yielded arrays, so copy what is kept.
    trained: 1 for the entries that are trained and 0 for those that keep their start, for V and
    for W, against whose shapes they broadcast. Raises InputError for other shapes and negative steps.
    """
    _check_data(data, v, w)
    finite(learning_rate=learning_rate)
    integer(0, steps=steps)
    if not isinstance(trained, list | tuple) or len(trained) != 2:
        raise InputError(f"trained: expected two, for V and for W, got {trained!r:.200}")
    fits(np.shape(v), trained=trained[0])
    fits(np.shape(w), trained=trained[1])
    return _steps(data, np.array(v, dtype=float), np.array(w, dtype=float), learning_rate, steps,
                  [np.asarray(own) for own in trained])


def _check_data(data, v, w) -> None:
    """Raises InputError if it is not Data, and for what are no V and W for it."""
    instance(Data, data=data)
    tasks = data.queries.shape[1]
    shaped((tasks, tasks + 1), v=v)
    shaped((tasks + 1, tasks), w=w)


def _steps(data: Data, v, w, learning_rate, steps, trained):
    """f, V and W at each step, for `gradient_descent`."""
    chosen = (data.rows == np.arange(len(v))[:, None]).astype(float)  # (N_s, B)
    contexts = torch.from_numpy(data.contexts)  # its batched product is twice as fast as NumPy's
    for _ in range(steps + 1):
        v_s = v[data.rows]
        vectors = np.stack((data.queries @ w.T, v_s), axis=1)  # W query and v_s, (B, 2, N_s + 1)
        seen, seen_by_v_s = torch.bmm(torch.from_numpy(vectors), contexts).numpy().swapaxes(0, 1)
        f = (v_s * seen).sum(-1)
        yield f, v, w
        pull = learning_rate * data.weights * (f - data.targets)
        v -= trained[0] * ((chosen * pull) @ seen)
        w -= trained[1] * ((seen_by_v_s.T * pull) @ data.queries)
