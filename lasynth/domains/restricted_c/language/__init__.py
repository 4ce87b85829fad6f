"""The language itself: trees, text, and the lexemes that a model writes. Nothing here runs a program."""
