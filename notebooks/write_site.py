"""The executed notebooks as a static site in build/site/: no network at view time, figures alive.

Usage: python notebooks/write_site.py    (after run.py, which leaves the executed copies in build/)
"""

from __future__ import annotations

import html
import re
import shutil
import sys
from pathlib import Path

import nbformat
from export_html import addresses_in, export_html
from plotly.offline import get_plotlyjs

FOLDER = Path(__file__).resolve().parent
BUILD = FOLDER.parent / "build"
PLOTLY = "plotly.min.js"  # one file for all pages
STYLE = """<style>
body { font: 17px/1.6 system-ui, sans-serif; margin: 2.5em auto; max-width: 46em; padding: 0 1em; color: #1a1a1a }
img { width: 100% } dt { margin-top: 0.9em; font-weight: 600 } dd { margin-left: 0 } a { color: #0b62a4 }
</style>"""
BAR_STYLE = """<style>
.psirag-bar { position: sticky; top: 0; z-index: 9; display: flex; justify-content: space-between; gap: 1em;
  padding: 0.5em 1.2em; background: #fff; border-bottom: 1px solid #ddd; font: 15px system-ui, sans-serif }
</style>"""


def descriptions() -> dict[str, str]:
    """What README.md says of each notebook, by its name."""
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^\| \[(\w+)\]\(notebooks/\w+\.ipynb\) \| (.+?) \|", readme))


def bar(names: list[str], place: int) -> str:
    """Links to the page before, the list, and the page after."""
    before = f'<a href="{names[place - 1]}.html">← {names[place - 1]}</a>' if place else "<span></span>"
    after = f'<a href="{names[place + 1]}.html">{names[place + 1]} →</a>' if place + 1 < len(names) else "<span></span>"
    return f'{BAR_STYLE}<nav class="psirag-bar">{before}<a href="index.html">psirag</a>{after}</nav>'


def page(executed: Path, names: list[str], place: int) -> str:
    """One executed notebook as a page of the site."""
    notebook = nbformat.read(executed / f"{names[place]}.ipynb", as_version=4)
    text = export_html(notebook, names[place], library=f'<script src="{PLOTLY}"></script>')
    return re.sub(r"(<body\b[^>]*>)", lambda found: found[1] + bar(names, place), text, count=1)


def front(names: list[str]) -> str:
    """The front page: what psirag is, the toy tree, every notebook."""
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    about = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", readme.split("\n\n")[1])
    said = descriptions()
    rows = [
        f'<dt><a href="{name}.html">{name.replace("_", " ")}</a></dt><dd>{html.escape(said.get(name, ""))}</dd>'
        for name in names
    ]
    head = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>psirag</title>{STYLE}<h1>psirag</h1>'
    return f'{head}<p>{html.escape(about)}</p><img src="toy_tree.svg" alt="a tree"><dl>{"".join(rows)}</dl></html>'


def write_site(executed: Path, site: Path) -> dict[str, list[str]]:
    """Write the site anew from executed notebooks; return what each page would fetch, which should be nothing."""
    names = sorted(path.stem for path in executed.glob("*.ipynb"))
    pages = {f"{name}.html": page(executed, names, place) for place, name in enumerate(names)}
    pages["index.html"] = front(names)
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    for name, text in pages.items():
        (site / name).write_text(text, encoding="utf-8")
    (site / PLOTLY).write_text(get_plotlyjs(), encoding="utf-8")
    shutil.copy(FOLDER / "toy_tree.svg", site)
    return {name: addresses_in(text) for name, text in pages.items()}


def main() -> int:
    """Write build/site/ from the executed copies in build/; a page that would fetch anything is a failure."""
    site = BUILD / "site"
    if missing := [path.name for path in sorted(FOLDER.glob("*.ipynb")) if not (BUILD / path.name).is_file()]:
        print(f"not executed yet: {', '.join(missing)}. Run: make notebooks")
        return 1
    fetched = write_site(BUILD, site)
    for name, addresses in fetched.items():
        if addresses:
            print(f"FAILED  {name} would fetch {', '.join(addresses[:3])}")
    size = sum(file.stat().st_size for file in site.iterdir()) / 1e6
    print(f"{len(fetched)} pages, {size:.0f} MB: {site / 'index.html'}")
    return int(any(fetched.values()))


if __name__ == "__main__":
    sys.exit(main())
