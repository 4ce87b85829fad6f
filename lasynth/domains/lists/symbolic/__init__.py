"""The search without learning: enumeration by cost."""
