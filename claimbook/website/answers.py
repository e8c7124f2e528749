"""What the authors of a paper answer to the verdicts on their claims, from a file of theirs."""

from functools import cache

from claimbook.claims import Claim
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, damage_told, read_text, read_yaml, there

FILE = "papers/{}/answers.yml"


@cache
def answers(paper: str) -> tuple[dict, ...]:
    """All answers of a paper's authors: claim, by, date and text of each; none without a file.

    Raises InputError for a damaged file and for an answer that lacks one of these.
    """
    path = PROJECT / FILE.format(paper)
    if not there(path):
        return ()
    with damage_told(path, "answers"):
        found = read_yaml(read_text(path))["answers"] or []
        lacking = [own for own in found if set(own) != {"claim", "by", "date", "text"}]
    if lacking:
        raise InputError(f"{path}: expected claim, by, date and text of each answer, got {lacking[0]}")
    return tuple(found)


def answers_to(claim: Claim) -> list[dict]:
    """Those to the verdict on one claim."""
    return [own for own in answers(claim.paper) if str(own["claim"]) == claim.number]
