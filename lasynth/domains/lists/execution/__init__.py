"""Two ways to run programs: the readable interpreter and compiled kernels."""
