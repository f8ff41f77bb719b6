"""BLAS at one thread, so that sums have one order and workers do not crowd each other out."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS runs on one thread.

    Notes
    -----
    The libraries are looked up once in a process. To look them up walks over all that is loaded under a lock that an
    import in another thread may hold while it waits for this one: buckets in threads once waited for ever.

    Source: ours; threadpoolctl.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    limited: AbstractContextManager[Any] = _blas().limit(limits=1)
    return limited


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries that are loaded, numpy's among them."""
    return ThreadpoolController().select(user_api="blas")
