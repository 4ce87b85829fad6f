"""Reduction: shorter programs with the same outcomes."""
