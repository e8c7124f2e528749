"""A verdict as four short sentences made by code: the paper, ours, what is excluded, the caveat."""

from collections import Counter

import numpy as np

from claimbook.claims.decisions import Decision
from claimbook.claims.rule import LEAD, MARGINS, STATES, interval

ANYWHERE, POSITIVE, SHARE = (-np.inf, np.inf), (0, np.inf), (0, 1)  # what a quantity can be


def sentence(item: Decision) -> str:
    """The result of a claim: a short sentence for each thing that there is to tell."""
    if item.profile is None:
        return f"Not tested: {item.claim.not_run or 'the claim waits for its run'}."
    if item.claim.faulty:
        return f"Not tested: {item.claim.faulty}."
    parts = tuple(part for part in item.claim.judged if item.state(part) != "not tested")
    if not parts:
        scope = item.claim.scope
        beyond = scope and item.profile not in scope.profiles
        return f"Not tested: {scope.because if beyond else 'too few models have learned'}."
    found = f"{ours_in_words(item, parts)}: {states_in_words(item, item.claim.judged)}"
    told = [printed(item, parts), found, pairs_in_words(item, parts), sizes_in_words(item, parts),
            behind(item)]
    if item.claim.added:
        told.append(f"Of parts that we added: {states_in_words(item, tuple(item.claim.added))}")
    return " ".join(f"{text}." for text in told if text)


def printed(item: Decision, parts) -> str:
    """The numbers that the paper prints for these parts; empty if it prints words."""
    values = [item.claim.printed_of(part) for part in parts]
    if item.claim.predicate == "identity" or None in values:
        return ""
    word = "The paper, corrected" if item.claim.printed["read"] == "corrected" else "The paper prints"
    return f"{word} {span(values) if item.claim.kind_of(parts[0]) is None else as_times(values)}"


def ours_in_words(item: Decision, parts) -> str:
    """The means of these parts and the ends of their intervals."""
    found = [interval(item.counted(part), item.claim.scale) for part in parts]
    means, lows, highs = zip(*found)
    ends = [min(lows), max(highs)] if means != lows else []
    if item.claim.kind_of(parts[0]) is None:
        return f"Ours {span(means)}" + (f" ({span(ends)})" if ends else "")
    return f"Ours {as_times(means, ends)}"


def as_times(ratios, ends=()) -> str:
    """Ratios and the ends of their intervals in words: "2 to 5 times lower (1.5 to 6)" where all lie below 1,
    "higher" where all lie above, and "0.9 times as high" else."""
    way, all_of = "as high", [*ratios, *ends]
    if min(all_of) > 1:
        way = "higher"
    elif 0 < min(all_of) and max(all_of) < 1:
        way, ratios, ends = "lower", [1 / ratio for ratio in ratios], [1 / end for end in ends]
    return f"{span(ratios)} times {way}" + (f" ({span(ends)})" if ends else "")


def span(values, digits: int = 3) -> str:
    """The least and the greatest of some numbers: "0.98 to 1.01"."""
    return " to ".join(dict.fromkeys(short(end, digits) for end in (min(values), max(values))))


def states_in_words(item: Decision, parts) -> str:
    """How many of these parts are in which state."""
    counts = Counter(map(item.state, parts))
    margins = {MARGINS[kind] for part in parts if item.state(part) == "no difference"
               and (kind := item.claim.kind_of(part))}
    words = {state: state for state in STATES if counts[state]}
    if margins:
        words["no difference"] += f" beyond {' or '.join(f'{margin - 1:.0%}' for margin in sorted(margins))}"
    if len(parts) == 1:
        return words[item.state(parts[0])]
    found = ", ".join(f"{told} in {counts[state]}" for state, told in words.items())
    return f"{found} of {len(parts)} parts{', same models' * item.same_models}"


def pairs_in_words(item: Decision, parts) -> str:
    """In how many pairs of seeds the model leads; empty for claims that are not judged so."""
    found = [share for part in parts if (share := item.share(part))]
    if not found:
        return ""
    better = ", ".join(f"{won:g} of {count}" for won, count, *_ in found)
    excluded = sum(high < LEAD for *_, high in found)
    low, high = min(low for *_, low, _ in found), max(high for *_, high in found)
    text = f"Better in {better} pairs of seeds (a share of {short(low, 2)} to {short(high, 2)})"
    if excluded:
        text += (", a lead in three of four is excluded"
                 + f" in {excluded} of {len(found)}" * (len(found) > 1))
    return text


def sizes_in_words(item: Decision, parts) -> str:
    """Whether models like ours give the printed numbers; empty for parts without a size."""
    found = [size for part in parts if (size := item.size(part))]
    if not found:
        return ""
    count = lambda name: sum(bool(getattr(size, name)) for size in found)
    told = {"models like ours exclude the printed number": count("excluded"),
            "models like ours cannot reach the printed number, whatever is compared": count("out_of_reach"),
            "half the printed effect is excluded": count("half_excluded")}
    if not any(told.values()):
        told = {"models like ours give the printed number": 0}
    text = "; ".join(f"in {count or len(found)} of {len(found)} parts " * (len(found) > 1) + words
                     for words, count in told.items() if count or len(told) == 1)
    return f"{text[0].upper()}{text[1:]}"


def behind(item: Decision) -> str:
    """How much more our models err than the paper's; empty where they err no more, or nobody knows."""
    ratios = [one / other for one, other in item.competence or () if other]
    worse = max(ratios, default=0) > MARGINS["ratio of errors"]
    return f"Our models err {span(ratios, 2)} times as much as the paper's" if worse else ""


def competence(item: Decision) -> str:
    """Our models' error at the gate beside the printed number; empty if nothing was trained."""
    if not item.gate:
        return ""
    if not item.competence:
        return "the paper prints no number for it"
    ours, theirs = zip(*item.competence)
    numbers = f"{span(ours, 2)} against {span(theirs, 2)}, {item.claim.competence.source}"
    if not all(theirs):
        return numbers
    return f"{span([one / other for one, other in item.competence], 2)} times the printed ({numbers})"


def short(value: float, digits: int) -> str:
    """A number with this number of digits: 0.12, 1.2e-05, but 120 and not 1.2e+02."""
    return f"{float(f'{value:.{digits}g}'):.15g}"


def with_interval(samples, digits: int = 2, scale: str = "linear", within=ANYWHERE) -> str:
    """A mean and its 95% interval over seeds as text, with more digits if its ends would look equal; without
    spread only the number. within: what the quantity can be, such as SHARE; the interval is cut there."""
    mean, *ends = interval(samples, scale)
    low, high = np.clip(ends, *within)
    for count in range(digits, digits + 3):
        if short(low, count) != short(high, count):
            return f"{short(mean, count)} [{short(low, count)}, {short(high, count)}]"
    return short(mean, digits)
