"""Random programs and tasks."""
