"""The honesty audit: does a game that hides something keep it hidden?"""
