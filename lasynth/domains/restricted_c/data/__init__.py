"""Tasks: random programs with their examples, and an importer for the files of the paper's authors."""
