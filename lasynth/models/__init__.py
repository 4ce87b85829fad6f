"""Neural synthesizers: given input-output examples, they write a program lexeme by lexeme."""
