"""How many parts would be wrong by chance, and how many claims were fixed before their records, in words."""

from collections import Counter

from claimbook.claims.chance import chance
from claimbook.claims.decisions import Decision
from claimbook.claims.history import fixed_before
from claimbook.website.papers import records_shown


def what_chance_does(decisions: list[Decision]) -> str:
    """A paragraph for the page on verdicts."""
    found, tested = chance(decisions), [item for item in decisions if item.profile]
    fixed = Counter(fixed_before(item.claim, records_shown(item.claim.page)) for item in tested)
    known = ("whether that is so is not known, for lack of a history" if fixed[None] == len(tested) else
             f"the history shows it of {fixed[True]} of {len(tested)} claims with evidence")
    return (f"Of the {found.parts} parts with evidence {found.spread} have several seeds with a spread; the others "
            f"are exact, or shares, or of models that have not learned. Leaving out one seed at a time, "
            f"{found.missed} of {found.left_out:,} lie outside the 95% interval that the other seeds of their part "
            f"predict: {found.missed / max(found.left_out, 1):.1%}, where 5% would be right. Of the {found.decided} "
            f"such parts that say something about {found.wrong_alone:.0f} at most would be wrong by chance if each had "
            f"an interval of 95% to itself. As the parts of a claim share the 5%, at most about "
            f"{found.wrong_claims:.0f} of these {found.claims} claims have a wrong part. That tells of chance alone, "
            f"and not of wrong bounds.\n\n"
            f"*Fixed before its records:* {known}.\n")
