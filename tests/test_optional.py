"""Packages of an extra: imported, or told how to get them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.optional import installed_version, needed


def test_an_installed_package_is_handed_over() -> None:
    assert needed("json", "evaluation") is json


def test_a_missing_package_says_which_extra_brings_it() -> None:
    with pytest.raises(PsiragError, match=r'evaluate needs no_such_package.*pip install "psirag\[evaluation\]"'):
        needed("no_such_package", "evaluation", what="evaluate")


def test_versions_are_those_that_are_installed() -> None:
    assert installed_version("numpy") == np.__version__
    assert installed_version("no-such-distribution") == "not installed"
