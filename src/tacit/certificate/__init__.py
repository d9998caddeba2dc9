"""Certificates: what was promised, with every constant that the promise rests on."""

from tacit.certificate.certificate import SEAL, Certificate, budget_from_dict, budget_to_dict, describe

__all__ = ["SEAL", "Certificate", "budget_from_dict", "budget_to_dict", "describe"]
