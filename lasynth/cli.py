"""The command line: runs a command, and turns errors into a message and an exit code.

Exit codes: 0 success; 1 a program failed, no program was found, a training diverged, a worker process died or memory
ran out; 2 bad input; 130 interrupted. Messages go to standard error. Only the module of the chosen command is loaded.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from lasynth import __version__
from lasynth.interruption import interruptible, never_lost

if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
COMMANDS = {
    "solve": "Find a program that does what the examples show.",
    "run": "Run a program on inputs and print the outputs.",
    "reduce": "Shorten a program without changing what it does.",
    "generate": "Make a data set of random tasks.",
    "stats": "Print the distributions of a data set beside those of another one or published figures.",
    "import": "Convert published data of others to a data set.",
    "train": "Train a model on a data set.",
    "relabel": "Replace the programs of training tasks by simpler ones that a model decodes.",
    "retrain": "Train, relabel the training tasks, and train again, several times.",
    "evaluate": "Measure trained models and baselines on the tasks of a data set.",
    "export": "Write the weights of a trained model in half precision to a small folder.",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `lasynth`. Imports of other packages happen inside, so that Ctrl-C works during them, too."""
    for stream in (sys.stdout, sys.stderr):  # the name of a file need not be text
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # also if a shell's `&` made the process ignore SIGINT
    try:
        with never_lost(), interruptible():
            return _run_command(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        print("lasynth: interrupted; nothing was left behind", file=sys.stderr)
        return INTERRUPTED


def _run_command(words: list[str]) -> int:
    """Run a command and return its exit code. Errors are printed."""
    from lasynth.commands.terminal import complain
    from lasynth.task import Diverged, ExecutionError, InputError, OutOfMemory, ParseError, WorkerDied, lacks_memory

    try:
        code = _dispatch(words)
        sys.stdout.flush()  # now, so that a closed pipe raises BrokenPipeError here
        return code
    except (InputError, ParseError) as error:
        complain(str(error))
        return BAD_INPUT
    except UnicodeEncodeError as error:  # a library takes only names in UTF-8
        complain(f"a name is not text: {error.object!a:.200}")
        return BAD_INPUT
    except ExecutionError as error:
        complain(f"{type(error).__name__}: {error}")
        return FAILED
    except (Diverged, OutOfMemory, WorkerDied) as error:
        complain(str(error))
        return FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads the rest
        return 0
    except (MemoryError, RuntimeError) as error:
        if not lacks_memory(error):
            raise
        complain("there is not enough memory for this")
        return FAILED
    except OSError as error:  # a full disk, a file that vanished
        complain(str(error))
        return BAD_INPUT


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        module = import_module(f"lasynth.commands.{words[0].replace('import', 'import_')}")
        return int(module.main(words[1:]))
    if words and words[0] == "--version":
        print(f"lasynth {__version__}")
        return 0
    from lasynth.commands.parser import overview

    description = "Programs from input-output examples. --version prints the version."
    return overview("lasynth", "command", COMMANDS, description, words)


if __name__ == "__main__":
    raise SystemExit(main())
