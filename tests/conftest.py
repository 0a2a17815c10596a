"""Settings for all tests: machines are shared and noisy, so no test is judged by the clock."""

from hypothesis import settings

settings.register_profile("playout", deadline=None, derandomize=True)
settings.load_profile("playout")
