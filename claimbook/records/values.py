"""Metrics of several records as one Series, labelled by the runs as they were recorded."""

from itertools import groupby, product

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
    frames, numbers = [], []  # a record that is given twice counts once
    for axes, group in groupby({id(one): one for one in records}.values(), lambda record: axes_of(record, metric)):
        group = list(group)
        own = [[path(record.component) if callable(path) else label_of(record.run, path) for path in labels.values()]
               for record in group]
        places = pd.DataFrame(product(*axes.values()), columns=list(axes))
        frames.append(pd.DataFrame(own, columns=list(labels)).merge(places, how="cross"))
        numbers += [np.ravel(record[metric]) for record in group]
    frame = pd.concat(frames, ignore_index=True)
    index = pd.MultiIndex.from_frame(frame) if len(frame.columns) > 1 else pd.Index(frame.squeeze("columns"))
    if index.has_duplicates:
        raise InputError("records: expected labels that tell them apart, got "
                         f"{frame[index.duplicated()].iloc[0].to_dict()} twice; name another setting that differs")
    return pd.Series(np.concatenate(numbers).astype(float), index)


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
