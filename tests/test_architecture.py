"""Who may import whom, and where each outside library lives: the arrows of the architecture, held."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ANALYZER = ROOT / "analyzer" / "runai_analyze"
COLLECTOR = ROOT / "collector" / "runai_collect"

# Part of the analyzer → parts of the project that it may import. "runai_collect" stands for its layout and redact modules.
ARROWS = {
    "cli": {"plain", "pipeline", "ruleset", "report", "errors", "model", "objects", "output", "runai_analyze"},
    # The pipeline: accept finds a finding in a bundle as a report shows it.
    "rules_cli": {
        "rules_cli", "authoring", "plain", "pipeline", "ruleset", "engine", "facts", "errors", "model", "output", "runai_analyze"
    },
    # The redactor of the collector cleans what people paste.
    "authoring": {
        "authoring", "plain", "pipeline", "ruleset", "engine", "facts", "bundle", "objects", "errors", "model", "runai_collect"
    },
    "pipeline": {"bundle", "objects", "facts", "engine", "report", "ruleset", "model", "errors", "runai_analyze"},
    "output": {"errors"},
    "engine": {"engine", "ruleset", "objects", "model", "errors"},
    "facts": {"facts", "bundle", "objects", "model", "errors", "runai_collect"},
    "report": {"plain", "report", "model", "errors", "objects"},
    "bundle": {"bundle", "model", "errors", "objects", "runai_collect"},
    "objects": {"objects", "model"},
    # The collector's reader of plan files: it alone says whether it would take what a pack asks to have collected.
    "ruleset": {"ruleset", "model", "errors", "objects", "facts", "runai_collect"},
    "model": {"model"},
    "plain": set(),
    "errors": set(),
    "__init__": {"runai_collect"},
}

# Outside library → the only parts that may import it.
HOMES = {
    "click": {"cli", "rules_cli"},
    "yaml": {"ruleset", "bundle", "facts"},
    "re2": {"ruleset"},
    "rapidfuzz": {"engine", "ruleset", "authoring"},  # authoring: rules found by words that are not quite theirs
    "kubernetes_validate": {"facts", "ruleset"},
    "pandas": {"report"},
    "jinja2": {"report"},
    "weasyprint": {"report"},
    "cryptography": {"facts"},
    "orjson": {"bundle", "facts"},
    "zstandard": {"bundle"},
}


def part_of(path: Path) -> str:
    """Return the part of the analyzer that a module belongs to: its folder, or its own name at the top."""
    relative = path.relative_to(ANALYZER)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: Path) -> set[str]:
    """Return dotted names of everything that a module imports, relative imports made absolute."""
    found = set()
    package = path.relative_to(ANALYZER.parent).with_suffix("").parts
    package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            found.update(".".join((*base, *(node.module or alias.name).split("."))) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


MODULES = sorted(ANALYZER.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ANALYZER)))
def test_arrows(path: Path) -> None:
    allowed = ARROWS[part_of(path)]
    for name in imports(path):
        top, *rest = name.split(".")
        if top == "runai_analyze":
            assert (rest[0] if rest else "runai_analyze") in allowed | {"__version__"}, f"{path.name} imports {name}"
        elif top == "runai_collect":
            assert "runai_collect" in allowed, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ANALYZER)))
def test_homes(path: Path) -> None:
    for name in imports(path):
        homes = HOMES.get(name.split(".")[0])
        assert homes is None or part_of(path) in homes, f"{path.name} imports {name}"


def test_collector_imports_the_standard_library_only() -> None:
    for path in COLLECTOR.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""] if not node.level else []
            else:
                continue
            for name in names:
                top = name.split(".")[0]
                assert top in sys.stdlib_module_names | {"runai_collect"}, f"{path.name} imports {name}"


@pytest.mark.parametrize("program", ["cli", "rules_cli"])
def test_help_imports_nothing_slow(program: str) -> None:
    code = f"import sys; sys.argv = ['x', '--help']; from runai_analyze.{program} import main\n" \
           "try: main()\nexcept SystemExit: pass\nprint(sorted(sys.modules))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for slow in ("pandas", "weasyprint", "jinja2", "kubernetes_validate", "numpy"):
        assert f"'{slow}'" not in output
