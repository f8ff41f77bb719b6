"""The sweep by torch: the same tree, bit for bit, whatever precision filters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.tree import build_tree, spanning_tree, sweeping
from psirag.tree.sweeping import NumpyTiles
from psirag.vectors import unit_rows
from tests.strategies import any_vectors

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:.*zero:psirag.errors.PsiragWarning")


@pytest.fixture(scope="module")
def clustered():
    rng = np.random.default_rng(2)
    return unit_rows(rng.normal(size=(30, 48))[rng.integers(0, 30, 600)] + 0.5 * rng.normal(size=(600, 48)))


@settings(max_examples=25)
@given(any_vectors, st.booleans())
def test_torch_on_the_cpu_gives_the_same_bits(vectors, half):
    from psirag.tree import torch_tiles

    rows, made = unit_rows(vectors), torch_tiles.TorchTiles
    plain = spanning_tree(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch_tiles, "TorchTiles", lambda rows, device: made(rows, device, half=half))
        by_torch = spanning_tree(rows, device="cpu", block=4)
    assert np.array_equal([plain.u, plain.v, plain.key], [by_torch.u, by_torch.v, by_torch.key])


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("kind", ["clump", "one-hot", "sign grid", "antipodal"])
def test_masses_of_ties_in_any_precision(kind, half, monkeypatch):
    from psirag.tree import torch_tiles

    rng = np.random.default_rng(3)
    rows = {
        "clump": np.ones(16) + 1e-7 * rng.normal(size=(300, 16)),
        "one-hot": np.eye(200)[rng.permutation(200)],
        "sign grid": rng.choice([-1.0, 1.0], size=(300, 9)),
        "antipodal": np.repeat([[1.0, 0, 0], [-1.0, 0, 0]], 150, axis=0) + 1e-6 * rng.normal(size=(300, 3)),
    }[kind]
    made = torch_tiles.TorchTiles
    monkeypatch.setattr(torch_tiles, "TorchTiles", lambda rows, device: made(rows, device, half=half))
    plain, by_torch = spanning_tree(unit_rows(rows)), spanning_tree(unit_rows(rows), device="cpu", block=64)
    assert np.array_equal([plain.u, plain.v, plain.key], [by_torch.u, by_torch.v, by_torch.key])


@pytest.mark.parametrize("half", [False, True])
def test_any_precision_gives_the_same_bits(half, clustered, monkeypatch):
    from psirag.tree import torch_tiles

    made = torch_tiles.TorchTiles
    monkeypatch.setattr(torch_tiles, "TorchTiles", lambda rows, device: made(rows, device, half=half))
    plain, by_torch = spanning_tree(clustered), spanning_tree(clustered, device="cpu", block=64)
    assert np.array_equal([plain.u, plain.v, plain.key], [by_torch.u, by_torch.v, by_torch.key])


@pytest.mark.parametrize("half", [False, True])
def test_the_margin_covers_the_error_of_every_product(half, clustered):
    from psirag.tree.torch_tiles import TorchTiles

    tiles, n = TorchTiles(clustered, "cpu", half=half), len(clustered)
    everything = np.full(n - 100, -3.0)
    i, j, products = tiles.reaching(range(100), range(100, n), np.full(100, -3.0), everything)
    exact = clustered.astype(np.float64) @ clustered.T.astype(np.float64)
    assert len(i) == 100 * (n - 100)
    assert np.abs(products - exact[i, 100 + j]).max() <= tiles.margin / 2


def test_torch_lets_through_at_least_what_numpy_does(clustered):
    from psirag.tree.torch_tiles import TorchTiles

    rng = np.random.default_rng(0)
    bars = np.append(np.inf, rng.uniform(0, 0.9, 99)), np.append(np.inf, rng.uniform(0, 0.9, 199))
    at = range(100), range(100, 300)
    exact = set(zip(*NumpyTiles(clustered.astype(np.float64)).reaching(*at, *bars)[:2], strict=True))
    for half in (False, True):
        tiles = TorchTiles(clustered, "cpu", half=half)
        found = set(zip(*tiles.reaching(*at, *(bar - tiles.margin for bar in bars))[:2], strict=True))
        assert exact <= found


def test_the_settings_of_torch_are_as_they_were(clustered):
    settings = torch.backends.cuda.matmul
    before = settings.allow_fp16_reduced_precision_reduction, settings.allow_tf32
    build_tree(clustered, device="cpu")
    assert (settings.allow_fp16_reduced_precision_reduction, settings.allow_tf32) == before


@pytest.mark.parametrize("device", ["abacus", 3, "cuda:77"])
def test_a_device_that_is_not_there(device):
    with pytest.raises(PsiragError, match="device must be one that torch can use here"):
        build_tree(np.eye(3), device=device)


def test_a_dense_tile_is_computed_again_in_float64(monkeypatch):
    clump = unit_rows(np.ones(16) + 1e-7 * np.random.default_rng(3).normal(size=(300, 16)))
    plain = spanning_tree(clump)
    monkeypatch.setattr(sweeping, "_DENSE", 2.0)  # never
    never = spanning_tree(clump)
    assert np.array_equal([plain.u, plain.v, plain.key], [never.u, never.v, never.key])
