"""Scoundrel in parts: `rules` is the game that is loaded, `cards` names the cards, `weights` is for its policy, `drawing` shows it, `seen` shows it to networks."""
