"""Packages that not every install brings: imported when first needed, or told how to get them; their versions."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from psirag.errors import PsiragError


def needed(package: str, extra: str, *, what: str = "This") -> Any:
    """Import a package of an extra of psirag, or say how to install it.

    Parameters
    ----------
    package : str
        Import name, such as "pandas".
    extra : str
        The extra of psirag that installs it, such as "evaluation".
    what : str
        Who asks, for the error.

    Returns
    -------
    module

    Raises
    ------
    PsiragError
        The package, or something that it imports, is not installed.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> needed("json", "evaluation").loads("[1]")
    [1]
    """
    try:
        return import_module(package)
    except ImportError as error:
        given = f"an environment without it ({error})"
        raise PsiragError(f"{what} needs {package}", given, f'Run: pip install "psirag[{extra}]".') from error


def installed_version(distribution: str) -> str:
    """Return the version of an installed distribution, "not installed" where there is none.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> installed_version("no-such-distribution")
    'not installed'
    """
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
