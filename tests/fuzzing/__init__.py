"""Mutated command lines and files, each in a process of its own: no traceback, no hang, documented exit codes."""
