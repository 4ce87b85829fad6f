"""Lists for neural models: values and programs as arrays, what a model sees of them, and its network."""
