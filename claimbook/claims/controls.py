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


FROM_EVIDENCE = "roles exchanged", "no effect", "printed effect", "next part"


def controlled(claim, evidence: dict) -> dict | None:
    """A control that follows from the evidence, {part: samples}; None for one that the page measures. Raises
    InputError for a claim that lacks what its control needs."""
    if claim.control not in FROM_EVIDENCE:
        return None
    found, log = {}, claim.scale == "log"
    for place, part in enumerate(claim.parts):
        samples, printed = evidence[part], claim.printed_of(part)
        if claim.control == "roles exchanged":  # ratios upside down, all else with the other sign
            found[part] = [(1 / value if value else float("inf")) if log else -value for value in samples]
        elif claim.control == "no effect":
            found[part] = [1.0 if log else 0.0]
        elif claim.control == "next part" and len(claim.parts) > 1:
            found[part] = evidence[claim.parts[place - 1]]
        elif claim.control == "printed effect" and log and printed is not None:
            found[part] = [value * printed for value in samples]
        else:
            needed = "several parts" if claim.control == "next part" else f"a printed ratio of {part!r}"
            raise InputError(f"{claim.id}: control: expected {needed} for {claim.control!r}, got another claim")
    return found
