"""What Python holds of a search: settings, trees, reading them, the decision and its why, files, surveys. One engine; every variant is a setting."""
