"""Kernels only: the arrays of a tree and what a simulation does with them, written once for every game and every option."""
