"""Settings of the spanning tree that change the speed, the memory or what is shown, and never the pairs."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.tree import build_tree, spanning_tree
from psirag.tree.spanning_tree import _batches, _swept
from psirag.vectors import unit_rows


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(11)
    some = rng.normal(size=(25, 20))[rng.integers(0, 25, 700)] + 0.6 * rng.normal(size=(700, 20))
    some[50:90] = some[7]
    return unit_rows(some)


def test_a_memory_map_gives_the_same_tree_and_is_left_alone(rows, tmp_path):
    np.save(tmp_path / "rows.npy", rows)
    before = (tmp_path / "rows.npy").read_bytes()
    for mode in ("r", "c"):
        assert build_tree(np.load(tmp_path / "rows.npy", mmap_mode=mode)) == build_tree(rows)
    assert (tmp_path / "rows.npy").read_bytes() == before


def test_rows_are_overwritten_only_when_asked(rows):
    mine = rows.copy()
    plain = spanning_tree(mine)
    assert np.array_equal(mine, rows)
    in_place = spanning_tree(mine, overwrite_rows=True)
    assert not np.array_equal(mine, rows)
    assert np.array_equal([plain.u, plain.v, plain.key], [in_place.u, in_place.v, in_place.key])


def test_the_callers_vectors_are_never_overwritten(rows):
    mine = np.array(rows)
    build_tree(mine)
    assert np.array_equal(mine, rows)


def test_progress_counts_all_pairs_and_is_off_by_default(rows, capsys):
    build_tree(rows)
    assert capsys.readouterr() == ("", "")
    build_tree(rows, progress=True)
    shown = capsys.readouterr().err
    n = len(np.unique(rows, axis=0))
    assert "100%" in shown
    assert f"{n * (n - 1) / 2000:.0f}k" in shown


@pytest.mark.parametrize("wrong", [{"block": 0}, {"block": True}, {"workers": 0}, {"workers": 1.5}, {"block": None}])
def test_wrong_settings(rows, wrong):
    with pytest.raises(PsiragError, match=next(iter(wrong))):
        spanning_tree(rows, **wrong)


@pytest.mark.parametrize(
    ("n", "block", "workers"), [(1, 5, 1), (10, 3, 2), (1000, 1, 1), (700, 64, 8), (90_000, 512, 2)]
)
def test_batches_cover_every_block_once(n, block, workers):
    starts = range(0, n, block)
    batches = list(_batches(starts, workers))
    assert [start for batch in batches for start in batch] == list(starts)
    assert max(map(len, batches)) < 2 * 32 * workers


@pytest.mark.oracle
@pytest.mark.parametrize("n", [2, 3, 10])
def test_pairs_swept_by_hand(n):
    for row in range(n + 1):
        assert _swept(row, n) == sum(1 for i in range(row) for _ in range(i + 1, n))
