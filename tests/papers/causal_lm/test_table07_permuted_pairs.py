import numpy as np

from claimbook.claims import find_claim
from claimbook.claims.decisions import decide
from papers.causal_lm import table07_permuted_pairs, trained


def test_printed_errors_are_compared_on_the_paper_s_task_alone():
    """Models that are exactly as printed: not tested at half the task, and the constant answer fails."""
    claim, cells = find_claim("causal_lm.55"), trained.as_in_table_1()
    own = [cell for cell in cells if cell.task == "classes"]
    errors = {f"{c.task} {c.mask} {c.sharing}": np.full(3, table07_permuted_pairs.printed_error(c))
              for c in own}
    verdicts = {}
    for profile in ("smoke", "paper"):
        handed = trained.against_printed(errors, own, profile)
        decision = decide(claim, profile=profile, **handed)
        verdicts[profile] = decision.verdict
        assert decision.control_verdict == "fails"
    assert verdicts == {"smoke": "not tested", "paper": "holds"}
