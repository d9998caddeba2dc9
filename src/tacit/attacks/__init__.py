"""Attacks: what a released model still tells about a person."""
