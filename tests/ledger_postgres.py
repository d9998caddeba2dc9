"""A private PostgreSQL server on loopback, in a temporary directory, gone afterwards."""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


def server_binaries() -> Path | None:
    """The directory of initdb and pg_ctl; Debian keeps it off the PATH."""
    folders = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((f for f in folders if (f / "pg_ctl").exists() and (f / "initdb").exists()), None)


@contextmanager
def private_server() -> Iterator[str]:
    """The URL of the server's postgres database; the server refuses to run as root, so root lends it a user."""
    binaries = server_binaries()
    assert binaries is not None, "no PostgreSQL server is installed"
    user = "postgres" if os.geteuid() == 0 else None
    password = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="tacit-pg-") as name:
        folder = Path(name)
        secret = folder / "password"
        secret.write_text(password)
        if user is not None:
            for path in (folder, secret):
                shutil.chown(path, user)
        port, data = _free_port(), folder / "data"

        def call(*command: str) -> None:
            subprocess.run(command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, env={"LC_ALL": "C"})

        call(str(binaries / "initdb"), "-D", str(data), "-U", "tacit", "-A", "scram-sha-256", f"--pwfile={secret}")
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": "''",
            "max_connections": 60,
        }
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        log = str(folder / "log")
        call(str(binaries / "pg_ctl"), "-D", str(data), "-w", "-l", log, "-o", options, "start")
        try:
            yield f"postgresql://tacit:{password}@127.0.0.1:{port}/postgres"
        finally:
            call(str(binaries / "pg_ctl"), "-D", str(data), "-w", "-m", "immediate", "stop")


def fresh_schema(server: str) -> str:
    """A URL whose tables are in a new, empty schema; cheaper than a new database."""
    name = f"ledger_{secrets.token_hex(8)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{server}?options=-csearch_path%3D{name}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
