"""Programs from examples without learning: the shortest description first, written as a program."""
