"""The ledger: one durable account of privacy, charged before anything is read."""

from tacit.ledger.account import Account, Reservation
from tacit.ledger.amounts import Amount
from tacit.ledger.chain import Event
from tacit.ledger.checked import Verified
from tacit.ledger.ledger import Ledger

__all__ = ["Account", "Amount", "Event", "Ledger", "Reservation", "Verified"]
