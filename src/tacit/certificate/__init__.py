"""Certificates: what was promised, with every constant that the promise rests on."""

from tacit.certificate.certificate import REPORTED_DELTA, SEAL, Certificate, budget_from_dict, budget_to_dict, describe

__all__ = ["REPORTED_DELTA", "SEAL", "Certificate", "budget_from_dict", "budget_to_dict", "describe"]
