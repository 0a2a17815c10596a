"""Planning: tree, selection rules, simulation, decision record. One engine; every variant is a setting."""
