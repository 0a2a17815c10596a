"""Open games: all positions, exact values, perfect play."""
