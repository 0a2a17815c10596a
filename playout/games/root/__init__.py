"""Root for two in parts: `rules` is the game that is loaded; map, cards, options and record are its nouns, the rest its verbs."""
