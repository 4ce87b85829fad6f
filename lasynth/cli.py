"""The command line: finds the command, and turns what goes wrong into a message and an exit code.

Exit codes: 0 fine, 1 the program that was run failed or none was found, 2 bad input, 130 interrupted. Errors go to
standard error. Only the module of the command that was asked for is loaded.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from lasynth.interruption import interruptible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RUN_FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
COMMANDS = {
    "solve": "Write a program that does what the examples show.",
    "run": "Run a program on inputs and print what comes out.",
    "reduce": "Print the smallest program that greedy cutting finds with the same outcomes.",
    "generate": "Make a data set of random tasks.",
    "stats": "Print a data set's distributions, beside another's or beside published figures.",
    "import": "Convert data that others published to a data set of this project.",
    "train": "Train a model on a data set.",
    "evaluate": "Measure trained models and baselines on the tasks of a data set.",
    "export": "Write a trained model's weights in half precision, to use or to ship them.",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `lasynth`. All but the standard library is imported below it, where an interruption is expected."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # also where a shell's `&` made SIGINT ignored
    try:
        with interruptible():
            return _answered(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        print("lasynth: interrupted; nothing was left behind", file=sys.stderr)
        return INTERRUPTED


def _answered(words: list[str]) -> int:
    """The command's exit code; what goes wrong is told."""
    from lasynth.commands.terminal import complain
    from lasynth.task import ExecutionError, InputError, ParseError

    try:
        code = _dispatch(words)
        sys.stdout.flush()  # here, so that a reader who has gone is noticed here
        return code
    except (InputError, ParseError) as error:
        complain(str(error))
        return BAD_INPUT
    except ExecutionError as error:
        complain(f"{type(error).__name__}: {error}")
        return RUN_FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone; nothing to say to it
        return 0
    except OSError as error:  # a full disk, a file that vanished
        complain(str(error))
        return BAD_INPUT


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        module = import_module(f"lasynth.commands.{words[0].replace('import', 'import_')}")
        return int(module.main(words[1:]))
    import tyro

    overview = {name: _described(summary) for name, summary in COMMANDS.items()}
    tyro.extras.subcommand_cli_from_dict(
        overview, prog="lasynth", args=words, description="Programs from input-output examples."
    )
    return 0


def _described(summary: str) -> Callable[[], None]:
    """Stands for a command in the overview, which is all that is shown where no command is named."""

    def command() -> None: ...

    command.__doc__ = summary
    return command


if __name__ == "__main__":
    raise SystemExit(main())
