"""What is saved, as a folder: written beside and renamed into place, every byte accounted for in the manifest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError

FORMAT = 1
MANIFEST = "manifest.json"
INDEX = "index"  # what a manifest without a kind describes
# What numpy and zipfile raise where bytes are no arrays, or claim more of them than there can be.
NO_ARRAYS = (ValueError, TypeError, KeyError, EOFError, OSError, MemoryError, OverflowError, RuntimeError, BadZipFile,
             zlib.error, struct.error, TokenError)  # fmt: skip


def write_folder(
    folder: Path, write_files: Callable[[Path], None], about: Mapping[str, Any], *, overwrite: bool
) -> dict[str, Any]:
    """Write files and their manifest into a folder beside `folder`, and rename it into place.

    Killed at any moment, it leaves the folder that was there before, or the new one, to be found by `find_folder`.

    Parameters
    ----------
    folder : Path
    write_files : callable
        Gets an empty folder and writes all files but the manifest.
    about : mapping
        What the manifest says besides format, files and checksum.
    overwrite : bool
        Whether what was saved at `folder`, of the same kind, is replaced, whole.

    Returns
    -------
    dict
        The manifest.

    Raises
    ------
    PsiragError
        Something is there and `overwrite` is False, or it is of another kind.

    Notes
    -----
    Source: the layout is ours.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "index"
    >>> manifest = write_folder(folder, lambda at: (at / "a.txt").write_text("a") and None, {}, overwrite=False)
    >>> manifest["files"]["a.txt"]["bytes"]
    1
    """
    folder = folder.resolve()  # a link stays and leads to the new folder
    check_free(folder, overwrite=overwrite, kind=about.get("kind", INDEX))
    partial, previous = _beside(folder, "partial"), _beside(folder, "previous")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
    except OSError as error:
        given = f"{folder}: {error.strerror}"
        raise PsiragError("save needs a folder that can be made", given, "Choose another place or name.") from error
    try:
        write_files(partial)
        manifest = {"format": FORMAT, **about, "files": _describe_files(partial)}
        (partial / MANIFEST).write_bytes(_manifest_bytes(manifest))
        _flush(partial)
        _replace(folder, partial, previous)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return manifest


def check_free(folder: Path, *, overwrite: bool, kind: str = INDEX) -> None:
    """Raise where `write_folder` would have to destroy something that it must not."""
    if not os.path.lexists(folder):
        if not _is_saved(_beside(folder, "previous")):  # set aside by an overwrite that was interrupted
            return
    elif folder.is_dir() and not any(folder.iterdir()):
        return
    elif not folder.is_dir() or not (folder / MANIFEST).is_file() or _kind_of(folder) not in (kind, None):
        given = f"{folder}, which is something else"
        raise PsiragError(f"save replaces a saved {kind} only", given, "Choose a folder that does not exist yet.")
    if not overwrite:
        given = f"{folder}, which exists"
        raise PsiragError("save needs a new folder", given, "Pass overwrite=True to replace it, or another folder.")


def _is_saved(folder: Path) -> bool:
    """Tell whether a folder holds a manifest; a name that is too long holds none."""
    try:
        return (folder / MANIFEST).is_file()
    except OSError:
        return False


def _kind_of(folder: Path) -> str | None:
    """Return what a saved folder says that it is, None where its manifest is damaged."""
    try:
        return str(json.loads((folder / MANIFEST).read_bytes()).get("kind", INDEX))
    except (ValueError, AttributeError, RecursionError):
        return None


def open_folder(
    folder: Path, kind: str = INDEX, *, required: Iterable[str], optional: Iterable[str] = (), verify: bool = True
) -> tuple[Path, dict[str, Any]]:
    """Return the folder of what was saved and its manifest, when every file is as the manifest says.

    Parameters
    ----------
    folder : Path
        Also found where an interrupted overwrite set it aside.
    kind : str
        What must have been saved there.
    required, optional : iterable of str
        Names of the files that such a folder has.
    verify : bool
        Whether the files' bytes are compared, too, and not only their sizes.

    Raises
    ------
    PsiragError
        Nothing of this kind is there, or a file is missing, truncated, altered or of a newer format, by name.

    Notes
    -----
    Source: the layout is ours.
    """
    path = find_folder(folder, kind)
    manifest = read_manifest(path)
    if manifest.get("kind", INDEX) != kind:
        given, remedy = f"{path}, which holds something else", "Pass a folder that save wrote."
        raise PsiragError(f"load needs the folder of a saved {kind}", given, remedy)
    with fitting(MANIFEST):
        files = {name: (int(known["bytes"]), str(known["sha256"])) for name, known in manifest["files"].items()}
    check_files(path, files, required=required, optional=optional, verify=verify)
    return path, manifest


def find_folder(folder: Path, kind: str) -> Path:
    """Return the folder of what was saved: itself, or what an interrupted overwrite set aside.

    Raises
    ------
    PsiragError
        Neither is there, or it has no manifest.
    """
    asked, remedy = f"load needs the folder of a saved {kind}", "Pass a folder that save wrote."
    aside = _beside(folder, "previous")
    if not os.path.lexists(folder) and _is_saved(aside):
        return aside
    if not folder.exists():
        raise PsiragError(asked, f"{folder}, which does not exist", remedy)
    if not folder.is_dir():
        raise PsiragError(asked, f"the file {folder}", f"{remedy} It is never a pickle or a single file.")
    if not (folder / MANIFEST).is_file():
        raise PsiragError(asked, f"{folder}, which has no {MANIFEST}", remedy)
    return folder


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return a manifest after checking its format version and its checksum of its own lines.

    Raises
    ------
    PsiragError
        The manifest is of a newer format, or altered, or cannot be read.
    """
    content = _read_bytes(folder / MANIFEST)
    manifest = read_json(folder / MANIFEST)
    version = manifest.get("format")
    if version != FORMAT:
        given = f"format {version!r} in {MANIFEST}"
        raise PsiragError(f"This psirag reads format {FORMAT}", given, "Update psirag, or make it again.")
    digest = manifest.pop("sha256", None)
    with fitting(MANIFEST):
        described = _manifest_bytes(manifest)
    if described != content:
        raise damaged(MANIFEST, f"one that does not match its own SHA-256 ({digest})")
    return manifest


def check_files(
    folder: Path,
    files: Mapping[str, tuple[int, str]],
    *,
    required: Iterable[str],
    optional: Iterable[str],
    verify: bool,
) -> None:
    """Compare every file with the manifest: by size, and with `verify` by SHA-256.

    Raises
    ------
    PsiragError
        A file is missing, truncated or altered, or the manifest lists other files than these.
    """
    required = tuple(required)
    wrong = set(required) - set(files) | set(files) - {*required, *optional}
    if wrong:
        raise damaged(MANIFEST, f"one that lacks or adds {', '.join(sorted(map(repr, wrong)))}")
    for name, (size, digest) in files.items():
        path = folder / name
        if not path.is_file():
            raise damaged(name, "no such file")
        if path.stat().st_size != size:
            raise damaged(name, f"{path.stat().st_size} bytes where {size} were saved")
        if verify and _sha256(path) != digest:
            raise damaged(name, "other bytes than were saved (SHA-256 differs)")


def read_array(path: Path, *, mmap: bool) -> npt.NDArray[Any]:
    """Read an .npy file without pickle; read-only.

    Raises
    ------
    PsiragError
        Not an .npy file, or one that holds Python objects.
    """
    try:
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r" if mmap else None, allow_pickle=False)
    except NO_ARRAYS as error:
        raise damaged(path.name, f"a file that numpy cannot read without pickle ({error})") from error
    array.flags.writeable = False
    return array


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines in UTF-8.

    Raises
    ------
    PsiragError
        A value is no JSON value.
    """
    try:
        lines = [json.dumps(dict(record), ensure_ascii=False, default=_plain) + "\n" for record in records]
    except (TypeError, ValueError, RecursionError) as error:
        asked = f"{path.name} holds text, numbers, lists and dicts"
        raise PsiragError(asked, str(error), "Put JSON values only into the metadata.") from error
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines.

    Raises
    ------
    PsiragError
        A line is no JSON object.
    """
    try:
        return [dict(json.loads(line)) for line in _read_bytes(path).decode("utf-8").split("\n") if line]
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(path.name, f"a file with a broken line ({error})") from error


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises
    ------
    PsiragError
        The file holds something else.
    """
    content = _read_bytes(path)
    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise damaged(path.name, f"a file that is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise damaged(path.name, f"a JSON {type(value).__name__}")
    return value


@contextmanager
def fitting(name: str) -> Iterator[None]:
    """Turn whatever goes wrong while a part is made of a file's contents into an error that names the file."""
    try:
        yield
    except (*NO_ARRAYS, IndexError, AttributeError) as error:
        raise damaged(name, f"contents that do not fit ({error})") from error


def damaged(name: str, given: str) -> PsiragError:
    """Return the error that names a saved file as missing, altered or of another kind."""
    return PsiragError(f"load needs the file {name} as it was saved", given, "Copy the folder again, or make it again.")


def _plain(value: Any) -> dict[Any, Any]:
    """Return a read-only mapping as the dict that JSON knows."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r:.80} is no JSON value")


def _beside(folder: Path, what: str) -> Path:
    """Return the hidden folder next to `folder` for a new or an old version."""
    folder = folder.resolve()
    return folder.with_name(f".{folder.name}.{what}")


def _replace(folder: Path, partial: Path, previous: Path) -> None:
    """Put the finished folder in place; between the two renames the old one stands aside under a known name."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    if folder.exists():
        shutil.rmtree(previous, ignore_errors=True)
        folder.rename(previous)
    partial.rename(folder)
    shutil.rmtree(previous, ignore_errors=True)


def _describe_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Return size and SHA-256 of every file below a folder, by its name there."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": _sha256(path)} for path in paths
    }


def _manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Render a manifest: one key a line or more, last the SHA-256 of all lines before."""
    body = json.dumps(manifest, ensure_ascii=False, indent=1).removesuffix("\n}") + ",\n"
    digest = hashlib.sha256(body.encode("utf-8")).hexdigest()
    return f'{body} "sha256": "{digest}"\n}}\n'.encode()


def _sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _read_bytes(path: Path) -> bytes:
    """Read a file whole."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise damaged(path.name, f"an unreadable file ({error.strerror})") from error


def _flush(folder: Path) -> None:
    """Ask the system to put the files on disk before the folder takes its name."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb+") as stream:
                os.fsync(stream.fileno())
