"""The version of tacit, in one place: certificates, reports, `tacit --version` and the package's metadata read it."""

__version__ = "0.1.0"
