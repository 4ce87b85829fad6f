"""Smaller programs that do the same."""
