"""The two tables of a ledger, in the words both databases share.

`tacit_event` is the history and is never changed. `tacit_balance` is its running sum, one row for the whole data
(part '') and one for each declared part, a part's row including what was charged to the whole; its CHECK is the
database's own guard of the limit.
"""

VERSION = 1  # of this layout; a library refuses a file with a higher number

EVENT_COLUMNS = "sequence, kind, account, part, key, currency, main, delta, loss, label, digest, at, previous, hash"

TABLES = (
    """CREATE TABLE tacit_version(version {integer} NOT NULL){strict}""",
    """CREATE TABLE tacit_event(
        sequence {integer} PRIMARY KEY, kind TEXT NOT NULL, account TEXT NOT NULL, part TEXT NOT NULL,
        key TEXT NOT NULL, currency TEXT NOT NULL, main {integer} NOT NULL, delta {integer} NOT NULL,
        loss TEXT NOT NULL, label TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL,
        previous TEXT NOT NULL, hash TEXT NOT NULL, output {bytes},
        UNIQUE (kind, key)){strict}""",
    """CREATE TABLE tacit_balance(
        account TEXT NOT NULL, part TEXT NOT NULL, currency TEXT NOT NULL,
        main {integer} NOT NULL, delta {integer} NOT NULL,
        main_limit {integer} NOT NULL, delta_limit {integer} NOT NULL,
        main_bits {integer} NOT NULL, delta_bits {integer} NOT NULL,
        PRIMARY KEY (account, part),
        CHECK (main >= 0 AND main <= main_limit AND delta >= 0 AND delta <= delta_limit)){strict}""",
)
