def floor(bound, sigma, draws=400_000):
    """The mean of max(|y| - bound, 0)^2 on lines of this sigma, by drawing them."""
    x, a, c = np.random.default_rng(0).normal(size=(3, draws))
    return np.mean(np.maximum(np.abs(sigma * (a * x + c)) - bound, 0) ** 2)
