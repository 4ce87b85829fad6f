"""Programs from examples without learning: finds the explanations with the shortest descriptions, writes them in C."""
