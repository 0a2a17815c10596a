"""Damaged files and odd words: whatever is given, the answer is one sentence. `harness` says how, `make fuzz` goes on without end."""


def load_all() -> None:
    """Have all fuzzers registered."""
    from tests.fuzz import files, networks, trees, words  # noqa: F401
