"""`lasynth train`: a model on a data set."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from tyro.conf import OmitArgPrefixes, Positional, UseAppendAction, arg

from lasynth.commands.arguments import call
from lasynth.commands.terminal import complain
from lasynth.config import MODELS, PRESETS, model_config, read_settings
from lasynth.settings import TRAINING, TrainConfig
from lasynth.task import InputError
from lasynth.train import Job, shape_of
from lasynth.train import train as run_training

INTERRUPTED = 130


def main(words: Sequence[str]) -> int:
    defaults = TrainConfig(**TRAINING.get(_preset_named(words), {}))

    def train(
        data: Annotated[Positional[Path], arg(metavar="DATA", help="A data set's folder.")],
        /,
        out: Annotated[Path, arg(help="Folder of the run: checkpoints and logs.")],
        model: Annotated[str, arg(help=f"Row of the table: {', '.join(MODELS)}.")] = "LaSynth+",
        preset: Annotated[str, arg(help=f"Size and settings: {', '.join(PRESETS)}.")] = "cpu",
        set: Annotated[
            UseAppendAction[tuple[str, ...]],
            arg(metavar="NAME=VALUE", help="A setting of the model (lasynth/config.py); may be given several times."),
        ] = (),
        resume: Annotated[bool, arg(help="Go on from the run's last checkpoint, if it has one.")] = False,
        begin_with: Annotated[
            Path | None, arg(metavar="RUN", help="Begin with the weights of another run or of an exported model.")
        ] = None,
        config: OmitArgPrefixes[TrainConfig] = defaults,
    ) -> int:
        """Train a model on a data set; give --steps or --hours.

        Killed at any moment, it goes on with --resume; started by torchrun, it uses all of its processes. Logs are JSON
        Lines and, where tensorboard is installed, for TensorBoard.
        """
        try:
            settings = model_config(model, preset, **{**shape_of(data), **read_settings(set)})
        except ValueError as error:
            raise InputError(str(error)) from error
        try:
            outcome = run_training(Job(model, settings, config, data, out, resume, begin_with))
        except KeyboardInterrupt:  # the second one: it did not wait for the step to end
            complain(f"{out}: interrupted; --resume goes on from the last checkpoint")
            return INTERRUPTED
        figures = ", ".join(f"{name} {value:.3f}" for name, value in outcome.metrics.items())
        state = "interrupted, --resume goes on" if outcome.interrupted else "done"
        if outcome.leads:
            print(f"{out}: {state} at step {outcome.step}" + (f" ({figures})" if figures else ""))
        return INTERRUPTED if outcome.interrupted else 0

    return call(train, "train", words)


def _preset_named(words: Sequence[str]) -> str:
    """The preset whose settings are the defaults, which must be known before the words are read."""
    joined = " ".join(words).replace("--preset=", "--preset ").split()
    return next((value for option, value in pairwise(joined) if option == "--preset"), "cpu")
