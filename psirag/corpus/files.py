"""Files as text and rows: UTF-8 on every machine, with an error that says what is wrong with which file."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

from psirag.errors import PsiragError

ROW_SUFFIXES = (".json", ".jsonl", ".gz", ".zip")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SWELLING = 200  # texts shrink to a third or a tenth
# What gzip and zipfile raise where bytes are no packed file.
_BROKEN = (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
_LFS_HEADER = b"version https://git-lfs.github.com/spec/"


def read_text(path: Path) -> str:
    """Read a UTF-8 file whatever the locale, without its byte-order mark and with line ends as they are on Unix."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PsiragError("A file must be readable", f"{path}: {error.strerror}", "Check the path.") from error
    if data.startswith(_LFS_HEADER):
        remedy = "Fetch the data itself: run `git lfs pull` in that clone, or download the file from its web page."
        raise PsiragError("A data file must hold data", f"the Git LFS pointer {path}", remedy)
    data = _unpacked(path, data)
    mark = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    try:
        text = data[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        given = f"{path} with byte 0x{data[mark + error.start]:02x} at offset {mark + error.start}"
        raise PsiragError("A text file must be UTF-8", given, "Save it as UTF-8.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _unpacked(path: Path, data: bytes) -> bytes:
    """Return what a .gz file or the one file of a .zip holds, and any other data as they are."""
    try:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                return _read_packed(path, stream, len(data))
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/") and "__MACOSX" not in name]
                if len(names) != 1:
                    given, remedy = f"{path} with {len(names)}", "Unpack it and pass the file."
                    raise PsiragError("A packed data file must hold one file", given, remedy)
                with archive.open(names[0]) as stream:
                    return _read_packed(path, stream, len(data))
    except PsiragError:
        raise
    except _BROKEN as error:
        raise PsiragError("A packed file must be whole", f"{path}: {error}", "Fetch it again.") from error
    return data


def _read_packed(path: Path, stream: IO[bytes] | gzip.GzipFile, packed: int) -> bytes:
    """Return what a packed file holds, unless a small one swells to more than any text does."""
    limit = max(_SWELLING * packed, 2**24)
    data = stream.read(limit + 1)
    if len(data) > limit:
        given = f"{path}, whose {packed} bytes unpack to more than {limit}"
        raise PsiragError("A packed file must hold text", given, "If it does, unpack it and pass the file.")
    return data


def read_rows(path: Path) -> list[Any]:
    """Read the rows of a `.json` list, of a `.csv` table, or of a file with one JSON value a line."""
    text, suffix = read_text(path), path.suffix.lower()
    if suffix == ".csv":
        try:
            return list(csv.DictReader(io.StringIO(text)))
        except csv.Error as error:
            raise PsiragError("A .csv file must be a table", f"{path}: {error}", "Mend that line.") from error
    if suffix != ".json":
        lines = enumerate(text.split("\n"), start=1)
        return [_parse(line, path, number) for number, line in lines if line.strip()]
    rows = _parse(text, path, 1)
    if not isinstance(rows, list):
        given = f"a {type(rows).__name__} in {path}"
        raise PsiragError("A .json file must hold a list of rows", given, "Wrap it in [].")
    return rows


def _parse(text: str, path: Path, first_line: int) -> Any:
    """Parse JSON, or say at which line and column it breaks."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        given = f"{path}, line {first_line + error.lineno - 1}, column {error.colno}: {error.msg}"
        remedy = "Mend that place; a file with one object a line is named .jsonl."
        raise PsiragError("A data file must be valid JSON", given, remedy) from error
    except (RecursionError, ValueError) as error:  # nested too deeply, or an integer of thousands of digits
        given = f"{path}, line {first_line} or later: {error}"
        raise PsiragError("A data file must be plain JSON", given, "Flatten that row, or quote the number.") from error
