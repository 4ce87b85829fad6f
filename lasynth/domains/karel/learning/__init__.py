"""Karel for neural models: worlds and programs as arrays, and networks over worlds."""
