"""Karel: a robot in a grid world, the second language of the paper. Importing this package loads nothing else."""
