"""Linear self-attention on features with Gaussian noise: its loss over all prompts, exactly.

"A solvable attention for neural scaling laws", Appendix H.2. A feature is q = +-(e_s + z), z ~
N(0, variance I), its label +-Lambda. Pairs c = (feature, label) and the query q, which comes
without its label, are all there is in Phi, so that the output of Eq. 4 for task s is

    f = v_s . (sum over pairs of c c^T) W q + (b . q) (q . B q),

where b is v_s and B the square part of W, both without the coordinate of the label. Pairs and query
are independent: E (f - y)^2 needs moments of one Gaussian vector, up to the sixth, and no sample.
Signs drop out, since c c^T does not change with that of c, nor f y with that of q.
"""

import torch
from torch import Tensor

from claimbook.records.checks import finite, integer, not_negative
from icllib.checks import tensors


def expected_losses(v: Tensor, w: Tensor, psi: int, strength: float, variance: float) -> Tensor:
    """E (f - y)^2 / 2 over all prompts of each task, whose mean over P(s) is Eq. 15: (N_s,).

    v: V, (N_s, N_s + 1); w: W, (N_s + 1, N_s); psi: pairs; strength: Lambda. Both
    in double precision; raises InputError for other shapes and a negative variance.
    """
    tensors((None, None), v=v)
    tensors((len(v), len(v) + 1), v=v)
    tensors((len(v) + 1, len(v)), w=w)
    integer(psi=psi)
    finite(strength=strength)
    not_negative(variance=variance)
    identity = torch.eye(len(v), dtype=v.dtype)
    mean = torch.nn.functional.pad(identity, (0, 1), value=strength)  # (e_s, Lambda) of a pair
    noise = torch.nn.functional.pad(v.new_full((1, len(v)), variance), (0, 1))  # none on labels
    own = (mean * v).sum(1)
    moved = noise * v + own[:, None] * mean  # E[c c^T] v_s
    query, along, crossed = _query_moments(psi * moved @ w, v[:, :-1], w[:-1], variance)
    squares = _squared_context(v, w, psi, mean, noise, moved) + 2 * crossed + query
    return (squares - 2 * strength * along + strength**2) / 2


def _squared_context(v, w, psi, mean, noise, moved) -> Tensor:
    """E (v_s . sum of c c^T . W q)^2: (N_s,).
    With M = W E[q q^T] W^T, A = E[c c^T] and m = E c, one pair has E[c c^T M c c^T] = 2 A M A +
    tr(M A) A - 2 (m . M m) m m^T, and each of the psi (psi - 1) products of two has A M A."""
    variance, gram, columns = noise[0, 0], w @ w.T, w.T  # column s of W is W e_s
    form = lambda x: variance * ((x @ gram) * x).sum(1) + (x * columns).sum(1) ** 2  # x . M x
    trace = (noise * (variance * gram.diagonal() + columns**2)).sum(1) + form(mean)
    one = 2 * form(moved) + trace * (v * moved).sum(1) - 2 * form(mean) * (mean * v).sum(1) ** 2
    return psi * one + psi * (psi - 1) * form(moved)


def _query_moments(a: Tensor, b: Tensor, square: Tensor, variance: float):
    """Moments of q ~ N(e_s, variance I) for rows a_s and b_s, with X = q . B q: (N_s,) each.
    E[(b . q)^2 X^2], E[a . q + (b . q) X] and E[(a . q) (b . q) X], by Stein's lemma, which turns
    a factor z of the noise into a derivative: E[z g(q)] = variance E[grad g(q)]."""
    own = lambda rows: rows.diagonal()  # the entry s of row s
    B = (square + square.T) / 2
    BB, aB, bB = B @ B, a @ B, b @ B
    X = variance * B.trace() + own(B)  # E X
    XX = X**2 + 2 * variance**2 * BB.trace() + 4 * variance * own(BB)  # E X^2
    slope = 2 * variance * own(bB)  # E[(b . z) X]
    slope_of_square = 4 * variance * (own(bB) * X + 2 * variance * (b * BB.T).sum(1))
    bend = 4 * variance**2 * (2 * (variance * (bB**2).sum(1) + own(bB) ** 2) + X * (bB * b).sum(1))
    query = (variance * (b * b).sum(1) + own(b) ** 2) * XX + 2 * own(b) * slope_of_square + bend
    along = own(a) + own(b) * X + slope
    crossed = ((variance * (a * b).sum(1) + own(a) * own(b)) * X + own(a) * slope
               + own(b) * 2 * variance * own(aB) + 2 * variance**2 * (aB * b).sum(1))
    return query, along, crossed
