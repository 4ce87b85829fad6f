"""lasynth writes programs from input-output examples. Importing it is cheap: no torch, no compiled code."""

__version__ = "0.1.0"
