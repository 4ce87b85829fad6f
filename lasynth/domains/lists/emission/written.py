"""The text that people get: C, with the exact program in a comment above it. Reads it back from there."""

from __future__ import annotations

from lasynth.domains.lists.language.nodes import Program
from lasynth.domains.lists.language.text import parse_program, program_text


def written(program: Program) -> str:
    return program_text(program)


def parse_any(text: str) -> Program:
    return parse_program(text)
