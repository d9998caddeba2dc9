"""Settings for the whole suite."""

from hypothesis import settings

# A deadline would make a test of mathematics fail on a busy machine.
settings.register_profile("tacit", deadline=None)
settings.load_profile("tacit")
