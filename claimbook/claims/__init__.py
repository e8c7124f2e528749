"""Claims of the papers, what must hold before evidence counts, and the verdicts that follow."""

from claimbook.claims.claim import Claim, Paper, find_claim, load_claims, papers, read_paper
from claimbook.claims.gates import Competence, Gate, Scope

__all__ = ["Claim", "Competence", "Gate", "Paper", "Scope", "find_claim", "load_claims", "papers",
           "read_paper"]
