"""Files that are written whole or not at all, and the text of some."""

import contextlib
import copy
import errno
import fcntl
import functools
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path

import yaml

from claimbook.records.errors import DAMAGE, InputError

PACKAGE = Path(__file__).resolve().parents[1]


try:
    HERE = Path.cwd()
except FileNotFoundError:
    raise InputError("the working folder: expected one that is there, got one that was deleted") from None
# The nearest folder from here upward with papers and a table of contents, or else the clone that this package
# lies in, or else this folder.
PROJECT = next((folder for folder in (HERE, *HERE.parents, PACKAGE.parent)
                if (folder / "papers").is_dir() and (folder / "_toc.yml").is_file()), HERE)
if str(PROJECT) not in sys.path:
    sys.path.append(str(PROJECT))  # so that its papers can be imported
VARIABLES = {  # what the environment can say, all of it
    "CLAIMBOOK_RESULTS": "where records are read and written, results/ where it is not set",
    "CLAIMBOOK_CHECKPOINTS": "where trainings that were stopped lie, runs/checkpoints/",
    "CLAIMBOOK_DATA": "where data is looked for that the project does not contain, besides data/",
    "CLAIMBOOK_TENSORBOARD": "where losses are written for TensorBoard",
    "CLAIMBOOK_COMMIT": "which commit a copy without git is of",
    "CLAIMBOOK_OUTPUT": "where a page writes, set by what executes it",
}
TEMPORARY = "claimbook-temporary-"  # how the names of temporary folders begin
PART = ".part"  # how the names of files end that are being written
YOUNG = 60  # seconds; a file may still be written, a folder may not have its lock yet
TEXT = r'"(?:[^"\\]|\\.)*"'
# In JSON: a text, which stays; a list of plain values; the last space before a closing bracket.
PLAIN = re.compile(rf'({TEXT})|\[((?:[^][{{}}"]|{TEXT})*)\]| (?=\])')


class OnceEach(yaml.CSafeLoader):  # 7 times as fast as the loader in Python
    """Reads YAML; refuses a key that comes twice, of which the second would win."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value if key.value != "<<"]
        found = super().construct_mapping(node, deep)  # refuses a key without a hash
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise yaml.YAMLError(f"{twice}: expected once, got twice{node.start_mark}")
        return found


def read_yaml(text: str):
    """What a YAML text says; raises yaml.YAMLError for damage and for a key that comes twice."""
    return copy.deepcopy(parsed(text))


@functools.lru_cache(maxsize=1000)  # papers are asked for again and again
def parsed(text: str):
    """The content of a YAML text, which nobody may change."""
    return yaml.load(text, Loader=OnceEach)


def plain(path, flags: int) -> int:
    """How files of others are opened (`opener` of `open`): neither links, which could lead to any file of
    the machine, nor pipes and devices, which might never end."""
    try:
        number = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "a link, not a file", os.fspath(path)) from None
        raise
    if stat.S_ISREG(os.fstat(number).st_mode):
        return number
    os.close(number)
    raise OSError(errno.EINVAL, "no file, but a folder, a pipe or a device", os.fspath(path))


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """The text of a file, opened by `plain`; raises InputError for one in another encoding."""
    with open(path, encoding=encoding, opener=plain) as file:
        try:
            return file.read()
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: expected text in UTF-8, got another file ({error})") from None


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, opened by `plain`."""
    with open(path, "rb", opener=plain) as file:
        return file.read()


def there(path: Path) -> bool:
    """Whether something has this name, be it a link to nothing."""
    return os.path.lexists(path)


def folder_named(variable: str, default: str) -> Path:
    """The folder that an environment variable names, or the default; of the project, if it is relative.
    Raises InputError for the home of an unknown user."""
    named = os.environ.get(variable) or default
    try:
        return PROJECT / Path(named).expanduser()
    except RuntimeError:
        raise InputError(f"{variable}: expected a folder, got {named!r}, which is in the home of "
                         "no user") from None


def matplotlib_folder(temporary: str) -> str | None:
    """This folder where Matplotlib cannot write to its usual ones, which a page would tell; else None."""
    if "MPLCONFIGDIR" in os.environ:
        return None
    try:
        for variable, default in (("XDG_CONFIG_HOME", ".config"), ("XDG_CACHE_HOME", ".cache")):
            usual = Path(os.environ.get(variable) or Path.home() / default) / "matplotlib"
            usual.mkdir(parents=True, exist_ok=True)
            if not os.access(usual, os.W_OK):
                return temporary
    except (OSError, RuntimeError):
        return temporary
    return None


def check_project() -> None:
    """Raises InputError for what needs a project where none is."""
    if not (PROJECT / "_toc.yml").is_file():
        raise InputError(f"{PROJECT}: expected a project with papers/ and _toc.yml, or a folder in one, got "
                         "none; this starts one: python -m claimbook new paper NAME")


def read_object(path: Path) -> dict:
    """The names and values in a JSON file; raises ValueError for a file of something else."""
    found = json.loads(read_text(path))
    if not isinstance(found, dict):
        raise ValueError(f"expected names with values, got {found!r:.100}")
    return found


@contextlib.contextmanager
def damage_told(path: Path, what: str, advice: str = "", also=()):
    """Within it, what a damaged file leads to, also these exceptions, is an InputError that names it."""
    try:
        yield
    except (yaml.YAMLError, *DAMAGE, *also) as error:
        reason = " ".join(str(error).split())
        told = f"; {advice}" if advice else ""
        raise InputError(f"{path}: expected {what}, got a damaged file ({reason}){told}") from None


def stamp(*places: Path) -> list:
    """Path, size and time of these files and of those in these folders, but for what Python caches."""
    seen = []
    for place in places:
        paths = [] if os.path.isdir(place) else [str(place)]
        for folder, folders, names in os.walk(place):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            paths += [f"{folder}/{name}" for name in sorted(names)]
        for path in paths:
            with contextlib.suppress(OSError):  # not there, or gone meanwhile
                state = os.stat(path, follow_symlinks=path == str(place))
                seen.append((path, state.st_size, state.st_mtime_ns))
    return seen


def to_json(content) -> str:
    """Indented JSON in which a list of plain values stays on one line."""
    def on_one_line(found):
        text, values = found.groups()
        if values is None:
            return text or ""
        return "[" + re.sub("\n *", " ", values).strip() + "]"

    return PLAIN.sub(on_one_line, json.dumps(content, indent=1)) + "\n"


def write_text(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, never a part."""
    write_together({path: text})


def write_together(texts: dict[Path, str]) -> None:
    """Write several files so; none takes its place before all are written, so that a full disk
    leaves them as they were. What is in place has reached the disk: it survives a power cut."""
    parts = {}
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, suffix=PART,
                                             encoding="utf-8") as file:
                parts[file.name] = path
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(file.name, 0o644)
        for part, path in parts.items():
            os.replace(part, path)
        for folder in {path.parent for path in texts}:
            flush(folder)
    except OSError as error:
        error.filename = error.filename or str(path)  # a full disk names none
        raise
    finally:
        for part in parts:
            Path(part).unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Waits until a file, or the names in a folder, have reached the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextlib.contextmanager
def temporary_folder():
    """A folder that goes with the block; those that killed processes left go first."""
    for left in Path(tempfile.gettempdir()).glob(f"{TEMPORARY}*"):
        with contextlib.suppress(FileNotFoundError), locked(left) as alone:  # gone meanwhile
            if alone and time.time() - left.stat().st_mtime > YOUNG:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as folder, locked(Path(folder), wait=True):
        yield folder


@contextlib.contextmanager
def locked(folder: Path, wait: bool = False):
    """Hold a folder's lock, which ends with the process at the latest; tells whether it was free. wait: until
    it is, as for a new folder, which another process may be looking at."""
    try:
        number = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:  # gone, or another user's
        yield False
        return
    try:
        yield is_free(number, folder, wait)
    finally:
        os.close(number)


def is_free(file, path: Path, wait: bool = False) -> bool:
    """Lock an open file until it is closed, if no other process holds its lock; InputError without locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # NFS without its daemon, Lustre as it is mounted by default
        raise InputError(f"{path}: expected a file system with locks, got {error.strerror!r}; take a local disk, "
                         "by CLAIMBOOK_CHECKPOINTS for what trains and TMPDIR for temporary folders") from None
    return True


def check_writable(folder: Path, *names: str) -> None:
    """Raises InputError, before hours of work, for a folder that cannot take a megabyte, or files of these names;
    what killed processes left in it goes first."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in chain(*(folder.glob(f"{within}tmp????????{PART}") for within in ("", "*/"))):
            with contextlib.suppress(OSError):  # gone meanwhile, or another user's
                if time.time() - left.stat().st_mtime > YOUNG:
                    left.unlink()
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(2**20))
        for path in map(folder.joinpath, names):
            if there(path) and not path.is_file():
                raise IsADirectoryError(0, f"{path.name}, which is no file")
    except (OSError, ValueError) as error:  # the latter of a name that none can have
        got = "a file" if isinstance(error, FileExistsError) else repr(getattr(error, "strerror", str(error)))
        raise InputError(f"{folder}: expected a folder to write to, got {got}") from None
