"""What the authors of a paper answer to the verdicts on their claims, from a file of theirs."""

from functools import cache

from claimbook.claims import Claim, load_claims
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, damage_told, read_text, read_yaml, there

FILE = "papers/{}/answers.yml"


@cache
def paper_answers(paper: str) -> tuple[dict, ...]:
    """All answers of a paper's authors: claim, by, date and text of each; none without a file.

    Raises InputError for a damaged file, for an answer that lacks one of these, and for one to a claim that
    is not there.
    """
    path = PROJECT / FILE.format(paper)
    if not there(path):
        return ()
    with damage_told(path, "answers"):
        found = read_yaml(read_text(path))["answers"] or []
        lacking = [own for own in found if set(own) != {"claim", "by", "date", "text"}
                   or not (isinstance(own["by"], str) and isinstance(own["text"], str))]
        known = {claim.number for claim in load_claims(paper)}
    if lacking:
        raise InputError(f"{path}: expected claim, by, date and text of each answer, got {lacking[0]}")
    if other := [own["claim"] for own in found if str(own["claim"]) not in known]:
        raise InputError(f"{path}: claim: expected the number of one of {paper}'s {len(known)} claims, "
                         f"got {other[0]!r}")
    return tuple(found)


def answers_to(claim: Claim) -> list[dict]:
    """Those to the verdict on one claim."""
    return [own for own in paper_answers(claim.paper) if str(own["claim"]) == claim.number]
