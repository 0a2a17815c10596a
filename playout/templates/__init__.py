"""Small whole games that `playout new` begins yours with: one file per kind, linted, checked and played by the tests."""
