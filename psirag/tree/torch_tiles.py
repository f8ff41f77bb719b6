"""The sweep's products by torch, on a GPU: half precision filters, integers decide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.vectors import Vectors

Bars = npt.NDArray[np.float64]

_ROWS_AT_ONCE = 16_384


class TorchTiles:
    """Tiles of a matrix product on a torch device.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Unit rows.
    device : str
        "cuda", "cuda:1", "cpu", …
    half : bool, optional
        Multiply in float16, the default everywhere but on the CPU; else in float32.

    Raises
    ------
    PsiragError
        torch or the device is not there.

    Notes
    -----
    A row q rounded to half precision is r = |x − q| away from x, so |x·y − q·p| ≤ r + s + rs. The margin is measured:
    twice the largest r, with what the sum and the result may lose.

    Examples
    --------
    >>> TorchTiles(np.eye(3, dtype=np.float32), "cpu", half=True).columns
    65536
    """

    columns = 65_536

    def __init__(self, rows: Vectors, device: str, *, half: bool | None = None) -> None:
        self._torch = _torch_on(device)
        half = not device.startswith("cpu") if half is None else half
        self._kind = self._torch.float16 if half else self._torch.float32
        self._rows = self._torch.from_numpy(np.array(rows)).to(self._kind).to(device)
        self._exact = rows

    @cached_property
    def margin(self) -> float:
        """At least twice the error of a product: rounding of the rows, of the sum, and of the result."""
        d, largest = self._exact.shape[1], 0.0
        for start in range(0, len(self._exact), _ROWS_AT_ONCE):
            exact = self._exact[start : start + _ROWS_AT_ONCE].astype(np.float64)
            held = self._rows[start : start + _ROWS_AT_ONCE].double().cpu().numpy()
            held[np.abs(held) < 2.0**-14] = 0  # a GPU may take the smallest halves for zero, or not
            largest = max(largest, float(np.sqrt(((exact - held) ** 2).sum(axis=1).max())))
        result = 2.0**-10 if self._kind is self._torch.float16 else 0.0
        return float(2 * (2 * largest + largest**2 + result + d * 2.0**-22 * 1.01 + 2.0**-21))

    def reaching(self, rows: range, columns: range, row_bar: Bars, column_bar: Bars) -> tuple[Any, Any, Bars]:
        """Return row, column and product of the entries that reach the bar of either."""
        torch = self._torch
        with _full_sums(torch):
            tile = self._rows[rows.start : rows.stop] @ self._rows[columns.start : columns.stop].T
        down = 1e-3 if self._kind is torch.float16 else 1e-6  # a bar rounded on the device must not rise
        low = [torch.from_numpy(bar - down).clamp(-4, 4).to(tile) for bar in (row_bar, column_bar)]
        low = [torch.where(bar >= 3, torch.inf, bar) for bar in low]
        i, j = torch.nonzero((tile >= low[0][:, None]) | (tile >= low[1]), as_tuple=True)
        return i.cpu().numpy(), j.cpu().numpy(), tile[i, j].double().cpu().numpy()


def _torch_on(device: str) -> Any:
    """Return torch, when it is there and has the device."""
    remedy = 'Leave device out, or run pip install "psirag[models]" on a machine that has the device.'
    try:
        import torch

        torch.empty(0, device=device)
    except (ImportError, RuntimeError, AssertionError, TypeError) as error:
        raise PsiragError("device must be one that torch can use here", f"{device!r} ({error})", remedy) from error
    return torch


@contextmanager
def _full_sums(torch: Any) -> Iterator[None]:
    """Sum in float32: by default torch may round partial sums, which no margin here covers."""
    settings = torch.backends.cuda.matmul
    before = settings.allow_fp16_reduced_precision_reduction, settings.allow_tf32
    settings.allow_fp16_reduced_precision_reduction = settings.allow_tf32 = False
    try:
        yield
    finally:
        settings.allow_fp16_reduced_precision_reduction, settings.allow_tf32 = before
