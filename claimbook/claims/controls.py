"""Controls: the statistic of a claim where the claim must not hold.

If the control gets the same verdict, the claim's verdict shows nothing. Some controls follow from
the evidence, the others are measured by the page, from the same records or in seconds.
"""

from claimbook.records.errors import InputError

CONTROLS = {  # kind -> what it is; those of FROM_EVIDENCE are computed here
    "roles exchanged": "the two that are compared in each other's place",
    "rival model": "the model that the paper says the opposite of, in the model's place",
    "no effect": "what is compared makes no difference: a ratio of 1, a slope or difference of 0",
    "printed effect": "ours times the printed ratio: would an effect as large as the paper's be seen?",
    "next part": "each part judged by what the paper prints for the next one",
    "ridge regression": "the best linear predictor, which uses every pair, in the model's place",
    "zero predictor": "the answer 0, whatever the prompt",
    "untrained model": "the model before its first step of training, or before it has learned",
    "inconsistent estimator": "an estimator that does not become exact with ever more data",
    "another prompt's labels": "labels of another prompt in the context, which say nothing of the query",
    "other mask": "the model with the other attention mask",
    "other law": "the closed form with the exponents of another regime",
    "term left out": "the formula, or the line that is fitted, without one of its terms",
    "one percent off": "the formula with one coefficient changed by one percent",
    "uniform attention": "attention that weighs all tokens alike",
    "exact answers": "the right answer to every prompt, in the model's place",
    "other data": "data, or a model, for which the opposite is known",
}


def controlled(claim, evidence: dict) -> dict | None:
    """A control that follows from the evidence, {part: samples}; None for one that the page measures."""
    change = FROM_EVIDENCE.get(claim.control)
    return change and {part: change(claim, evidence, place) for place, part in enumerate(claim.parts)}


def exchanged(claim, evidence: dict, place: int) -> list[float]:
    """Ratios upside down, differences and slopes with the other sign."""
    samples = evidence[claim.parts[place]]
    if claim.scale == "log":
        return [1 / value if value else float("inf") for value in samples]
    return [-value for value in samples]


def with_printed_effect(claim, evidence: dict, place: int) -> list[float]:
    """Ours times the printed ratio; raises InputError for a part without one."""
    part = claim.parts[place]
    if claim.scale != "log" or claim.printed_of(part) is None:
        raise InputError(f"{claim.id}: control: expected a printed ratio of {part!r} for 'printed effect', got none")
    return [value * claim.printed_of(part) for value in evidence[part]]


def of_next_part(claim, evidence: dict, place: int) -> list[float]:
    """The evidence of another part; raises InputError if the claim has only one."""
    if len(claim.parts) < 2:
        raise InputError(f"{claim.id}: control: expected several parts for 'next part', got one")
    return evidence[claim.parts[place - 1]]


FROM_EVIDENCE = {"roles exchanged": exchanged,
                 "no effect": lambda claim, *_: [1.0 if claim.scale == "log" else 0.0],  # ratio, or slope
                 "printed effect": with_printed_effect, "next part": of_next_part}
