"""The command line: one file per command, what they share in `options`, `position`, `terminal` and `show`."""
