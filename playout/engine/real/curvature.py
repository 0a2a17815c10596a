"""Curvature, small symmetric matrices in place: eigenvalues, Newton steps, responses.

Kernels may not allocate, so room is handed in. Sizes are taken at run time: this is compiled once for all games.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

SWEEPS = 30
FLAT = 1e-5
"""Curvature below this part of the largest counts as none: the direction makes no difference."""


def diagonalise(a: Any, vectors: Any) -> None:
    """Jacobi's method on the symmetric part of a: eigenvalues on its diagonal, eigenvectors in the columns of `vectors`."""
    n = len(a)
    for i in range(n):
        for j in range(n):
            vectors[i, j] = 1.0 if i == j else 0.0
            if j > i:
                a[i, j] = 0.5 * (a[i, j] + a[j, i])
                a[j, i] = a[i, j]
    for _ in range(SWEEPS):
        off, size = 0.0, 0.0
        for i in range(n):
            size += a[i, i] * a[i, i]
            for j in range(i + 1, n):
                off += a[i, j] * a[i, j]
        if off <= 1e-24 * size or off == 0.0:
            return
        for p in range(n):
            for q in range(p + 1, n):
                rotate(a, vectors, p, q)


def rotate(a: Any, vectors: Any, p: int, q: int) -> None:
    n = len(a)
    if a[p, q] == 0.0:
        return
    theta = 0.5 * (a[q, q] - a[p, p]) / a[p, q]
    t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + sqrt(theta * theta + 1.0))
    c = 1.0 / sqrt(t * t + 1.0)
    s = t * c
    for k in range(n):
        x, y = a[k, p], a[k, q]
        a[k, p], a[k, q] = c * x - s * y, s * x + c * y
    for k in range(n):
        x, y = a[p, k], a[q, k]
        a[p, k], a[q, k] = c * x - s * y, s * x + c * y
    for k in range(n):
        x, y = vectors[k, p], vectors[k, q]
        vectors[k, p], vectors[k, q] = c * x - s * y, s * x + c * y


def largest(a: Any) -> float:
    """The largest curvature in size, after `diagonalise`."""
    n = len(a)
    size = 0.0
    for i in range(n):
        size = max(size, abs(a[i, i]))
    return size


def uphill(a: Any, vectors: Any, slope: Any, far: float, out: Any) -> None:
    """A Newton step to the maximum; where the curvature has the wrong sign, or there is none at all, the maximum is at an end, so
    `far` uphill."""
    n = len(a)
    size, steep = largest(a), 0.0
    for i in range(n):
        out[i] = 0.0
        steep = max(steep, abs(slope[i]))
    if size == 0.0 and steep > 0.0:
        for i in range(n):
            out[i] = far * slope[i] / steep
    for k in range(n):
        if not abs(a[k, k]) > FLAT * size:
            continue
        along = 0.0
        for i in range(n):
            along += vectors[i, k] * slope[i]
        step = -along / a[k, k] if a[k, k] < 0.0 else far if along > 0.0 else -far if along < 0.0 else 0.0
        for i in range(n):
            out[i] += vectors[i, k] * step


def respond(a: Any, vectors: Any, mixed: Any, out: Any) -> None:
    """How a maximum moves when something else does: -a⁻¹·mixed, only along directions in which it is a maximum."""
    n = len(a)
    size = largest(a)
    for i in range(n):
        for j in range(n):
            out[i, j] = 0.0
    for k in range(n):
        if not a[k, k] < -FLAT * size:
            continue
        for j in range(n):
            along = 0.0
            for i in range(n):
                along += vectors[i, k] * mixed[i, j]
            for i in range(n):
                out[i, j] -= vectors[i, k] * along / a[k, k]
