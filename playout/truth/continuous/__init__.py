"""Real-valued actions: references, true regret, methods compared. It shares no code with the search that it judges."""
