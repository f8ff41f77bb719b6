"""The house rules that a program can check, over every file of psirag and theory."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import psirag

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted([*(ROOT / "psirag").rglob("*.py"), *(ROOT / "theory").rglob("*.py")])

# A module imports only from its own floor's folder and from the floors before it.
FLOORS = """
    errors optional checks vectors storage tree dasgupta skew theory corpus encoding abstraction retrieval index
    readers transcript agent hop_discriminator baselines variants evaluation views __main__
""".split()
THEORY_MAY_IMPORT = {"errors", "checks", "vectors", "tree", "dasgupta", "theory"}
HEAVY = set(
    "torch transformers sentence_transformers umap numba plotly ipywidgets sklearn faiss bm25s pandas networkx".split()
)
FORBIDDEN_NAMES = {"utils", "util", "common", "helpers", "helper", "base", "misc", "tools", "config"}
FILE_LINES, FUNCTION_LINES, INIT_LINES = 400, 60, 40

Module = tuple[Path, ast.Module]


def module_name(path: Path) -> str:
    """The dotted name: psirag.tree.merging, psirag.theory.verdict."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    dotted = ("psirag", *parts) if parts[0] == "theory" else parts
    return ".".join(dotted).removesuffix(".__init__")


def floor_of(dotted: str) -> str:
    """The floor that a module of psirag stands on; empty for psirag itself."""
    return dotted.split(".")[1] if "." in dotted else ""


def imported(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every dotted name that a module imports, anywhere in it, with relative names resolved."""
    package = module_name(path).split(".")
    package = package if path.name == "__init__.py" else package[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            if base == "psirag":
                yield from ((node.lineno, f"psirag.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, base


def file_is_short(path: Path, tree: ast.Module) -> Iterator[str]:
    limit = INIT_LINES if path == ROOT / "psirag" / "__init__.py" else FILE_LINES
    lines = max((node.end_lineno for node in tree.body), default=0)
    if lines > limit:
        yield f"1: {lines} lines, more than {limit}"


def functions_are_short(path: Path, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            said = node.body[0] if ast.get_docstring(node) else None
            lines = node.end_lineno - node.lineno + 1 - (said.end_lineno - said.lineno + 1 if said else 0)
            if lines > FUNCTION_LINES:
                yield f"{node.lineno}: {node.name} has {lines} lines without its docstring, more than {FUNCTION_LINES}"


def file_says_its_idea(path: Path, tree: ast.Module) -> Iterator[str]:
    if path.stem in FORBIDDEN_NAMES:
        yield f"1: a file named {path.stem} says no idea"
    if not ast.get_docstring(tree):
        yield "1: no docstring"
    first = tree.body[1] if len(tree.body) > 1 else None
    if (
        first
        and path.name != "__init__.py"
        and not (isinstance(first, ast.ImportFrom) and first.module == "__future__")
    ):
        yield "1: `from __future__ import annotations` does not come first"


def imports_point_down(path: Path, tree: ast.Module) -> Iterator[str]:
    here = floor_of(module_name(path))
    if here and here not in FLOORS:
        yield f"1: psirag.{here} stands on no floor: add it to FLOORS in {Path(__file__).name}"
    for line, name in imported(path, tree):
        there = floor_of(name) if name.startswith("psirag.") else ""
        if not here or not there or there == here or here not in FLOORS:
            continue
        allowed = THEORY_MAY_IMPORT if here == "theory" else set(FLOORS[: FLOORS.index(here)]) - {"theory"}
        if there not in allowed:
            yield f"{line}: {here} imports psirag.{there}, which is not below it"


def heavy_imports_are_lazy(path: Path, tree: ast.Module) -> Iterator[str]:
    for node in _at_import(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        yield from (f"{node.lineno}: {name} is imported at the top" for name in names if name.split(".")[0] in HEAVY)


def _at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from _at_import(node)


def nothing_forbidden(path: Path, tree: ast.Module) -> Iterator[str]:
    entry = path.name == "__main__.py"  # a program for the command line prints
    forbidden = {"eval", "exec", "logging.basicConfig", "warnings.filterwarnings", "warnings.simplefilter"}
    forbidden |= {"joblib.load", "joblib.dump"}  # these pickle
    forbidden |= set() if entry else {"print"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield f"{node.lineno}: assert"
        elif isinstance(node, ast.Call):
            if ast.unparse(node.func) in forbidden:
                yield f"{node.lineno}: {ast.unparse(node.func)}"
            for keyword in node.keywords:
                if keyword.arg in {"allow_pickle", "trust_remote_code"} and ast.unparse(keyword.value) != "False":
                    yield f"{node.lineno}: {keyword.arg}={ast.unparse(keyword.value)}"
        elif isinstance(node, ast.ClassDef) and node.name == "Node":
            yield f"{node.lineno}: a node is an integer, not a class"
    for line, name in imported(path, tree):
        if name.split(".")[0] in {"pickle", "dill", "marshal", "shelve"}:
            yield f"{line}: imports {name}"


def errors_are_named(path: Path, tree: ast.Module) -> Iterator[str]:
    callback = path.is_relative_to(ROOT / "psirag" / "views")  # the edge of a widget's callback shows what it caught
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and not callback:
            caught = ast.unparse(node.type) if node.type else "everything"
            if caught in {"everything", "Exception", "BaseException"}:
                yield f"{node.lineno}: catches {caught}"


def errors_say_three_things(path: Path, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called, arguments = ast.unparse(node.func), [*node.args, *(keyword.value for keyword in node.keywords)]
        starred = any(isinstance(argument, ast.Starred) for argument in arguments)
        if called == "PsiragError" and len(arguments) != 3 and not starred:
            yield f"{node.lineno}: PsiragError takes what was asked, what was given, and what to do"
        if called == "warnings.warn" and "PsiragWarning" not in map(ast.unparse, arguments):
            yield f"{node.lineno}: warns with another category than PsiragWarning"


RULES: dict[Callable[[Path, ast.Module], Iterator[str]], str] = {
    file_is_short: "x = 1\n" * (FILE_LINES + 1),
    functions_are_short: "def f():\n" + "    x = 1\n" * (FUNCTION_LINES + 1),
    file_says_its_idea: "import numpy",
    imports_point_down: "def f():\n    from psirag.views import circular_tree",
    heavy_imports_are_lazy: "try:\n    import torch.nn as nn\nexcept ImportError:\n    nn = None",
    nothing_forbidden: "print(np.load('a.npy', allow_pickle=True))",
    errors_are_named: "try:\n    f()\nexcept Exception:\n    pass",
    errors_say_three_things: "raise PsiragError('wrong')",
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_file_keeps_the_rule(rule):
    offences = [
        f"{path.relative_to(ROOT)}:{offence}" for path in SOURCES for offence in rule(path, ast.parse(path.read_text()))
    ]
    assert not offences, "\n".join(["", *offences])


@pytest.mark.parametrize(("rule", "bad"), RULES.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_the_rule_finds_an_offence(rule, bad):
    assert list(rule(ROOT / "psirag" / "tree" / "made_up.py", ast.parse(bad)))


def test_relative_imports_are_resolved():
    tree = ast.parse("from ..views import descent\nfrom . import merging\nfrom psirag import index")
    names = [name for _, name in imported(ROOT / "psirag" / "tree" / "made_up.py", tree)]
    assert names == ["psirag.views", "psirag.tree", "psirag.index"]


def public_objects() -> list[str]:
    """The names that psirag offers."""
    return sorted(getattr(psirag, "__all__", ()))


def test_every_public_name_resolves():
    assert public_objects(), "psirag.__all__ is empty"
    assert [name for name in public_objects() if not hasattr(psirag, name)] == []


@pytest.mark.parametrize("name", public_objects())
def test_public_docstring_has_source_and_example(name):
    thing = getattr(psirag, name)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)) or name in {"PsiragError", "PsiragWarning"}:
        assert thing.__doc__ or not callable(thing)
        return
    said = inspect.getdoc(thing) or ""
    missing = [part for part in ("Source:", ">>>") if part not in said]
    assert not missing, f"psirag.{name} lacks {' and '.join(missing)} in its docstring"
