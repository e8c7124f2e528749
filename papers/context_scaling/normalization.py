"""Section 4: four readings of SGPT, with and without signs and the last skip connection."""

from dataclasses import dataclass, replace

from torch import nn

from claimbook.records import Component
from claimbook.records.checks import Size
from icllib.training import Run
from papers.context_scaling.scaling import at_seeds, evaluation, scaling_tasks, transformers

FORMS = {  # readings of phi (Section 4) and of the last skip connection (Eq. 13 or Section 4)
    "signed, skip": {"normalization": "l1", "mlp_skip": True},
    "absolute, skip": {"normalization": "absolute", "mlp_skip": True},
    "signed, no skip": {"normalization": "l1", "mlp_skip": False},
    "absolute, no skip": {"normalization": "absolute", "mlp_skip": False},
}


@dataclass(frozen=True)
class PublicNormalizations(Component):
    """The normalization layers of the public class of GPT-2."""

    layers: Size = 12

    def measure(self) -> dict:
        """Their numbers: of batch and of layer normalizations."""
        from transformers import GPT2Config, GPT2Model  # an optional dependency, slow to import

        parts = list(GPT2Model(GPT2Config(n_layer=self.layers, n_head=2, n_embd=16, vocab_size=10)).modules())
        count = lambda kind: sum(isinstance(part, kind) for part in parts)
        return {"batch": count(nn.modules.batchnorm._NormBase), "layer": count(nn.LayerNorm)}


def public(profile: str) -> list[PublicNormalizations]:
    """Claim 40: what GPT-2 has."""
    return [PublicNormalizations()]


def runs(profile: str) -> list:
    """All of the page."""
    return trained(profile) + public(profile)


def trained(profile: str) -> list[Run]:
    """Equation 13 and Section 4: every form of SGPT on the tasks of Figure 8."""
    runs = []
    for task, lengths in scaling_tasks(profile).values():
        sgpt, recipe = transformers(profile, lengths=lengths)["SGPT"]
        forms = [(replace(sgpt, **form), recipe) for form in FORMS.values()]
        runs += at_seeds(task, forms, evaluation(lengths, profile), profile)
    return runs
