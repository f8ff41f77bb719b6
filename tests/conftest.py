"""What all tests share: importing the runner of notebooks/, no deadlines, and saying aloud what was skipped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "notebooks"))

# A busy machine is slow, not wrong.
settings.register_profile("psirag", deadline=None, print_blob=True)
settings.load_profile("psirag")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the browser tests where no Chromium is."""
    from tests.browser import CHROMIUM, WHY_SKIPPED

    if CHROMIUM is None:
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=WHY_SKIPPED))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List every skipped test with its reason, whatever the verbosity."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.section(f"{len(skipped)} NOT RUN", yellow=True)
    for report in skipped:
        terminalreporter.line(
            f"{report.nodeid}: {report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr}"
        )
