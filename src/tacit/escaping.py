"""Names of columns, labels, accounts and files are data: shown as text, they give no orders to what shows them.

a terminal      obeys escape sequences, control characters and marks that turn the direction of writing
a spreadsheet   computes cells that begin like a formula
a browser       is served by html.escape
"""

_LIKE_A_FORMULA = frozenset("=+-@\t\r＝＋－＠")


def printable(text: str, keep: str = "") -> str:
    """The text with every character that cannot be seen written as its escape; `keep` are let through."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


def for_spreadsheets(value: object) -> object:
    """The value, or, of a text that a spreadsheet would compute, the text behind an apostrophe. Numbers stay."""
    if not isinstance(value, str) or value[:1] not in _LIKE_A_FORMULA or _is_number(value):
        return value
    return f"'{value}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()
