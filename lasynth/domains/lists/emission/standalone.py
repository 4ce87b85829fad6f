from lasynth.domains.lists.language.nodes import Program
from typing import Any
def standalone(program: Program, examples: Any) -> str:
    return ""
