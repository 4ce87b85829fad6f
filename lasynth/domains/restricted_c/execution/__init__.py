"""Execution: the readable interpreter, the compiled machine, and runs of unfinished programs."""
