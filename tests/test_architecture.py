"""The design's rules that a machine can check."""

import ast
import re
import shutil
import statistics
import subprocess
from functools import cache
from graphlib import TopologicalSorter

import pytest

from claimbook.records.files import PROJECT, VARIABLES

PACKAGES = "icllib", "claimbook", "papers"
FILES = sorted(path for name in PACKAGES for path in (PROJECT / name).rglob("*.py")
               if "templates" not in path.parts)
FLOORS = {  # of each package its parts, from the ground upward
    "claimbook": [{"records"}, {"claims"}, {"pages"}, {"website", "__init__"}, {"commands", "__main__"}],
    "icllib": [{"checks", "progress", "__init__"}, {"data", "streams", "attention"}, {"protocols"},
               {"tasks", "models", "baselines", "theory", "evaluate"}, {"training"}, {"estimators", "court", "garg", "recipes"}, {"__main__"}],
}
FLOOR = {(package, name): level for package, floors in FLOORS.items()
         for level, names in enumerate(floors) for name in names}


@cache
def tree(path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"))


def package_of(path) -> str:
    """The package that a file belongs to."""
    return path.relative_to(PROJECT).parts[0]


def unit(path) -> str:
    """The part of its package that a file belongs to: "tasks" for icllib/tasks/networks.py."""
    return path.relative_to(PROJECT).with_suffix("").parts[1]


@cache
def imports_of(path) -> set:
    """The files of the package that a file imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(tree(path)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{name}" for name in names] + [node.module]
        for name in names:
            base = PROJECT / name.replace(".", "/")
            found |= {base.with_suffix(".py"), base / "__init__.py"} & set(FILES)
    return found - {path}


def imported_units(path) -> set:
    """The (package, part) pairs that a file imports; (package, "__init__") for a package's own names."""
    return {(package_of(file), unit(file)) for file in imports_of(path)}


def test_nothing_imports_from_a_floor_above():
    for path in FILES:
        own = package_of(path)
        if own in FLOORS:
            for package, other in imported_units(path) - {(own, "__init__")}:
                assert package != own or FLOOR[own, other] <= FLOOR[own, unit(path)], f"{path} imports {other}"


def test_the_engine_does_not_know_the_helper_nor_the_helper_the_book():
    for path in FILES:
        found = imported_units(path)
        if package_of(path) == "claimbook":
            assert {package for package, _ in found} <= {"claimbook"}, path
        if package_of(path) == "icllib":
            assert found <= {("claimbook", "records"), *(one for one in found if one[0] == "icllib")}, path


# icllib: 9,520 before files of Garg et al.'s code were read (124), numbers of other laws drawn (64),
# decoders had the layers of Llama (44), recipes that learn were known (36), members were ordinary modules, or
# GPT2Model (163), protocols and the deviation of answers (94), pairs could be left out of their own row, the
# number of loops was drawn in training (28), trained models answered through the compiled layers (56), and what
# others bring was tried on first prompts, and a loss and an optimizer could be a function each (42).
# claimbook: with figures under a slider, names that are read, a record's repr in two lines, or as a table.
# across: 1,200, the leaderboard and its recurrent net. papers: findings, recipes and across.
CAPS = {"icllib": 10_054, "claimbook": 7_096, "papers/language_models": 600, "papers/across": 1_200, "papers": 11_470}


def test_no_part_grows_beyond_its_cap():
    for part, cap in CAPS.items():
        files = [path for path in FILES if path.is_relative_to(PROJECT / part) and "templates" not in path.parts]
        lines = sum(path.read_text("utf-8").count("\n") for path in files)
        assert lines <= cap, f"{part} has {lines} lines"


def reached(path) -> set:
    """The files of the package that a file needs, directly or through others, packages' own left out.

    A package imports what it names for others, so that through it all would reach all.
    """
    found, left = set(), [path]
    while left:
        new = {other for other in imports_of(left.pop()) if other.name != "__init__.py"} - found
        found |= new
        left += new
    return found


PAGES = sorted((PROJECT / "notebooks").glob("*/*.py"))
OF_PAGES = {PROJECT / "papers" / page.relative_to(PROJECT / "notebooks") for page in PAGES}


def test_every_page_has_a_module_of_its_name():
    assert OF_PAGES <= set(FILES)


def test_a_page_reaches_few_files_of_its_paper():
    counts = {page.stem: sum(path.parent == PROJECT / "papers" / page.parent.name
                             for path in reached(page)) for page in PAGES}
    assert statistics.median(counts.values()) <= 3
    assert max(counts.values()) <= 5, max(counts, key=counts.get)


def test_no_page_imports_another():
    """Neither a page nor its module does: what two pages need stands in a room of the paper."""
    for path in [*PAGES, *OF_PAGES]:
        own = path.relative_to(PROJECT / ("notebooks" if path in PAGES else "papers"))
        others = {found.stem for found in imports_of(path) & OF_PAGES if found != PROJECT / "papers" / own}
        assert not others, f"{path.name} imports {others}"


def test_rooms_of_a_paper_do_not_import_its_pages():
    for path in set(FILES) - OF_PAGES:
        if (path.parent / "paper.yml").exists() and path.name != "__init__.py":
            assert not imports_of(path) & OF_PAGES, path


def test_no_two_rooms_import_each_other():
    """Neither directly nor through others: graphlib raises an error that names a circle."""
    rooms = {}
    for path in FILES:
        if package_of(path) in FLOORS:
            own = package_of(path), unit(path)
            rooms.setdefault(own, set()).update(imported_units(path) - {own})
    TopologicalSorter(rooms).prepare()


def test_no_file_needs_itself():
    assert not [path for path in FILES if path in reached(path)]


def passed_on(path) -> set:
    """The names at the top of a file that come from elsewhere in the project."""
    return {alias.asname or alias.name for node in tree(path).body
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES
            for alias in node.names}


def test_a_name_is_imported_from_where_it_is_defined():
    """Or from its package, whose face hands on what is meant for others."""
    tests = (PROJECT / "tests").rglob("*.py")
    for path in [*FILES, *PAGES, *tests]:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                file = PROJECT / f"{node.module.replace('.', '/')}.py"
                found = file in FILES and passed_on(file) & {alias.name for alias in node.names}
                assert not found, f"{path.name} imports {found} from {node.module}"


def test_the_first_line_of_a_module_says_what_it_holds():
    for path in FILES:
        first = (ast.get_docstring(tree(path)) or "").splitlines()[0]
        assert len(first.split()) >= 3 and first.endswith((".", ":", "?")), f"{path}: {first}"


def test_variables_of_the_environment_are_listed():
    for name in (*PACKAGES, "benchmarks", "workflow", "book", "README.md"):
        for path in (PROJECT / name).rglob("*") if (PROJECT / name).is_dir() else [PROJECT / name]:
            if path.suffix in {".py", ".sh", ".md", ".rst"} or path.name == "Snakefile":
                assert set(re.findall(r"CLAIMBOOK_[A-Z]+", path.read_text("utf-8"))) <= set(VARIABLES), path


def test_folders_of_tests_are_folders_of_what_they_test():
    for path in (PROJECT / "tests").rglob("test_*.py"):
        folder = path.parent.relative_to(PROJECT / "tests")
        assert (PROJECT / "icllib" / folder).is_dir() or (PROJECT / folder).is_dir(), path


def test_public_names_have_docstrings():
    for path in FILES:
        for node in tree(path).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{path.name}: {node.name}"


def test_pages_show_little_code_as_wide_as_the_column():
    """At most 45 lines in the median and 75 on any page, so that a long one has room for a change,
    beside what they hand to claims, with gates and controls, which says nothing of a figure."""
    counts = {}
    for path in PAGES:
        cells = re.split(r"^# %%", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
        counts[path.stem] = len(code_lines(cell for cell in cells if "page.decide(" not in cell))
        assert not [line for line in code_lines(cells) if len(line) > 92], path.name
    assert statistics.median(counts.values()) <= 45
    assert max(counts.values()) <= 75, max(counts, key=counts.get)


def code_lines(cells) -> list[str]:
    """The lines of code of a page's cells, without imports, comments and empty ones."""
    return [line for cell in cells if not cell.startswith(" [markdown]")
            for line in cell.splitlines()[1:]
            if line.strip() and not line.startswith(("import", "from", "#"))]


def names_no_encoding(call: ast.Call) -> bool:
    """Whether a call reads, writes or pipes text in whatever encoding the machine's locale has."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    given = {word.arg: word.value for word in call.keywords}
    if not given.keys().isdisjoint({None, "encoding"}):
        return False
    if name in ("read_text", "write_text"):
        return len(call.args) < ("read_text", "write_text").index(name) + 1
    if name == "open" and getattr(getattr(call.func, "value", None), "id", "") != "tarfile":
        place = int(isinstance(call.func, ast.Name))  # of the mode: a method has its file before the dot
        mode = given.get("mode", (*call.args[place:], ast.Constant("r"))[0])
        return isinstance(mode, ast.Constant) and "b" not in mode.value
    return getattr(given.get("text"), "value", False) is True


def test_calls_without_an_encoding_are_told():
    for line in ("path.read_text()", "path.write_text(text)", "open(path)", "open(path, 'a')",
                 "open(path, mode='w')", "path.open('w')", "run(words, text=True)"):
        assert names_no_encoding(ast.parse(line).body[0].value), line
    for line in ("path.read_text('utf-8')", "path.write_text(text, 'utf-8')", "open(path, 'rb')",
                 "path.open('wb')", "open(path, encoding='utf-8')", "run(words, encoding='utf-8')",
                 "tarfile.open(fileobj=file, mode='w')"):
        assert not names_no_encoding(ast.parse(line).body[0].value), line


@pytest.mark.parametrize("folder", [*PACKAGES, "tests", "benchmarks", "notebooks", "data"])
def test_text_has_the_same_encoding_in_every_locale(folder):
    for path in sorted((PROJECT / folder).rglob("*.py")):
        calls = [node for node in ast.walk(tree(path))
                 if isinstance(node, ast.Call) and names_no_encoding(node)]
        assert not calls, f"{path}:{calls[0].lineno}: name encoding='utf-8'"


@pytest.mark.skipif(shutil.which("git") is None, reason="no git on this machine")
def test_nothing_committed_points_outside_the_project():
    tracked = subprocess.run(["git", "ls-files"], cwd=PROJECT, encoding="utf-8", capture_output=True)
    paths = tracked.stdout.split() or pytest.skip("not a git checkout")
    outside = re.compile(r"\.\./shared|/root/|/home/|/tmp/|https?://[\w.]*pypi")
    for name in paths:
        path = PROJECT / name
        if path.suffix in {".js", ".png"} or not path.exists() or name.startswith("tests/"):
            continue
        found = outside.search(path.read_text("utf-8", errors="ignore"))
        assert not found, f"{name}: {found[0]}"
