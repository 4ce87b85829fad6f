"""Programs of the language, their operations, their text and their lexemes."""
