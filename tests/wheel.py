"""The wheel of this working tree, for the tests of packaging."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("psirag", "theory", "data", "notebooks", "tests/benchmarks/results", "*.toml", "*.md", "LICENSE")


def build_wheel(out: Path) -> Path:
    """Build the wheel into a folder, from a copy so that nothing is left in the working tree."""
    listed = ["git", "ls-files", "-co", "--exclude-standard", *PARTS]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        for name in filter(lambda name: (ROOT / name).is_file(), names):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
        done = subprocess.run([*command, "-w", str(out), str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(out.glob("*.whl"))
