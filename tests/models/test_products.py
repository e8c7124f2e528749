"""Products of stacked matrices against torch in double precision."""


import pytest
import torch

from icllib.models import products
from icllib.models.products import affine, in_one_piece, product, suits_one_dnn

needs_one_dnn = pytest.mark.skipif(products.one_dnn is None, reason="no oneDNN in this torch")
LARGE, WIDENS, SMALL = (96, 160, 128), (96, 128, 160), (6, 5, 4)  # rows, in, out


@pytest.fixture(autouse=True, params=[False, pytest.param(True, marks=needs_one_dnn)])
def leads(request, monkeypatch):
    """Both ways, whichever processor this is."""
    monkeypatch.setattr(products, "LEADS", request.param)
    return request.param


def operands(members, rows, fan_in, fan_out, bias_rows=1):
    """bias, x and W in single precision, with gradients."""
    torch.manual_seed(0)
    shapes = (bias_rows, fan_out), (rows, fan_in), (fan_in, fan_out)
    return [torch.randn(members, *shape, requires_grad=True) for shape in shapes]


def results(function, tensors):
    """The value and the gradients of a weighted sum of it."""
    value = function(*tensors)
    weights = torch.linspace(-1, 1, value.numel(), dtype=value.dtype).view_as(value)
    return [value, *torch.autograd.grad((value * weights).sum(), tensors)]


def in_double(tensors):
    return [tensor.detach().double().requires_grad_() for tensor in tensors]


def test_value_and_gradients_are_those_of_double_precision():
    for members in [1, 3]:
        for size in [LARGE, WIDENS, SMALL]:
            for all_rows in [False, True]:
                tensors = operands(members, *size, bias_rows=size[0] if all_rows else 1)
                expected = results(lambda bias, x, weight: bias + x @ weight, in_double(tensors))
                for ours, exact in zip(results(affine, tensors), expected, strict=True):
                    assert ours.shape == exact.shape
                    assert (ours - exact).abs().max() < 1e-5 * exact.abs().max()
                expected = results(torch.matmul, in_double(tensors[1:]))
                for ours, exact in zip(results(product, tensors[1:]), expected, strict=True):
                    assert (ours - exact).abs().max() < 1e-5 * exact.abs().max()


def test_more_axes_and_operands_that_are_views():
    torch.manual_seed(0)
    x, weight = torch.randn(160, 8, 12, 2).permute(3, 2, 1, 0), torch.randn(2, 128, 160).mT
    torch.testing.assert_close(product(x, weight), torch.einsum("mbti,mio->mbto", x, weight),
                               atol=1e-4, rtol=1e-5)


def test_second_derivatives():
    _, x, weight = operands(2, *LARGE)

    def penalty(x, weight):
        slope, = torch.autograd.grad(product(x, weight).square().sum(), x, create_graph=True)
        return slope.square().mean(dim=(1, 2))

    expected = results(penalty, in_double([x, weight]))
    for ours, exact in zip(results(penalty, [x, weight]), expected, strict=True):
        assert (ours - exact).abs().max() < 1e-5 * exact.abs().max()


def test_a_member_has_the_same_bits_in_every_fleet():
    tensors = operands(3, *LARGE)
    together = results(affine, tensors)[0]
    for member in range(3):
        alone = affine(*(tensor[member : member + 1] for tensor in tensors))
        assert torch.equal(alone[0], together[member])


def test_numbers_that_are_not_finite_stay_with_their_member():
    bias, x, weight = operands(2, *LARGE)
    with torch.no_grad():
        x[0, 0, 0] = torch.nan
    _, *gradients = results(affine, [bias, x, weight])
    assert gradients[2][0].isnan().any()
    assert all(gradient[1].isfinite().all() for gradient in gradients)


@needs_one_dnn
def test_only_large_matrices_of_single_precision_on_a_cpu_go_to_one_dnn(leads, monkeypatch):
    _, x, weight = operands(1, *LARGE)
    assert suits_one_dnn(x, weight) == leads
    assert not suits_one_dnn(x.double(), weight.double())
    assert not suits_one_dnn(x.to("meta"), weight.to("meta"))
    assert not suits_one_dnn(x[:, :4], weight)
    assert not suits_one_dnn(x[..., :1], weight[:, :1])
    monkeypatch.setattr(products, "one_dnn", None)
    assert not suits_one_dnn(x, weight)
    torch.testing.assert_close(product(x, weight), torch.bmm(x, weight), atol=0, rtol=0)


@needs_one_dnn
def test_rows_that_lie_apart_are_copied_for_one_dnn(monkeypatch):
    monkeypatch.setattr(products, "LEADS", True)
    rows = torch.randn(64, 3, 128)[:, 1]
    for whole in (torch.randn(64, 128), torch.randn(128, 64).mT):
        assert in_one_piece(whole).data_ptr() == whole.data_ptr()
    assert in_one_piece(rows).is_contiguous() and torch.equal(in_one_piece(rows), rows)
    assert in_one_piece(rows.mT).is_contiguous() and torch.equal(in_one_piece(rows.mT), rows.mT)
    given, one_dnn = [], products.one_dnn
    monkeypatch.setattr(products, "one_dnn", lambda *operands: (given.append(operands),
                                                                one_dnn(*operands))[1])
    for weight in (rows.contiguous(), rows):
        product(torch.randn(1, 512, 64), weight[None])
    matrices = [each for operands in given for each in operands if torch.is_tensor(each)]
    assert len(given) == 2  # oneDNN's own loop over rows that lie apart took a thousand times as long
    assert all(each.is_contiguous() or each.mT.is_contiguous() for each in matrices)
