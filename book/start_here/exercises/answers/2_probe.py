def probe_error(known, answers, new, right):
    """Fit a linear map with a constant from `known` (n, width) to `answers` (n), and return its mean squared
    error on `new` and `right`."""
    with_one = lambda states: torch.cat((states, torch.ones(len(states), 1)), dim=1).double()
    weights = torch.linalg.lstsq(with_one(known), answers.double()[:, None]).solution
    return ((with_one(new) @ weights)[:, 0] - right).square().mean().item()
