"""kill -9 storms and races against a ledger, run as a script of its own so that forking is cheap and clean.

    python ledger_storm.py '{"url": "...", "kills": 100, "conduct": "sound"}'       prints figures as JSON

A worker appends "key output" to a witness file when, and only when, a release has left the ledger: the witness is
what the outside world saw. The figures compare it with the books, which are summed here in SQL on their own.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tacit.errors import BudgetExceeded, LedgerError
from tacit.ledger import Account, Ledger
from tacit.ledger.ledger import open_store
from tacit.ledger.units import units_up
from tacit.privacy import ExPost, Pure

CHARGE = Pure(0.01)
RESERVE, PAID = Pure(0.02), ExPost(0.002, 0.003)

See = Callable[[str, bytes], None]
Conduct = Callable[[Account, str, See], None]


def noise() -> bytes:
    """A release: 16 fresh bytes."""
    return os.urandom(16)


def plain(account: Account, key: str, see: See) -> None:
    """What tacit does."""
    see(key, account.run(CHARGE, key.encode(), noise, key))


def sound(account: Account, key: str, see: See) -> None:
    """The same, and three keys in ten stand for an ex-post mechanism."""
    if key.endswith(("0", "4", "8")):
        reservation = account.reserve(RESERVE, key.encode(), key)
        released = reservation.released
        see(key, reservation.store(noise(), paid=PAID) if released is None else released)
    else:
        plain(account, key, see)


def charge_after_release(account: Account, key: str, see: See) -> None:
    """Mutant: the release leaves, then the books are written."""
    output = noise()
    see(key, output)
    account.run(CHARGE, key.encode(), lambda: output, key)


def check_then_spend(account: Account, key: str, see: See) -> None:
    """Mutant: looks at the budget, releases, and spends in a second transaction."""
    left = account.remaining.epsilon
    assert left is not None
    if left < CHARGE.epsilon:
        raise BudgetExceeded("nothing left")
    time.sleep(0.02)  # the work between looking and spending
    charge_after_release(account, key, see)


CONDUCTS: dict[str, Conduct] = {
    "plain": plain,
    "sound": sound,
    "charge_after_release": charge_after_release,
    "check_then_spend": check_then_spend,
}


@dataclass
class Figures:
    """What was found after a storm; every number but the first three must be 0 or as the name says."""

    kills: int = 0
    charges: int = 0
    seen: int = 0
    unfinished: int = 0
    seen_but_not_stored: int = 0
    keys_with_two_outputs: int = 0
    spent_minus_sum_of_charges: int = 0
    seen_beyond_limit: float = 0.0
    verified: str = ""
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


def work(url: str, conduct: str, keys: int, witness: Path) -> None:
    """Run releases with random keys until killed or out of budget."""
    account = Ledger(url).account("storm")
    choose = random.Random()
    descriptor = os.open(witness, os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def see(key: str, output: bytes) -> None:
        os.write(descriptor, f"{key} {output.hex()}\n".encode())

    while True:
        try:
            CONDUCTS[conduct](account, f"k{choose.randrange(keys)}", see)
        except BudgetExceeded:
            return
        except LedgerError as error:
            if "has no release" not in str(error):  # a key that another worker holds, or died with: go on with the next
                raise


def start(url: str, conduct: str, keys: int, witness: Path) -> int:
    """Fork a worker and return its process id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work(url, conduct, keys, witness)
        status = 0
    except BaseException as error:  # noqa: BLE001 - a child must never return into the parent's code
        with witness.with_suffix(".error").open("a") as log:
            log.write(f"{type(error).__name__}: {error}\n")
    finally:
        os._exit(status)


def seconds_to_a_release(url: str, conduct: str, witness: Path) -> float:
    """How long a new worker takes until it has something to show; it is killed then."""
    begin = time.monotonic()
    child = start(url, conduct, 20, witness)
    while not (witness.exists() and witness.stat().st_size) and time.monotonic() < begin + 30:
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return time.monotonic() - begin


def storm(url: str, conduct: str, kills: int, workers: int, folder: Path) -> int:
    """Keep workers running and kill each after a random time; keys grow slowly so that many are retried.

    The times reach to twice what a worker needs for its first release here and now, so that kills fall before, between
    and after releases on a quick machine and on a crowded one.
    """
    choose = random.Random()
    longest = max(0.08, 2 * seconds_to_a_release(url, conduct, folder / "first"))
    doomed: dict[int, float] = {}
    killed = started = 0
    while killed < kills or doomed:
        while len(doomed) < workers and started < kills:
            witness = folder / f"w{started % 64}"
            child = start(url, conduct, 20 + 10 * started, witness)
            doomed[child] = time.monotonic() + choose.uniform(0.0, longest)
            started += 1
        now = time.monotonic()
        for child in [c for c, at in doomed.items() if at <= now]:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            killed += os.WIFSIGNALED(status)
            started -= not os.WIFSIGNALED(status)
            del doomed[child]
        time.sleep(0.0005)
    return killed


def race(url: str, conduct: str, workers: int, folder: Path) -> None:
    """All workers spend with fresh keys until nothing is left."""
    children = [start(url, conduct, 2**60, folder / f"w{i}") for i in range(workers)]
    for child in children:
        os.waitpid(child, 0)


def inspect(url: str, conduct: str, folder: Path, figures: Figures) -> Figures:
    """Compare the witnesses with the books."""
    with open_store(url, 60.0).reading() as db:
        stored = dict(db.rows("SELECT key, output FROM tacit_event WHERE kind = 'store'"))
        figures.charges = db.rows("SELECT count(*) FROM tacit_event WHERE kind = 'charge'")[0][0]
        total = db.rows("SELECT COALESCE(sum(main), 0) FROM tacit_event WHERE kind IN ('charge', 'settle')")[0][0]
        spent, limit, bits = db.rows("SELECT main, main_limit, main_bits FROM tacit_balance")[0]
    seen: dict[str, set[bytes]] = {}
    for witness in folder.glob("w*[0-9]"):
        for line in witness.read_bytes().splitlines():
            key, _, output = line.decode().partition(" ")
            if len(output) == 32:  # a killed worker may leave half a line
                seen.setdefault(key, set()).add(bytes.fromhex(output))
    figures.seen = len(seen)
    figures.unfinished = figures.charges - len(stored)
    figures.seen_but_not_stored = sum(
        any(output != bytes(stored.get(key) or b"") for output in outputs) for key, outputs in seen.items()
    )
    figures.keys_with_two_outputs = sum(len(outputs) > 1 for outputs in seen.values())
    figures.spent_minus_sum_of_charges = int(spent) - int(total)
    price = units_up(min(CHARGE.epsilon, PAID.total) if conduct == "sound" else CHARGE.epsilon, bits)
    figures.seen_beyond_limit = max(0, len(seen) * price - int(limit)) / 2**bits
    figures.verified = Ledger(url, timeout=60.0).verify().head
    figures.problems = [f.read_text() for f in folder.glob("*.error")]
    return figures


def main() -> None:
    """Run what the JSON argument asks for."""
    order = json.loads(sys.argv[1])
    url, conduct, workers = order["url"], order.get("conduct", "sound"), order.get("workers", 4)
    began = time.monotonic()
    Ledger(url).open("storm", limit=Pure(order.get("limit", 1e5)))
    with tempfile.TemporaryDirectory() as name:
        figures = Figures()
        if "kills" in order:
            figures.kills = storm(url, conduct, order["kills"], workers, Path(name))
        else:
            race(url, conduct, workers, Path(name))
        inspect(url, conduct, Path(name), figures)
    figures.seconds = round(time.monotonic() - began, 2)
    sys.stdout.write(json.dumps(asdict(figures)) + "\n")


if __name__ == "__main__":
    main()
