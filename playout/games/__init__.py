"""Bundled games, one file each: the examples to copy."""
