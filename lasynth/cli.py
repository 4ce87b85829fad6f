"""The command line: finds the command, and turns what goes wrong into a message and an exit code.

Exit codes: 0 fine, 1 the program that was run failed, 2 bad input, 130 interrupted. Errors go to standard error.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence

import tyro

from lasynth.commands.generate import generate, generate_commands
from lasynth.commands.imports import import_
from lasynth.commands.reduce import reduce
from lasynth.commands.run import RUN_FAILED, run
from lasynth.commands.stats import stats
from lasynth.commands.terminal import complain
from lasynth.task import ExecutionError, InputError, ParseError

BAD_INPUT, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `lasynth`."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        return _dispatch(words)
    except (InputError, ParseError) as error:
        complain(str(error))
        return BAD_INPUT
    except ExecutionError as error:
        complain(f"{type(error).__name__}: {error}")
        return RUN_FAILED
    except KeyboardInterrupt:
        complain("interrupted; nothing was left behind")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone; nothing to say to it
        return 0
    except OSError as error:  # a full disk, a file that vanished
        complain(str(error))
        return BAD_INPUT


def _dispatch(words: list[str]) -> int:
    commands: dict[str, Callable[..., int]] = {
        "run": run, "reduce": reduce, "generate": generate, "stats": stats, "import": import_,
    }  # fmt: skip
    program, description = "lasynth", "Programs from input-output examples."
    if words[:1] == ["generate"]:  # its subcommands take loading, so they are made only here
        program, description, words = "lasynth generate", generate.__doc__ or "", words[1:]
        commands = generate_commands()
    flags = (tyro.conf.FlagCreatePairsOff,)
    result: int = tyro.extras.subcommand_cli_from_dict(
        commands, prog=program, args=words, description=description, config=flags
    )
    return result


if __name__ == "__main__":
    raise SystemExit(main())
