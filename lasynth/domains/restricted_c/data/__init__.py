"""Tasks: random programs, their examples, and the files of others."""
