"""Neural synthesizers: they write a program lexeme by lexeme, given examples of what it does."""
