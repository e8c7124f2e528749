"""The live pages without the theme around them, and stand-ins for their trained models."""

import base64
import re
from dataclasses import replace

import numpy as np
import torch

from claimbook.records import PROJECT, Record
from icllib.evaluate import ErrorByLength
from icllib.models import SignedAveraging, Transformer
from icllib.tasks import AffineFunctions
from icllib.training import Recipe, Run
from icllib.training.weights import save_weights
from papers import live_models as live

STATIC = PROJECT / "book/_static/live"
PLAIN = Transformer(2, 2, 8, uniform_start=True)
SEPARATE = replace(PLAIN, tokens="separate")
ORDERLESS = replace(PLAIN, layers=3, shared_layers=True, positions="none", queries_see_themselves=False)
DECODERS = {"softmax": SEPARATE, "SSA": replace(SEPARATE, scoring=SignedAveraging()),
            "prefix": replace(ORDERLESS, mask="prefix"), "causal": ORDERLESS}
LENGTHS = tuple(range(1, 40))


def untrained(decoder: Transformer) -> Run:
    """A run that nobody trains."""
    return Run(AffineFunctions(), decoder, Recipe(LENGTHS, 1), ErrorByLength((1,), 2))


def keep_untrained(patch, results) -> None:
    """Makes untrained decoders the page's models, with their weights in an empty results folder."""
    runs = {name: untrained(decoder) for name, decoder in DECODERS.items()}
    for run in runs.values():
        module = run.model.build([run.seed], 1, max(LENGTHS))
        for parameter in module.parameters():
            parameter.data *= 2  # or a point that moves would hardly move the answers
        noted = save_weights(run, results / "causal_lm/page/cpu", module, 0)
        Record.of(run, {"error": [1.0]}, {"profile": "cpu"} | noted).save(results / "causal_lm/page")
    patch.setenv("CLAIMBOOK_RESULTS", str(results))
    patch.setattr(live, "models", lambda: {name: [run] for name, run in runs.items()})
    patch.setattr(live, "LEARNED", dict.fromkeys(live.LEARNED, float("inf")))
    patch.setattr(live, "PROMPTS", 4)


def raw_html(name: str) -> str:
    """What a page of book/live hands to the browser as it is."""
    text = (PROJECT / f"book/live/{name}.md").read_text("utf-8")
    return "".join(re.findall(r"```\{raw\} html\n(.*?)```", text, re.DOTALL))


def write_page(folder, name: str, models, theme: str = "light"):
    """A file that shows a page, with the script `models` for its models; returns its address."""
    html = raw_html(name).replace("../../_static/live/models.js", models.as_uri())
    html = html.replace("../../_static", STATIC.parent.as_uri())
    path = folder / f"{name}-{theme}.html"
    path.write_text(f'<!doctype html><html data-theme="{theme}"><meta charset="utf-8">'
                    f'<meta name="viewport" content="width=device-width"><body>{html}', "utf-8")
    return path.as_uri()


def write_scripts(folder, *scripts):
    """A file that loads these scripts and shows nothing; returns its address."""
    tags = "".join(f'<script src="{script.as_uri()}"></script>' for script in scripts)
    (folder / "scripts.html").write_text(f'<!doctype html><meta charset="utf-8">{tags}', "utf-8")
    return (folder / "scripts.html").as_uri()


def unpacked(model: dict) -> dict[str, torch.Tensor]:
    """The tensors that `packed` has written, as the page reads them, in double precision."""
    numbers = torch.frombuffer(bytearray(base64.b64decode(model["weights"])), dtype=torch.int16)
    sizes = [int(np.prod(shape)) for _, shape, _ in model["tensors"]]
    return {name: scale * values.double().view(shape) for (name, shape, scale), values
            in zip(model["tensors"], numbers.split(sizes))}
