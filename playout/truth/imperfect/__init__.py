"""Hidden information: whole games as arrays, best replies, exploitability, counterfactual regret minimization."""
