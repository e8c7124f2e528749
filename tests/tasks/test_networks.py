"""ReLU networks, decision trees and classes of linear scores against plain loops and kernels."""

import math

import pytest
import torch
from standard_errors import STREAM, within_four_standard_errors

from icllib.tasks import DecisionTree, LinearClassification, ReluNetwork, networks

IDS, DOUBLE = torch.tensor([[4, 8, 9]]), torch.float64
MANY = torch.arange(20_000)[None]


def angle(one, other):
    """The angle between vectors: (..., d) -> (...)."""
    return torch.acos(torch.cosine_similarity(one, other, dim=-1))


@pytest.mark.parametrize("cached", (5, 35, 70))  # parts of points, of one prompt, of two
def test_relu_networks_in_parts_are_the_same_to_the_bit(monkeypatch, cached):
    task = ReluNetwork(3, width=5)
    whole = task.sample(STREAM, IDS, 7)
    monkeypatch.setattr(networks, "CACHED", cached)
    assert torch.equal(task.sample(STREAM, IDS, 7).ys, whole.ys)


def test_relu_networks_have_the_arc_cosine_kernel():
    """E[y y'] given x, x' (Cho and Saul, 2009), at the default scale."""
    prompt = ReluNetwork(4, width=3).sample(STREAM, MANY, 2, DOUBLE)
    one, other = prompt.xs[0, :, 0], prompt.xs[0, :, 1]
    theta = angle(one, other)
    kernel = (one.norm(dim=-1) * other.norm(dim=-1) / math.pi
              * (theta.sin() + (math.pi - theta) * theta.cos()))
    assert within_four_standard_errors(prompt.ys[0, :, 0] * prompt.ys[0, :, 1] - kernel, 0)
    assert within_four_standard_errors(prompt.ys[0, :, 0] ** 2 - one.square().sum(-1), 0)


def descend(point, tested, leaves, depth, node=0):
    """The label of a point, by recursion over the nodes of the tree."""
    if depth == 0:
        return leaves[node - len(tested)]
    child = 2 * node + (2 if point[tested[node]] > 0 else 1)
    return descend(point, tested, leaves, depth - 1, child)


@pytest.mark.parametrize("d, depth, active", [(1, 1, 1), (3, 2, 3), (20, 4, 20), (20, 4, 5)])  # the others are 0
def test_decision_tree_equals_recursion(d, depth, active):
    prompt = DecisionTree(d, depth).sample(STREAM, IDS, 30, DOUBLE, active=torch.tensor(active))
    tested = STREAM.integers(IDS, "tested", d, (2**depth - 1,))[0].tolist()
    leaves = STREAM.normal(IDS, "leaves", (2**depth,), DOUBLE)[0].tolist()
    for b in range(3):
        for i in range(30):
            point = prompt.xs[0, b, i].tolist()
            assert prompt.ys[0, b, i].item() == descend(point, tested[b], leaves[b], depth)
    assert torch.equal(prompt.ys, prompt.means)


def test_two_classes_separate_points_by_their_angle():
    """A random hyperplane through 0 separates x and x' with probability angle / pi."""
    prompt = LinearClassification(4, classes=2).sample(STREAM, MANY, 2)
    apart = (prompt.ys[0, :, 0, 0] != prompt.ys[0, :, 1, 0]).double()
    theta = angle(prompt.xs[0, :, 0], prompt.xs[0, :, 1])
    assert within_four_standard_errors(apart - theta / math.pi, 0)
    # The mean is 1/2 under any symmetric law; the dependence on the angle is not.
    assert within_four_standard_errors((apart - theta / math.pi) * (theta - math.pi / 2), 0)
