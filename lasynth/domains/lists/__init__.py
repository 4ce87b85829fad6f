"""The language of whole-list operations: lists of any length, numbers, and functions that are right for every n."""
