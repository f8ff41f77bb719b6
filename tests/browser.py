"""A real Chromium for tests: exported pages by file://, and notebooks in JupyterLab with a live kernel."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WHY_SKIPPED = "no Chromium on this machine (Debian, Ubuntu: apt-get install chromium)"
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()
)

# The page says "idle" before a kernel is there, so ask the notebook's model; a "Select Kernel" dialog would never end.
IDLE_KERNEL = """async () => {
  const app = window.jupyterapp, pause = () => new Promise(done => setTimeout(done, 100));
  for (const end = Date.now() + 60000; Date.now() < end; await pause()) {
    const panel = app && app.shell.currentWidget;
    if (!panel || !panel.context || !panel.context.isReady || !panel.sessionContext.isReady) continue;
    const kernel = panel.sessionContext.session && panel.sessionContext.session.kernel;
    if (kernel && kernel.status === 'idle') return kernel.name;
  }
  throw new Error('no idle kernel within 60 s');
}"""
RUN_ALL = """async seconds => {
  const late = new Promise((_, no) => setTimeout(() => no(new Error('running took too long')), 1000 * seconds));
  await Promise.race([window.jupyterapp.commands.execute('notebook:run-all-cells'), late]);
  return [...window.jupyterapp.shell.currentWidget.content.model.cells].filter(c => c.type === 'code').map(
    c => [...Array(c.outputs.length).keys()].map(i => c.outputs.get(i).type));
}"""


@dataclass
class Browsed:
    """A page, what it tried to fetch from the network, and what it complained of."""

    page: Page
    fetched: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def figures(self) -> int:
        """How many plotly figures are drawn."""
        return (
            self.page.locator(".js-plotly-plot .main-svg >> nth=0").count()
            and self.page.locator(".js-plotly-plot").count()
        )

    def points(self, within: str = "") -> int:
        """How many scatter points are drawn as SVG, on the page or within a selector."""
        return self.page.locator(f"{within} .js-plotly-plot .scatterlayer .point").count()


@contextmanager
def browse(is_local: Callable[[str], bool], profile: Path) -> Iterator[Browsed]:
    """Open a Chromium that reaches only what `is_local` allows; everything else is blocked and noted."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        context = play.chromium.launch_persistent_context(
            str(profile), executable_path=CHROMIUM, headless=True, args=FLAGS, viewport={"width": 1300, "height": 1700}
        )
        page = context.pages[0] if context.pages else context.new_page()
        browsed = Browsed(page)

        def decide(route, request):
            if is_local(request.url):
                route.continue_()
            else:
                browsed.fetched.append(request.url)
                route.abort()

        context.route("**/*", decide)
        page.on("console", lambda message: message.type == "error" and browsed.complaints.append(message.text[:300]))
        page.on("pageerror", lambda error: browsed.complaints.append(str(error)[:300]))
        try:
            yield browsed
        finally:
            context.close()


@contextmanager
def open_page(path: Path, profile: Path) -> Iterator[Browsed]:
    """Open an exported page from the disk, without network."""
    with browse(lambda url: url.startswith(("file:", "data:", "blob:")), profile) as browsed:
        browsed.page.goto(path.resolve().as_uri(), wait_until="load")
        yield browsed


@contextmanager
def open_lab(notebook: Path, folder: Path, *, seconds_to_run: int = 120) -> Iterator[Browsed]:
    """Open a copy of a notebook in JupyterLab, run all its cells, and hand over the page with its kernel alive.

    Raises AssertionError when a cell ends in an error.
    """
    root = folder / "root"
    root.mkdir(parents=True)
    shutil.copy(notebook, root)
    with _lab_server(root, folder) as address, browse(lambda url: _is_loopback(url), folder / "profile") as browsed:
        page = browsed.page
        page.goto(f"{address}/lab/tree/{notebook.name}?reset", wait_until="domcontentloaded")
        page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell", timeout=60_000)
        page.evaluate(IDLE_KERNEL)
        outputs = page.evaluate(RUN_ALL, seconds_to_run)
        failed = [number for number, kinds in enumerate(outputs, start=1) if "error" in kinds]
        assert not failed, f"code cells {failed} of {notebook.name} ended in an error in JupyterLab"
        yield browsed


def _is_loopback(url: str) -> bool:
    """Whether an address stays on this machine."""
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))


@contextmanager
def _lab_server(root: Path, folder: Path) -> Iterator[str]:
    """A JupyterLab on the loopback address, with settings of its own and no news, updates or token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = folder / "settings" / "@jupyterlab"
    for extension, name, content in (
        ("apputils-extension", "notification", {"fetchNews": "false", "checkForUpdates": False}),
        ("notebook-extension", "tracker", {"windowingMode": "none"}),
    ):
        (settings / extension).mkdir(parents=True)
        (settings / extension / f"{name}.jupyterlab-settings").write_text(json.dumps(content))
    places = {"CONFIG": "config", "DATA": "data", "RUNTIME": "runtime"}
    environment = {**os.environ, **{f"JUPYTER_{key}_DIR": str(folder / value) for key, value in places.items()}}
    environment |= {"JUPYTERLAB_SETTINGS_DIR": str(settings.parent), "OMP_WAIT_POLICY": "PASSIVE"}
    environment |= {"JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"), "IPYTHONDIR": str(folder / "ipython")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += [
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        "--ServerApp.password=",
        "--LabApp.news_url=",
    ]
    command += ["--expose-app-in-browser", f"--ServerApp.root_dir={root}", "--LabApp.extension_manager=readonly"]
    with (folder / "lab.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            _wait_for_server(f"http://127.0.0.1:{port}", server, folder / "lab.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(20)


def _wait_for_server(address: str, server: subprocess.Popen, log: Path) -> None:
    """Wait until the server answers; fail with its log when it ends or takes more than a minute."""
    for _ in range(300):
        assert server.poll() is None, log.read_text()[-2000:]
        try:
            urllib.request.urlopen(f"{address}/api/status", timeout=1)
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"JupyterLab did not answer within 60 s: {log.read_text()[-2000:]}")
