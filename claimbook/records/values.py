"""Metrics of several records as one Series, labelled by the runs as they were recorded."""

import numpy as np
import pandas as pd

from claimbook.records.checks import text
from claimbook.records.components import from_settings, settings
from claimbook.records.errors import InputError
from claimbook.records.records import check_records


def values(records, metric: str, **labels) -> pd.Series:
    """A metric of these records, one number for each seed, label and place on the metric's own axes.

    labels: level -> a setting of the runs by its path, as in mask="model.mask", a component by its class; or
    a function of the recorded run. The seed is the first level wherever runs have one, unless seed="seed"
    stands among the labels. The metric's own levels, such as "length", are what `axes(metric)` of the
    recorded run says. Raises InputError for records that differ in a setting that no label names.
    """
    check_records(records)
    text(metric=metric, **{name: path for name, path in labels.items() if not callable(path)})
    if not records:
        raise InputError("records: expected at least one, got none")
    if "seed" not in labels and all("seed" in record.run for record in records):
        labels = {"seed": "seed"} | labels
    found, names = {}, []
    for record in records:
        own = tuple(path(record.component) if callable(path) else label_of(record.run, path)
                    for path in labels.values())
        axes = axes_of(record, metric)
        names = [*labels, *axes]
        for place, value in np.ndenumerate(np.asarray(record[metric], dtype=float)):
            key = own + tuple(ticks[index] for ticks, index in zip(axes.values(), place))
            if found.setdefault(key, (value, record))[1] is not record:
                raise InputError(f"records: expected labels that tell them apart, got {dict(zip(names, key))} twice; "
                                 "name another setting in which they differ")
    index = pd.MultiIndex.from_tuples(found, names=names) if len(names) > 1 else pd.Index(
        [key for key, in found], name=names[0])
    return pd.Series([value for value, _ in found.values()], index)


def label_of(run: dict, path: str):
    """The setting of a recorded run at this path: a plain value, or the class of a component."""
    for name in path.split("."):
        if not isinstance(run, dict):
            return None
        # a field that joined later is not recorded at its default
        run = run[name] if name in run else settings(getattr(from_settings(run), name, None))
    if isinstance(run, dict):
        return run["type"].replace(":", ".").rpartition(".")[2]
    return tuple(run) if isinstance(run, list) else run


def axes_of(record, metric: str) -> dict[str, list]:
    """The axes of a record's metric: name -> labels."""
    shape = np.shape(record[metric])
    if not shape:
        return {}
    run = record.component
    if not hasattr(run, "axes"):
        raise InputError(f"{type(run).__name__}: expected axes(metric), which names the axes of {metric}, found none")
    axes = {name: list(range(1, size + 1) if ticks is None else ticks)
            for (name, ticks), size in zip(run.axes(metric).items(), shape)}
    if tuple(map(len, axes.values())) != shape:
        raise InputError(f"{metric}: expected axes of the lengths {shape}, "
                         f"got {({name: len(ticks) for name, ticks in axes.items()})}")
    return axes
