"""Configuration files of Garg et al.'s public code (2022), as they are: YAML that may inherit other YAML."""

from pathlib import Path

from claimbook.records.checks import instance, integer
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, read_text, read_yaml
from icllib.evaluate import ErrorByLength
from icllib.models import Transformer
from icllib.tasks import DecisionTree, FunctionPool, LinearRegression, ReluNetwork, SparseLinear
from icllib.training import Curriculum, Recipe, Run

TASKS = {  # by their names: ours, and what they call its settings
    "linear_regression": (LinearRegression, {"scale": "weight_std"}),
    "noisy_linear_regression": (LinearRegression, {"scale": "weight_std", "noise_std": "noise_std"}),
    "sparse_linear_regression": (SparseLinear, {"sparsity": "nonzero"}),
    "relu_2nn_regression": (ReluNetwork, {"hidden_layer_size": "width"}),
    "decision_tree": (DecisionTree, {"depth": "depth"}),
}
WHERE_AND_HOW_OFTEN = ("out_dir", "wandb.", "training.save_every_steps", "training.keep_every_steps",
                       "training.resume_id")  # something is kept or logged: no model depends on it
ONLY = {"model.family": "gpt2", "training.data": "gaussian", "test_run": False}  # what we can say of these
PROMPTS = 1280  # of their evaluation


def from_garg(path) -> Run:
    """The run of a configuration file of Garg et al.'s code (2022), measured at each number of pairs.

    path: their YAML, with `inherit`; a key of a file stands before what it inherits, and the last of several
    inherited files before the others. Raises InputError, by the key's name, for what is missing, and for what
    this library cannot say.
    """
    instance(str | Path, path=path)
    keys = inherited(Path(path))
    try:
        return run_of({key: value for key, value in flat(keys).items()
                       if not key.startswith(WHERE_AND_HOW_OFTEN) and value is not None})
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def inherited(path: Path, heirs: tuple = ()) -> dict:
    """What a file says, with the files that it inherits; heirs: the files that inherit this one."""
    with damage_told(path, "a file of YAML"):
        own = read_yaml(read_text(path.resolve()))
    instance(dict, "keys with values", **{str(path): own})
    files, merged, heirs = own.pop("inherit", None) or [], {}, (*heirs, path.resolve())
    for name in files if isinstance(files, list) else [files]:
        if (parent := (path.parent / str(name)).resolve()) in heirs:
            raise InputError(f"{path}: inherit: expected other files, got {name}, which inherits this one")
        merged = over(merged, inherited(parent, heirs))
    return over(merged, own)


def over(below: dict, above: dict) -> dict:
    """The keys of both; where both have one, that of `above`."""
    both = lambda key: isinstance(below.get(key), dict) and isinstance(above[key], dict)
    return below | {key: over(below[key], value) if both(key) else value for key, value in above.items()}


def flat(keys: dict, before: str = "") -> dict:
    """Nested keys by their whole names: {"a": {"b": 1}} is {"a.b": 1}."""
    found = {}
    for key, value in keys.items():
        if max(len(before), len(found)) > 1000:  # a mapping within itself, or one named again and again
            raise InputError(f"{before:.40}...: expected a thousand keys at most, got more")
        found |= flat(value, f"{before}{key}.") if isinstance(value, dict) else {f"{before}{key}": value}
    return found


def run_of(told: dict) -> Run:
    """The run of these keys, all of which have to be understood."""
    for key, value in ONLY.items():
        if (got := told.pop(key, value)) != value:
            raise InputError(f"{key}: expected {value}, the only one that icllib has, got {got!r:.200}")
    dimension, places = (whole(told, f"model.{name}") for name in ("n_dims", "n_positions"))
    most, points = curriculum(told, "points")
    widest, dims = curriculum(told, "dims")
    if widest != dimension:
        raise InputError(f"training.curriculum.dims.end: expected model.n_dims, {dimension}, got {widest}")
    if places < most:
        raise InputError(f"model.n_positions: expected at least training.curriculum.points.end, {most}, got {places}")
    model = Transformer(*(whole(told, f"model.{name}") for name in ("n_layer", "n_head", "n_embd")),
                        tokens="separate", positions_up_to=places - 1 if places > most else None)
    recipe = Recipe(range(most), whole(told, "training.train_steps", 1000), whole(told, "training.batch_size", 64),
                    told.pop("training.learning_rate", 3e-4), curriculum=points, dimensions=dims)
    again = whole(told, "training.num_training_examples", None)
    task = task_of(told, dimension, stored=again is not None)
    if told:
        key, value = min(told.items())
        raise InputError(f"{key}: expected no such key here, got {value!r:.200}")
    return Run(task, model, recipe, ErrorByLength(range(most), PROMPTS), pretraining_tasks=again)


def whole(told: dict, key: str, *default) -> int:
    """The number of a key, which is taken out; raises InputError, by name, for none of at least 1 or a huge one."""
    if key not in told and default:
        return default[0]
    integer(1, 10**6 if key.startswith("model.") else 10**12, **{key: told.get(key)})
    return told.pop(key)


def curriculum(told: dict, name: str) -> tuple[int, Curriculum | None]:
    """The largest number, and how it is reached where it is not there from the first step on."""
    start, end, increment, every = (whole(told, f"training.curriculum.{name}.{part}")
                                    for part in ("start", "end", "inc", "interval"))
    if start > end:
        raise InputError(f"training.curriculum.{name}.start: expected at most the end, {end}, got {start}")
    return end, Curriculum(start, increment, every) if start < end else None


def task_of(told: dict, dimension: int, stored: bool):
    """The task, or the pool of its functions."""
    name = told.pop("training.task", None)
    if str(name) not in TASKS:
        raise InputError(f"training.task: expected one of {', '.join(TASKS)}, got {name!r:.200}")
    kind, names = TASKS[name]
    keys = {f"training.task_kwargs.{theirs}": ours for theirs, ours in names.items()}
    task = kind(dimension, **{ours: told.pop(key) for key, ours in keys.items() if key in told})
    if stored and getattr(task, "noise_std", 0):
        raise InputError("training.num_training_examples: expected none with noise, which is new in each epoch "
                         "there and stays here")
    if (functions := whole(told, "training.num_tasks", None)) is None:
        return task
    if kind is SparseLinear:
        raise InputError("training.num_tasks: expected none with sparse_linear_regression, whose pool there holds "
                         "weights alone, not which of them are 0")
    return FunctionPool(task, functions)
