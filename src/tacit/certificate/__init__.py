"""Certificates: what was promised, with every constant that the promise rests on."""

from tacit.certificate.certificate import REPORTED_DELTA, SEAL, Certificate, describe

__all__ = ["REPORTED_DELTA", "SEAL", "Certificate", "describe"]
