import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Literal, Protocol, TypeAlias

from ._error import Error

__version__: str

_Path: TypeAlias = str | os.PathLike[str]
_Sessions: TypeAlias = Task | Record | bytes | bytearray | _Path
_Records: TypeAlias = Record | bytes | bytearray | _Path
# One of `vac.TABLES`.
_TableName: TypeAlias = str
# `raise` or `skip`.
_OnError: TypeAlias = str
_EventKind: TypeAlias = Literal[
    "prompts", "tools", "permissions", "text", "reasoning", "usage", "boundaries"
]
_Author: TypeAlias = Literal["user", "program", "other-agent", "hook", "unknown", "unstated"]

class _FileReader(Protocol):
    def names(self) -> list[str]: ...
    def size(self, name: str, /) -> int: ...
    def open(self, name: str, /) -> BinaryIO: ...

class Files:
    """Files by name that need not be on disk, such as those of an object store."""

    def __new__(cls, files: _FileReader) -> Files: ...
    @property
    def files(self) -> _FileReader: ...

class Task:
    """A session log to read: the files of a session, or a session of a store."""

    @staticmethod
    def from_bytes(data: bytes, name: str = "log") -> Task: ...
    @staticmethod
    def from_json(text: str) -> Task: ...
    def to_json(self) -> str: ...
    def in_files(self, files: Files) -> Task: ...
    @property
    def name(self) -> str: ...
    @property
    def agent(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def session_id(self) -> str | None: ...
    @property
    def start(self) -> str | None: ...
    @property
    def project(self) -> str | None: ...
    @property
    def cli_version(self) -> str | None: ...
    @property
    def size(self) -> int | None: ...
    @property
    def home(self) -> str | None: ...
    @property
    def paths(self) -> list[os.PathLike[str]]: ...
    @property
    def store(self) -> os.PathLike[str] | None: ...

class Record:
    """A record, and the report on its conversion."""

    @property
    def data(self) -> bytes: ...
    @property
    def report(self) -> dict[str, Any]: ...
    def __bytes__(self) -> bytes: ...

class Validation:
    """The result of validating records."""

    @property
    def is_valid(self) -> bool: ...
    @property
    def records(self) -> int: ...
    @property
    def syntax_error(self) -> str | None: ...
    @property
    def violations(self) -> list[dict[str, Any]]: ...
    @property
    def total_violations(self) -> int: ...

class SecretKey:
    """A secret key: Ed25519 or P-256. It cannot be pickled or printed."""

    @staticmethod
    def from_pem(text: str, password: bytes | None = None) -> SecretKey: ...
    @staticmethod
    def ed25519(seed: bytes) -> SecretKey: ...
    def to_pem(self) -> str: ...
    @property
    def public_key(self) -> PublicKey: ...

class PublicKey:
    """A public key: Ed25519 or P-256."""

    @staticmethod
    def from_pem(text: str) -> PublicKey: ...
    def to_pem(self) -> str: ...
    @property
    def thumbprint(self) -> str: ...

class SignedRecord:
    """A signed record."""

    @property
    def envelope(self) -> bytes: ...
    @property
    def facts(self) -> dict[str, Any]: ...
    def __bytes__(self) -> bytes: ...

class Verified:
    """The result of verifying a signed record."""

    @property
    def verified(self) -> bool: ...
    @property
    def verdict(self) -> Literal["verified", "statement-only", "failed"]: ...
    @property
    def answers(self) -> dict[str, Any]: ...
    @property
    def record(self) -> bytes | None: ...

class Schema:
    """The schema of a table: ``pyarrow.schema(schema)``."""

    @property
    def table(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def columns(self) -> list[tuple[str, str, bool, str]]: ...
    def __arrow_c_schema__(self) -> object: ...

class Table:
    """A table of sessions. It can be consumed several times, and is read each time."""

    @property
    def name(self) -> str: ...
    @property
    def schema(self) -> Schema: ...
    @property
    def failures(self) -> list[Error]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Batch:
    """A batch of rows of one table."""

    @property
    def num_rows(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

class Written:
    """The result of writing tables."""

    @property
    def rows(self) -> dict[str, int]: ...
    @property
    def failures(self) -> list[Error]: ...

class BatchIterator(Iterator[tuple[str, Batch]]):
    """An iterator over batches of tables."""

    @property
    def failures(self) -> list[Error]: ...
    def __iter__(self) -> BatchIterator: ...
    def __next__(self) -> tuple[str, Batch]: ...

class EventIterator(Iterator[dict[str, Any]]):
    """An iterator over events."""

    def __iter__(self) -> EventIterator: ...
    def __next__(self) -> dict[str, Any]: ...

def plan(
    paths: list[_Path],
    roots: list[_Path],
    discover: bool,
    agents: list[str],
    since: int | None,
    until: int | None,
    project: str | None,
    homes_apart: bool,
    jobs: int,
    files: Files | None,
) -> tuple[list[Task], list[dict[str, Any]], list[dict[str, Any]], list[Error]]: ...
def convert(
    source: Task | bytes | bytearray | _Path,
    *,
    encoding: Literal["json", "cbor"] = "json",
    pretty: bool = False,
    profile: Literal["full", "canonical"] = "full",
    labels: Mapping[str, str] | None = None,
    max_event: int | None = None,
) -> list[Record]: ...
def update_folder(
    tasks: Sequence[Task],
    folder: _Path,
    *,
    encoding: Literal["json", "cbor"] = "json",
    pretty: bool = False,
    profile: Literal["full", "canonical"] = "full",
    labels: Mapping[str, str] | None = None,
    max_event: int | None = None,
    overwrite: bool = False,
    reconvert: bool = False,
    rehash: bool = False,
    jobs: int = 0,
) -> dict[str, Any]: ...
def validate(record: _Records) -> Validation: ...
def inspect(source: _Sessions) -> list[dict[str, Any]]: ...
def events(
    source: _Sessions,
    *,
    only: Sequence[_EventKind] | None = None,
    authors: Sequence[_Author] | None = None,
    repeated: bool = False,
) -> EventIterator: ...
def sign(
    record: _Records,
    key: SecretKey,
    *,
    issuer: str | None = None,
    subject: str | None = None,
    key_id: bytes | None = None,
    content_type: str | None = None,
    certificates: str | None = None,
    carriage: Literal["attached", "detached", "digest"] = "attached",
    time: int | None = None,
) -> SignedRecord: ...
def verify(
    envelope: bytes | bytearray | _Path,
    key: PublicKey | None = None,
    *,
    record: _Records | None = None,
    issuer: str | None = None,
    subject: str | None = None,
    trust: str | None = None,
    time: int | None = None,
    strict: bool = False,
    receipt_keys: Sequence[PublicKey] = (),
    time_stamp: bytes | bytearray | None = None,
    authorities: str | None = None,
) -> Verified: ...
def tables(
    tasks: Sequence[Task],
    table: _TableName,
    *,
    on_error: _OnError = "raise",
    jobs: int = 0,
) -> Table: ...
def batches(
    tasks: Sequence[Task],
    tables: Sequence[_TableName] | None = None,
    *,
    on_error: _OnError = "raise",
    jobs: int = 0,
) -> BatchIterator: ...
def write(
    tasks: Sequence[Task],
    folder: _Path,
    tables: Sequence[_TableName] | None = None,
    *,
    on_error: _OnError = "raise",
    jobs: int = 0,
) -> Written: ...
def schema(table: _TableName) -> Schema: ...
