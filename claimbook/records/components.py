"""Components as data: a run, which is a frozen dataclass of others, to JSON and back.

The settings of a run are its fields as JSON; its key is a hash of these and of the `version`
integers of the components that it uses. A field that joins a component later says so with metadata
{"added": True}; while it holds its default it is left out of settings and versions, so that older
records keep their identity; if the numbers of such a default ever change, the component that it
joined needs a new version.
"""

import contextlib
import dataclasses
import hashlib
import importlib
import inspect
import json
import re
import sys
import types
import typing
from collections.abc import Iterable
from functools import cache, partial
from typing import Annotated, ClassVar, Literal

import numpy as np

from claimbook.records.checks import CHECKS, WORD, instance, integer, one_of, tuple_of
from claimbook.records.errors import DAMAGE, InputError
from claimbook.records.files import PROJECT

ADDED = {"added": True}  # of a field that joined its component later, see above
PAPERS = "papers"  # the folder, and package, of a project's papers
PLAIN = (bool, int, float, str, types.NoneType)
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


class Component:
    """A part of a run: a frozen dataclass whose fields hold what their types say.

    A list for a field of type tuple becomes a tuple. Raises InputError, by name, for a value that is
    none of a Literal's, for what is neither True nor False in a field of type bool, for an object of another
    class than a field's dataclass, for what is not as its type declares (`Size` and others in CHECKS), and
    for a seed that is no integer of 32 bits.
    """

    version: ClassVar[int] = 1  # one more whenever equal settings give other numbers

    def __post_init__(self):
        for name, optional, is_tuple, check_one in checked_fields(type(self)):
            value = getattr(self, name)
            if optional and value is None:
                continue
            if not is_tuple:
                check_one(**{name: value})
            elif check_one:
                object.__setattr__(self, name, tuple_of(check_one, name, value))
            elif isinstance(value, Iterable):
                object.__setattr__(self, name, tuple(value))
        self.check()

    def check(self) -> None:
        """Raises InputError, by name, for settings that cannot be, alone or together."""


@cache
def type_name(kind: type) -> str:
    """The name of a component in records.

    "papers.trees.Split" for one of papers/trees/, "tasks.LinearRegression" for one of a library whose
    package says SHORT_IN_RECORDS = True, "their.module:Class" for any other.
    """
    package, *path = kind.__module__.split(".")
    if package == PAPERS and path:
        return f"{PAPERS}.{path[0]}.{kind.__name__}"
    if is_short(package) and path:
        return f"{path[0]}.{kind.__name__}"
    return f"{kind.__module__}:{kind.__qualname__}"


def is_short(package: str) -> bool:
    """Whether records name the components of this imported package without it."""
    return getattr(sys.modules.get(package), "SHORT_IN_RECORDS", False) is True


def recorded_fields(component) -> dict:
    """A component's fields, without those that were added later and hold their default."""
    found = {}
    for name, kind, added, default in fields_of(type(component)):
        value = getattr(component, name)
        if not (added and value == default):
            found[name] = float(value) if (kind, type(value)) == (float, int) else value
    return found


@cache  # a table of thousands of runs has a few types
def fields_of(kind: type) -> list[tuple]:
    """Of each field its name, type, whether it was added later, and default."""
    return [(field.name, plain_type(field.type), bool(field.metadata.get("added")), field.default)
            for field in dataclasses.fields(kind)]


def plain_type(kind):
    """The type of a field without what it declares."""
    return typing.get_args(kind)[0] if typing.get_origin(kind) is Annotated else kind


@cache
def checked_fields(kind: type) -> list[tuple]:
    """Of each field that `Component` checks, its name, whether it may be None, whether it is a tuple, and what
    checks it, or each entry of the tuple."""
    found = []
    for own in dataclasses.fields(kind):
        optional = types.NoneType in typing.get_args(own.type)
        declared = typing.get_args(own.type)[0] if optional else own.type
        origin, args = typing.get_origin(declared) or declared, typing.get_args(declared)
        check_one = CHECKS.get(args[0] if origin is tuple and args else declared)
        if own.name == "seed":
            check_one = partial(integer, 0, WORD)
        elif origin is Literal:
            check_one = partial(one_of, args)
        elif dataclasses.is_dataclass(declared):
            check_one = partial(instance, declared)
        if check_one or origin is tuple:
            found.append((own.name, optional, origin is tuple, check_one))
    return found


def settings(value):
    """A run or component as JSON-ready values, each dataclass with its type; InputError for anything else."""
    if type(value) in PLAIN:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        check_component(type(value))
        fields = {name: settings(item) for name, item in recorded_fields(value).items()}
        return {"type": type_name(type(value))} | fields
    if isinstance(value, (tuple, list)):
        return [settings(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, PLAIN):
        return value
    raise InputError(f"{type(value).__name__}: expected a frozen dataclass or a plain value in "
                     f"a run, got {value!r}")


@cache
def check_component(kind: type) -> None:
    """Raises InputError for a dataclass that a record or a worker process cannot use."""
    if not is_component(kind):
        raise InputError(f"{kind.__name__}: expected a frozen dataclass with a version, as in "
                         "version: ClassVar[int] = 1, got one without")
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        raise InputError(f"{kind.__name__}: expected a class that other processes can import, got "
                         "one that is defined in a notebook, script or function; move it to the "
                         "top level of a file such as mine.py")
    if ":" in type_name(kind):
        source_of(kind)  # before anyone edits it


# ---- from JSON to components ----------------------------------------------------------------


def from_settings(value):
    """The run or component that `settings` described.

    A file is data: nothing is imported or called because it says so; built are components of the project and
    of modules that were imported before. Raises InputError for all else, and for fields that do not fit.
    """
    if isinstance(value, list):
        return tuple(from_settings(item) for item in value)
    if not isinstance(value, dict):
        return value
    name = value.get("type")
    kind = find_type(name)
    try:
        fields = {field: from_settings(item) for field, item in value.items() if field != "type"}
        check_fields(kind, fields)
        return kind(**fields)
    except InputError:
        raise
    except (TypeError, *DAMAGE) as error:  # of a field that is missing too
        raise InputError(f"{name}: expected settings of this component, got {value!r:.200} "
                         f"({error})") from None


OURS = re.compile(r"(?:papers\.)?[a-z]\w*\.[A-Za-z]\w*", re.ASCII)  # no __main__, which is the command line


def find_type(name) -> type:
    """The component of this name; raises InputError for none, or of a module that nobody has imported."""
    expected = f"{name}: expected a component of the project"
    instance(str, "the name of a component", type=name)
    if OURS.fullmatch(name):
        kind = ours(name)
    else:
        path, _, attribute = name.partition(":")
        if path not in sys.modules:
            raise InputError(f"{expected} or of a module that was imported before, got another; if "
                             "the module is your own, import it first: reading a file imports none")
        kind = vars(sys.modules[path]).get(attribute)
    if not (isinstance(kind, type) and is_component(kind) and type_name(kind) == name):
        raise InputError(f"{expected}, a frozen dataclass with a version that can be imported from "
                         f"here, got {'none' if kind is None else 'something else'}")
    return kind


@cache
def ours(name: str):
    """What the project's papers, or a library that they use, have under this name; None for nothing."""
    path, _, attribute = name.rpartition(".")
    if (PROJECT / PAPERS / "__init__.py").is_file():
        importlib.import_module(PAPERS)  # imports the libraries whose components its records name
    if path.partition(".")[0] == PAPERS:
        places = [path]
    else:
        places = [f"{package}.{path}" for package in list(sys.modules) if "." not in package and is_short(package)]
    for place in places:
        with contextlib.suppress(ModuleNotFoundError):
            if found := getattr(importlib.import_module(place), attribute, None):
                return found
    return None


def is_component(kind: type) -> bool:
    """Whether a class is a frozen dataclass with a version."""
    return (dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen
            and isinstance(getattr(kind, "version", None), int))


def check_fields(kind: type, fields: dict) -> None:
    """Raises InputError for fields that a component lacks and for values of another type."""
    known = {field.name: plain_type(field.type) for field in dataclasses.fields(kind) if field.init}
    if unknown := sorted(fields.keys() - known.keys()):
        raise InputError(f"{type_name(kind)}: expected a component with the fields "
                         f"{', '.join(known) or '(none)'}, got {unknown[0]}")
    for name, value in fields.items():
        if not holds(known[name], value):
            raise InputError(f"{type_name(kind)}: {name}: expected "
                             f"{getattr(known[name], '__name__', known[name])}, got {value!r:.200}")


def holds(kind, value) -> bool:
    """Whether a value is of the type of a field; types that are not plain are for their component."""
    if isinstance(kind, types.UnionType):
        return any(holds(one, value) for one in typing.get_args(kind))
    kind = typing.get_origin(kind) or kind
    if kind not in (bool, int, float, str, tuple, types.NoneType):
        return True
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)


# ---- identity: versions and digests ---------------------------------------------------------


def versions(value) -> dict[str, int]:
    """The version integers of a run and of every component in it."""
    return {type_name(kind): kind.version for kind in sorted(types_in(value), key=type_name)}


def types_in(value) -> set[type]:
    """The types of a run and of every component in it."""
    found, parts = set(), value if isinstance(value, (tuple, list)) else ()
    if dataclasses.is_dataclass(value):
        found, parts = {type(value)}, recorded_fields(value).values()
    for part in parts:
        if type(part) not in PLAIN:
            found |= types_in(part)
    return found


def source_on_disk(kind: type) -> str:
    """A digest of the module of a component as it is now."""
    return digest(inspect.getsource(importlib.import_module(kind.__module__)))


source_of = cache(source_on_disk)  # as it was when it was first asked for


def sources(run_versions: dict, read=source_of) -> dict[str, str]:
    """A digest of every module of the user's own that a run's components come from, as this process met it
    first: what it computes with, whatever was edited since."""
    names = sorted(name for name in run_versions if ":" in name)
    return {name.split(":")[0]: read(find_type(name)) for name in names}


def digest(value) -> str:
    """Twelve hexadecimal digits of SHA-256 over canonical JSON."""
    return hashlib.sha256(CANONICAL.encode(value).encode()).hexdigest()[:12]


def key(run_settings: dict, run_versions: dict) -> str:
    """The identity of a record: settings and versions together."""
    return digest([run_settings, run_versions])
