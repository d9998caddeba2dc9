"""A ledger in a PostgreSQL database, for a team: the same statements, one writer at a time, synchronous commits."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tacit.errors import LedgerError, ParameterError
from tacit.ledger.store import ProcessLocal, Row, Session
from tacit.ledger.tables import TABLES

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
except ImportError as error:  # pragma: no cover
    raise LedgerError('a postgresql:// ledger needs the driver: pip install "tacit-dp[postgres]"') from error

_WRITER_LOCK = 0x7461636974  # "tacit": the name of the one lock every writer takes first

_DURABLE = {"fsync": "on", "full_page_writes": "on"}

_TRIGGERS = (
    """CREATE FUNCTION tacit_append_only() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'the history is append-only'; END $$""",
    """CREATE TRIGGER tacit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tacit_event
       FOR EACH STATEMENT EXECUTE FUNCTION tacit_append_only()""",
    """CREATE TRIGGER tacit_balance_no_delete BEFORE DELETE OR TRUNCATE ON tacit_balance
       FOR EACH STATEMENT EXECUTE FUNCTION tacit_append_only()""",
)


class PostgresStore:
    """Tables in the database the URL names; the user needs the right to create them once."""

    def __init__(self, url: str, timeout: float) -> None:
        self.place = shown_place(url)
        self._url = url
        self._timeout = timeout
        self._handle = ProcessLocal(self._connect)

    @property
    def url(self) -> str:
        """The URL as it was given."""
        return self._url

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Every writer waits for one lock, so what was checked is what is committed."""
        with self._transaction() as session:
            session.rows("SELECT pg_advisory_xact_lock(?)", _WRITER_LOCK)
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A snapshot; writers go on."""
        with self._transaction() as session:
            session.change("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield session

    def has_tables(self, session: Session) -> bool:
        """Whether the tables exist."""
        return session.rows("SELECT to_regclass('tacit_version') IS NOT NULL")[0][0] is True

    def create_tables(self, session: Session) -> None:
        """Tables and append-only triggers."""
        for statement in (*TABLES, *_TRIGGERS):
            session.change(statement.format(integer="BIGINT", bytes="BYTEA", strict=""))

    def check_pages(self) -> None:
        """The server checks its own pages."""

    def mark(self, session: Session) -> None:
        """The server cannot tell."""

    def close(self) -> None:
        """Close the connection."""
        self._handle.close()

    @contextmanager
    def _transaction(self) -> Iterator[Session]:
        with self._handle.lock, self._clear_errors():
            connection = self._handle.get()
            try:
                with connection.transaction():
                    yield _PostgresSession(connection)
            finally:
                if connection.closed:  # the server went away: the next use connects again
                    self._handle.close()

    def _connect(self) -> "psycopg.Connection[Row]":
        wait = max(1, int(self._timeout * 1000))
        connection = psycopg.connect(
            self._url, autocommit=True, client_encoding="utf8", connect_timeout=max(2, int(self._timeout))
        )
        connection.execute("SET synchronous_commit = on")  # off would let a crash undo a committed charge
        connection.execute(f"SET lock_timeout = {wait}")
        for name, needed in _DURABLE.items():
            setting = connection.execute(f"SHOW {name}").fetchone()
            if setting != (needed,):
                connection.close()
                raise LedgerError(
                    f"the PostgreSQL server runs with {name} = {setting and setting[0]}, so a crash can undo charges; "
                    f"set {name} = {needed} first"
                )
        return connection

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.errors.LockNotAvailable as error:
            raise LedgerError(
                f"another process held the ledger for more than {self._timeout:g} s; nothing was booked. Try again, "
                f"or open it with a larger timeout"
            ) from error
        except psycopg.OperationalError as error:
            raise LedgerError(
                f"PostgreSQL: {str(error).strip()}. If the connection broke during a commit the step may or may not "
                f"be booked: the same key tells, and is never charged twice"
            ) from error
        except psycopg.Error as error:
            raise LedgerError(f"PostgreSQL: {str(error).strip()}. Nothing was booked") from error


_SHOWN = ("user", "host", "port", "dbname", "options")


def shown_place(url: str) -> str:
    """Where a URL leads, in psycopg's own reading of it and without its secrets."""
    before_path, _, path = url.partition("?")[0].partition("://")[2].partition("/")
    try:
        if "@" in path or before_path.count("@") > 1:  # part of a password would be taken for a host or a database
            raise psycopg.ProgrammingError
        read = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ParameterError(
            "this postgresql:// URL cannot be read (it is not shown, it may hold a password); it looks like "
            "postgresql://user:password@host:port/database, with @ : / ? # % and spaces inside a name or password "
            "written as %40 %3A %2F %3F %23 %25 %20"
        ) from None
    return f"PostgreSQL, {make_conninfo(**{name: str(read[name]) for name in _SHOWN if name in read})}"


class _PostgresSession:
    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self._connection = connection

    def rows(self, sql: str, *parameters: object) -> list[Row]:
        return self._connection.execute(_translated(sql), parameters).fetchall()

    def change(self, sql: str, *parameters: object) -> int:
        return self._connection.execute(_translated(sql), parameters or None).rowcount


def _translated(sql: str) -> str:
    return sql.replace("?", "%s")
