"""Figure 1: how pairs and queries change from layer to layer."""

from dataclasses import dataclass

from claimbook.records import Component
from icllib.attention import causal_pairs, full_pairs
from icllib.tasks import LinearRegression
from papers.causal_lm.layers import draw_prompts, layer_seeds, run_layers


@dataclass(frozen=True)
class Dynamics(Component):
    """Figure 1: the last coordinate of pairs and queries of one prompt, after each layer."""

    dimension: int = 16  # Section 5.1
    pairs: int = 40  # Section 5.1
    queries: int = 200  # Section 5.1
    layers: int = 50  # Appendix E.1
    step_size: float = 1.6  # Appendix E.1
    every: int = 5  # ASSUMED: one pair in `every` is kept for the figure
    shown_queries: int = 4  # ASSUMED: few curves are easier to read
    seed: int = 0

    def axes(self, metric: str) -> dict:
        pairs = {"pair": range(self.every, self.pairs + 1, self.every)}
        return ((pairs if metric.endswith("_pairs") else {"query": None})
                | ({} if metric == "query_labels" else {"layer": range(self.layers + 1)}))

    def measure(self) -> dict:
        """Curves (shown, layers + 1); the last distance to the limit over the first."""
        task = LinearRegression(self.dimension, inputs="uniform")
        prompt = draw_prompts(task, self.seed, 1, self.pairs + self.queries)
        labels = prompt.ys[0, self.pairs :]
        metrics = {"query_labels": labels[: self.shown_queries]}
        for name, mask in (("prefix", full_pairs), ("causal", causal_pairs)):
            outputs = run_layers(prompt, self.pairs, self.step_size, self.layers, mask)[:, 0]
            pairs, queries = outputs[:, : self.pairs], outputs[:, self.pairs :]
            metrics[f"{name}_pairs"] = pairs.T[self.every - 1 :: self.every]
            metrics[f"{name}_queries"] = queries.T[: self.shown_queries]
            metrics[f"{name}_pairs_left"] = float(pairs[-1].norm() / pairs[0].norm())
            metrics[f"{name}_queries_left"] = float((queries[-1] + labels).norm() / labels.norm())
        return metrics


def runs(profile: str) -> list[Dynamics]:
    """Figure 1: the first seed is drawn, the claims use all seeds."""
    return [Dynamics(seed=seed) for seed in layer_seeds(profile)]
