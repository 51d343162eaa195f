"""The exception of the package."""

from __future__ import annotations


class Error(Exception):
    """An error: its kind, the file or log that it is about, and the reason.

    ``kind`` is ``io``, ``unrecognised`` (not a log of a supported agent, not a record),
    ``refused`` (a log or an argument that is not accepted), ``changed`` (the log was changed while
    it was read), ``invalid`` (not a valid record), ``exists`` (a file that already exists),
    ``locked`` (a folder that another process writes to) or ``internal`` (a defect of this package).
    """

    def __init__(self, kind: str, place: str | None, reason: str) -> None:
        super().__init__(kind, place, reason)
        self.kind = kind
        self.place = place
        self.reason = reason

    def __str__(self) -> str:
        return self.reason if self.place is None else f"{self.place}: {self.reason}"
