"""Brings the translations up to date: strings of the code into the .ts file, the .ts file into the .qm file.

python packaging/translations.py            # update and compile
python packaging/translations.py --missing  # list what has no translation yet, as `context<TAB>source`

Qt's own lupdate finds neither contexts that are given once a module (`_n`, `_t`) nor what stands in data
(settings, demos), so the strings are read from the syntax tree here; the .ts file
is Qt's own format, for Linguist to edit, and lrelease compiles it.
"""

import argparse
import ast
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import PySide6

from ui.commands.actions import SPECS
from ui.window.preferences import choices_of, shown_settings, unwrapped

ROOT = Path(__file__).parent.parent
TS = ROOT / "resources" / "translations" / "workbench_zh_CN.ts"
LANGUAGE = "zh_CN"

Strings = dict[str, list[str]]
"""Sources by context, in the order of the code."""


class _Finder(ast.NodeVisitor):
    """`self.tr("…")` by its class, `_n("…")` and `_t("…")` by their module, `translate("ctx", "…")`."""

    def __init__(self, module_context: str) -> None:
        self.module_context = module_context
        self.classes: list[str] = []
        self.found: list[tuple[str, str]] = []
        self.problems: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.classes.append(node.name)
        self.generic_visit(node)
        self.classes.pop()

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in {"translate", "QT_TRANSLATE_NOOP"} and len(node.args) >= 2:
            self._add(_text(node.args[0]), node.args[1])
        elif name in {"_n", "_t"} and node.args:
            self._add(self.module_context, node.args[0])
        elif name == "tr" and node.args:
            of_class = self.classes[-1] if self.classes else None
            own = of_class if isinstance(node.func, ast.Attribute) else (of_class or self.module_context)
            self._add(own, node.args[0])
        self.generic_visit(node)

    def _add(self, context: str | None, node: ast.expr) -> None:
        source = _text(node)
        if context and source:
            self.found.append((context, source))
        elif isinstance(node, ast.JoinedStr):
            self.problems.append(f"line {node.lineno}: a string with figures in it can't be translated")


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _context_of(tree: ast.Module) -> str:
    """What the module's own `_n`, `_t` or `tr` translates in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in {"_n", "_t", "tr"}:
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and len(call.args) >= 2:
                    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
                    if name in {"translate", "QT_TRANSLATE_NOOP"}:
                        return _text(call.args[0]) or ""
    return ""


def of_code() -> Iterator[tuple[str, str]]:
    """Every string of the window's code with its context."""
    for path in sorted((ROOT / "ui").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        finder = _Finder(_context_of(tree))
        finder.visit(tree)
        if finder.problems:
            raise SystemExit(f"{path.relative_to(ROOT)}: {finder.problems[0]}")
        yield from finder.found


def of_data() -> Iterator[tuple[str, str]]:
    """Strings that stand in data: menus, settings, teaching demos."""
    yield from (("actions", spec.menu) for spec in SPECS)
    for kind in shown_settings().values():
        inner, meta = unwrapped(kind)
        yield from (("settings", text) for text in (meta.title, meta.description) if text)
        yield from (("settings", text) for text in choices_of(inner))
    for path in sorted((ROOT / "resources" / "demos").glob("*.toml")):
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        said = (variant[key] for variant in told["variant"] for key in ("name", "say"))
        yield from (("demos", text) for text in (told["title"], told["question"], *told["narration"], *said))


def all_strings() -> Strings:
    """Every string, each once a context."""
    strings: Strings = {}
    for context, source in (*of_code(), *of_data()):
        held = strings.setdefault(context, [])
        if source not in held:
            held.append(source)
    return strings


def read_ts(path: Path = TS) -> dict[tuple[str, str], str]:
    """Translations by context and source; unfinished ones are empty."""
    if not path.exists():
        return {}
    found = {}
    # The project's own file, not somebody else's.
    for context in ElementTree.parse(path).getroot().iter("context"):  # noqa: S314 - as said
        name = context.findtext("name", "")
        for message in context.iter("message"):
            translation = message.find("translation")
            done = translation is not None and translation.get("type") != "unfinished"
            text = (translation.text or "") if translation is not None and done else ""
            found[name, message.findtext("source", "")] = text
    return found


def write_ts(strings: Strings, translations: dict[tuple[str, str], str], path: Path = TS) -> None:
    """The .ts file: contexts and sources sorted as in the code, so that changes read well."""
    root = ElementTree.Element("TS", version="2.1", language=LANGUAGE)
    for context in sorted(strings):
        element = ElementTree.SubElement(root, "context")
        ElementTree.SubElement(element, "name").text = context
        for source in strings[context]:
            message = ElementTree.SubElement(element, "message")
            ElementTree.SubElement(message, "source").text = source
            text = translations.get((context, source), "")
            translation = ElementTree.SubElement(message, "translation")
            if text:
                translation.text = text
            else:
                translation.set("type", "unfinished")
    ElementTree.indent(root, " ")
    body = ElementTree.tostring(root, encoding="unicode")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8")


def compile_qm(path: Path = TS, target: Path | None = None) -> Path:
    """The .qm file that Qt loads, beside the .ts file unless `target` says otherwise."""
    qm = target or path.with_suffix(".qm")
    folder = Path(PySide6.__file__).parent
    tool = next(tool for tool in (folder / "lrelease", folder / "lrelease.exe") if tool.exists())
    made = qm.with_suffix(".qm.part")
    subprocess.run([tool, "-silent", path, "-qm", made], check=True)
    # Put in its place at once: Qt maps the file, and a window that runs would die of one that shrinks.
    made.replace(qm)
    return qm


def main() -> int:
    """Update and compile, or list what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missing", action="store_true", help="only list what has no translation yet")
    arguments = parser.parse_args()
    strings, held = all_strings(), read_ts()
    missing = [
        (context, source)
        for context, sources in strings.items()
        for source in sources
        if not held.get((context, source))
    ]
    if arguments.missing:
        for context, source in missing:
            print(f"{context}\t{source}".replace("\n", "\\n"))
        return 1 if missing else 0
    write_ts(strings, held)
    compile_qm()
    print(f"{sum(map(len, strings.values()))} strings, {len(missing)} without a translation")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
