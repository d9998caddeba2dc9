"""Mechanisms: the only room that reads private rows. Calibrate, charge, read, add exact noise, release."""
