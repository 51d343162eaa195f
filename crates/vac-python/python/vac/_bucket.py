"""Files of an object store, or of any other file system that pyarrow opens."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

from ._native import Files


def Bucket(location: str, filesystem: Any = None) -> Files:  # noqa: N802
    """Return the files below a location: ``s3://bucket/homes``, ``gs://...``, ``hdfs://...``.

    Needs pyarrow. ``filesystem`` is a ``pyarrow.fs.FileSystem`` (or one of fsspec, wrapped by
    pyarrow) with credentials and settings; ``location`` is a path in it then. The result can be
    pickled, so that every worker of a cluster opens the bucket itself. Databases are copied to
    private temporary files with their journals, since SQLite reads only files on disk.
    """
    from pyarrow import fs

    if filesystem is None:
        filesystem, location = fs.FileSystem.from_uri(location)
    # Every path of an empty location is a name, and names of the root begin after its slash.
    prefix = f"{location.rstrip('/')}/" if location else ""
    return Files(_ArrowFiles(filesystem, prefix))


class _ArrowFiles:
    """The three methods that ``Files`` calls."""

    def __init__(self, filesystem: Any, prefix: str, folders: Sequence[str] = ("",)) -> None:
        self.filesystem = filesystem
        #: What precedes a name in a path: empty, or with a slash at the end.
        self.prefix = prefix
        self.folders = folders

    def around(self, paths: Iterable[str]) -> _ArrowFiles:
        """Return the files in the folders of these paths: enough to read them, and soon listed."""
        folders = sorted({posixpath.dirname(path) for path in paths}, key=lambda it: it.split("/"))
        # What is in a folder is listed with it.
        outer: list[str] = []
        for folder in folders:
            if not outer or not f"{folder}/".startswith(f"{outer[-1]}/"):
                outer.append(folder)
        return _ArrowFiles(self.filesystem, self.prefix, [""] if "" in folders else outer)

    def names(self) -> list[str]:
        from pyarrow import fs

        paths: list[str] = []
        for folder in self.folders:
            path = f"{self.prefix}{folder}".rstrip("/") or self.prefix
            selector = fs.FileSelector(path, recursive=True, allow_not_found=folder != "")
            found = self.filesystem.get_file_info(selector)
            paths += [info.path for info in found if info.type == fs.FileType.File]
        return [self._name(path) for path in paths]

    def _name(self, path: str) -> str:
        # Some file systems of fsspec add a slash at the beginning.
        for prefix in (f"/{self.prefix}", self.prefix):
            if path.startswith(prefix):
                return path[len(prefix):]
        raise ValueError(f"{path} is not in {self.prefix}")

    def size(self, name: str) -> int:
        info = self.filesystem.get_file_info(f"{self.prefix}{name}")
        if info.size is None:
            raise FileNotFoundError(f"{self.prefix}{name}")
        return int(info.size)

    def open(self, name: str) -> BinaryIO:
        file: BinaryIO = self.filesystem.open_input_stream(
            f"{self.prefix}{name}", compression=None
        )
        return file

    def __repr__(self) -> str:
        return repr(self.prefix)
