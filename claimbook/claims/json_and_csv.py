"""Verdicts for programs: entries of claims.json and of `claims --json`, rows of claims.csv.

All come from `claim_as_json`, so that they cannot differ.
"""

import csv
import io
import math

from claimbook.claims.decisions import SEEN, Decision
from claimbook.claims.rule import interval
from claimbook.claims.sentences import sentence

COLUMNS = ["id", "part", "verdict", "words", "seen", "says", "printed", "mean", "low", "high", "at_least",
           "at_most", "counted", "seeds", "printed_excluded", "half_excluded", "out_of_reach", "pairs_led",
           "pairs", "part_added_by_us", "evidence", "profile", "headline", "added_by_us", "post_hoc",
           "rule_later", "source", "page", "statement", "statistic", "sentence"]


def claim_as_json(item: Decision) -> dict:
    """A claim with all that its verdict follows from, for JSON."""
    claim = item.claim
    return {"id": claim.id, "paper": claim.paper, "headline": claim.headline, "source": claim.source,
            "statement": claim.statement, "printed": claim.printed, "predicate": claim.predicate,
            "statistic": claim.statistic, "scale": claim.scale, "kind": claim.kind, "null": claim.null,
            "tolerance": claim.tolerance, "verdict": item.verdict, "words": item.words,
            "seen": None if item.verdict == "not tested" else SEEN[item.strength],
            "beside": item.beside, "sentence": sentence(item), "evidence": item.strength,
            "profile": item.profile, "post_hoc": claim.post_hoc, "rule_later": claim.rule_later,
            "added_by_us": claim.ours, "page": claim.page, "printed_on": claim.printed_on,
            "not_run": claim.not_run, "cost": claim.cost, "same_models": item.same_models,
            "gate": item.gate and {part: finite_or_none(values) for part, values in item.gate.items()},
            "competence": [{"ours": ours, "printed": printed} for ours, printed in item.competence],
            "control": claim.control, "control_verdict": item.control_verdict,
            "parts": [part_entry(item, part) for part in item.evidence or ()]}


def part_entry(item: Decision, part: str) -> dict:
    """What was measured for a part; the mean and its interval are of the samples that count."""
    mean, low, high = finite_or_none(interval(item.counted_or_all(part), item.claim.scale))
    bottom, top = finite_or_none(item.claim.region(part))
    size, share = item.size(part), item.share(part) or (None,) * 4
    between = finite_or_none([size.low, size.high]) if size else [None, None]
    return {"part": part, "part_added_by_us": part in item.claim.added, "says": item.state(part),
            "mean": mean, "low": low, "high": high, "at_least": bottom, "at_most": top,
            "printed_number": item.claim.printed_of(part),
            "one_more_low": between[0], "one_more_high": between[1],
            "printed_excluded": size and size.excluded, "half_excluded": size and size.half_excluded,
            "out_of_reach": size and size.out_of_reach,
            "pairs_led": share[0], "pairs": share[1], "share_low": share[2], "share_high": share[3],
            "counted": len(item.counted(part)), "seeds": len(item.evidence[part]),
            "samples": finite_or_none(item.evidence[part])}


def finite_or_none(values) -> list[float | None]:
    """Numbers for JSON, which has no infinity and no NaN."""
    return [value if math.isfinite(value) else None for value in values]


def as_csv(decisions: list[Decision]) -> str:
    """A row for each part of each claim; claims that were not run have one row without numbers."""
    rows = []
    for item in map(claim_as_json, decisions):
        printed = item["printed"]["value"]
        for part in item["parts"] or [{"part": None}]:
            value = printed.get(part["part"]) if isinstance(printed, dict) else printed
            rows.append(item | part | {"printed": value})
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def harmless(value):
    """A cell of a CSV file, with ' before a text that a spreadsheet would compute."""
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
