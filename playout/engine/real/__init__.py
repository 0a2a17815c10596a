"""Real-valued actions: progressive widening, leaders, sampling, slopes, best replies, curvature, refinement."""
