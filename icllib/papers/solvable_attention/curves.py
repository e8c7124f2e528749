"""The curves of Figure 4: losses and the power laws drawn beside them."""

from icllib.plotting import POSITIVE, band, series
from icllib.theory.scaling_laws import theory_exponents

PANELS = (("time", "beta"), ("compute", "beta"), ("time", "gamma"),
          ("size", "gamma"), ("data", "gamma"), ("compute", "gamma"))  # (a) to (f)


def law_curves(records, figure: str, anchors: dict, profile: str) -> list:
    """Figure 4 as tables: each record's losses, and its power laws through the loss at an anchor.

    The generic law only where it differs from that of Table 2.
    records: one per beta or gamma. figure: a word before the panels' names. anchors: law -> x.
    """
    tables = []
    for law, varied in PANELS:
        other, = {"beta", "gamma"} - {varied}
        for record in records:
            if record.run[other] == 0:
                value = f"{varied} = {record.run[varied]:g}"
                for name, ys in _lines(record, law, anchors[law]).items():
                    tables.append(series(f"{figure}: {law}, {varied}", f"{value}{name}",
                                         record[law], ys, profile, POSITIVE))
    return tables


def _lines(record, law, anchor) -> dict:
    """The losses and what is drawn beside them, by the end of their names."""
    xs, losses = record[law], record[f"{law}_loss"]
    lines = {"": record["data_samples"] if law == "data" and "data_samples" in record.metrics
             else losses}
    setting = [record.run[name] for name in ("alpha", "beta", "gamma")]
    printed = theory_exponents(*setting, large_strength=True)[law]
    generic = theory_exponents(*setting)[law]
    exponents = {", Table 2": printed} | ({", generic": generic} if generic != printed else {})
    nearest = abs(xs - anchor).argmin()
    for form, exponent in exponents.items():
        lines[form] = losses[nearest] * (xs / xs[nearest]) ** exponent
    if f"{law}_limit" in record.metrics:
        lines[", t to infinity"] = record[f"{law}_limit"]
    return lines


def size_curves(record, panel: str, profile: str) -> list:
    """The loss against C = D t for each of eight sizes, as tables."""
    curves = zip(record["some_compute"], record["some_loss"])
    return [band(panel, f"size {number}", xs, ys, ys, ys, 1, profile)
            for number, (xs, ys) in enumerate(curves)]
