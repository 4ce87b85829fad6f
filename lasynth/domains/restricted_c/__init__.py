"""Restricted C: functions over a list of integers, made of assignments, + and -, if, for, break and continue."""
