"""Which model to build: every row of the paper's tables is a `ModelConfig`, and so is ours. Knows no torch.

A row says what a model is made of; a preset says how large it is and, for `cpu`, which of the paper's costly choices are
replaced by cheap ones (`docs/deviations.md` tells which and why).
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints


@dataclass(frozen=True)
class ModelConfig:
    """A model. The defaults are the paper's equations at the paper's sizes: the row `LaSynth`.

    The default of a new setting is what there was before it, so that older runs can be gone on with.
    """

    # --- latent execution --------------------------------------------------------------------------------------
    executor: Literal["none", "final", "partial", "real"] = "partial"
    """none: no executor; final: only after the whole program, for the loss; partial: at every execution point; real: there
    is nothing to learn, the statements so far are run as a program of their own at every execution point."""
    execute_at: Literal["token", "statement", "outer"] | int = "token"
    """Where a partial executor acts: after every lexeme, at the end of every statement, of those alone that are in no block
    (within a loop, what the loop has done so far says little of what it will have done), or every so many lexemes."""
    executor_network: Literal["lstm", "positions", "whole"] = "lstm"
    """lstm: the paper's, over the elements of the value; positions: alike for all elements, with one attention among them;
    whole: one layer over all elements together, scaled by the decoder's state."""
    state_update: Literal["replace", "gated"] = "replace"
    """The executor gives the next value itself (the paper), or also which elements to overwrite with it: the others stay."""
    latent_view: Literal["replace", "beside"] = "replace"
    """The latent value replaces the input in the encoder (the paper), or what is left to do is a third thing to attend to."""
    detach_state: bool = False
    """The encoder sees the latent value as a constant: the executor learns from its own loss only."""
    execution_loss: Literal["final", "statements"] = "final"
    """Compare the latent value with the output at the end (the paper), or with the true value at every statement end too."""
    execution_weight: float = 1.0
    """Factor of the execution loss."""
    execution_warmup_steps: int = 0
    """Training batches over which that factor grows from 0 to its value."""

    # --- the rest of the architecture --------------------------------------------------------------------------
    encoder: Literal["lists", "pairs", "properties"] = "lists"
    """lists: input and output are read apart (the paper); pairs: element by element together, each at its place;
    properties: property signatures, which have no latent counterpart."""
    output_from: Literal["attention", "all"] = "attention"
    """The next lexeme is read from the last attention (the paper), or from the decoder's state and what was seen as well."""
    operation_predictor: bool = True
    """Look up in a table which sum or difference leads from input to output."""
    token_attention: bool = True
    """Attend to the lexemes written so far."""
    decoder: Literal["shared", "per_example"] = "per_example"
    """One decoder state for the whole task, or one for each of its examples."""
    pool_over: Literal["all", "reaching"] = "all"
    """What is seen of the examples is pooled over all of them (the paper), or over those that come to the place where the
    next lexeme stands: inside a branch, those that take it."""
    input_feeding: bool = True
    """The decoder is fed what it attended to in the step before (the paper), so that training must walk step by step."""
    double_attention: Literal["output_first", "input_first"] = "output_first"
    """Which of the two the decoder looks at first; what it saw there directs its look at the other."""

    summary: int = 0
    """Size of a vector that sums up all examples of a task, once, for the choice of every lexeme; 0 for none (the paper)."""
    consensus: bool = False
    """Attend also to what the examples have in common: at each place, the largest of each feature among all of them."""

    # --- sizes -------------------------------------------------------------------------------------------------
    hidden: int = 512
    """Units of the encoders, in each direction."""
    encoder_layers: int = 2
    embedding: int = 1024
    """Of a lexeme and of a list's element."""
    decoder_hidden: int = 512
    decoder_layers: int = 2
    attention_hidden: int = 512
    """Size of the vector that an attention gives."""
    executor_hidden: int = 512
    """Units of the executor, in each direction."""
    executor_layers: int = 2

    # --- tasks -------------------------------------------------------------------------------------------------
    examples: int = 5
    """Pairs that a task gives in training; a trained model takes any number from 1."""
    list_length: int = 5
    """Longest list."""
    smallest_value: int = -4
    largest_value: int = 4

    def __post_init__(self) -> None:
        for wrong, message in (*self._choices(), *self._sizes(), *self._contradictions()):
            if wrong:
                raise ValueError(message)

    def _choices(self) -> list[tuple[bool, str]]:
        """Settings that are one of several words."""
        found = []
        for name, hint in get_type_hints(ModelConfig).items():
            words = [word for part in (hint, *get_args(hint)) if get_origin(part) is Literal for word in get_args(part)]
            value, number = getattr(self, name), int in get_args(hint)
            wrong = bool(words) and value not in words and not (number and type(value) is int)
            found.append((wrong, f"{name} must be {', '.join(words)}{' or a number' * number}, not `{value}`"))
        return found

    def _sizes(self) -> list[tuple[bool, str]]:
        at_least_one = [
            "hidden", "encoder_layers", "embedding", "decoder_hidden", "decoder_layers", "attention_hidden",
            "executor_hidden", "executor_layers", "examples", "list_length",
        ]  # fmt: skip
        return [
            *((getattr(self, name) < 1, f"{name} must be at least 1") for name in at_least_one),
            (self.smallest_value >= self.largest_value, "smallest_value must be less than largest_value"),
            (isinstance(self.execute_at, int) and self.execute_at < 1, "execute_at must be at least 1"),
            (self.summary < 0, "summary must not be negative"),
            (self.execution_weight < 0, "execution_weight must not be negative"),
            (self.execution_warmup_steps < 0, "execution_warmup_steps must not be negative"),
        ]

    def _contradictions(self) -> list[tuple[bool, str]]:
        partial, by_statement = self.executor == "partial", self.execute_at in ("statement", "outer")
        stepping = partial or self.executor == "real"
        properties = self.encoder == "properties"
        return [
            (self.summary > 0 and self.output_from != "all", "summary needs output_from: all"),
            (self.consensus and self.output_from != "all", "consensus needs output_from: all"),
            (not stepping and self.latent_view == "beside", "latent_view: beside needs executor: partial or real"),
            (
                self.executor == "real" and not by_statement,
                "executor: real needs execute_at: statement or outer, where there is something to run",
            ),
            (not partial and self.detach_state, "detach_state needs executor: partial"),
            (
                self.operation_predictor and not self.smallest_value <= 0 <= self.largest_value,
                "operation_predictor needs a range of values with 0 in it",
            ),
            (
                self.execution_loss == "statements" and not (partial and by_statement),
                "execution_loss: statements needs executor: partial and execute_at: statement or outer",
            ),
            (
                properties and self.executor != "none",
                "property signatures are of given values, so executor must be none",
            ),
            (properties and self.operation_predictor, "encoder: properties has no values for an operation_predictor"),
        ]

    @property
    def values(self) -> int:
        """How many different elements there are."""
        return self.largest_value - self.smallest_value + 1


LASYNTH = ModelConfig()
NO_EXECUTOR = replace(LASYNTH, executor="none")
ROBUST_FILL = replace(NO_EXECUTOR, operation_predictor=False, token_attention=False)

LASYNTH_PLUS = replace(
    LASYNTH,
    operation_predictor=False,
    token_attention=False,
    execute_at="outer",
    executor_network="whole",
    state_update="gated",
    latent_view="beside",
    execution_loss="statements",
    input_feeding=False,
    decoder="shared",
)

MODELS: dict[str, ModelConfig] = {
    "LaSynth": LASYNTH,
    "NoAttentionInDecoding": replace(LASYNTH, token_attention=False),
    "NoOpPredictor": replace(LASYNTH, operation_predictor=False),
    "NoPartialExecutor": replace(LASYNTH, executor="final"),
    "NoExecutor": NO_EXECUTOR,
    "RobustFill": ROBUST_FILL,
    "PropertySignatures": replace(ROBUST_FILL, encoder="properties"),
    "LaSynth+": LASYNTH_PLUS,
    "Executed": replace(
        LASYNTH_PLUS, executor="real", execute_at="statement", execution_loss="final", pool_over="reaching"
    ),
}
"""Rows of the paper's table of restricted C, under their names there, and our own two: `LaSynth+`, and `Executed`, which runs
the statements so far instead of learning what they do."""


def cpu(config: ModelConfig) -> ModelConfig:
    """What learns most per minute on two cores: small, all lexemes of a program at once, execution at statement ends."""
    return replace(
        config,
        execute_at="outer" if config.execute_at == "outer" else "statement",
        input_feeding=False,
        decoder="shared",
        encoder="pairs" if config.encoder == "lists" else config.encoder,
        output_from="all",
        summary=512,
        consensus=True,
        hidden=128,
        encoder_layers=1,
        embedding=128,
        decoder_hidden=256,
        decoder_layers=1,
        attention_hidden=128,
        executor_hidden={"lstm": 128, "positions": 64, "whole": 256}[config.executor_network],
        executor_layers=1,
    )


PRESETS: dict[str, Callable[[ModelConfig], ModelConfig]] = {"cpu": cpu, "paper": lambda config: config}
"""The rows are of the paper's sizes as they are."""


def model_config(row: str, preset: str = "cpu", **settings: Any) -> ModelConfig:
    """A row at a preset's size, with single settings changed. ValueError for a name that does not exist."""
    known = [field.name for field in fields(ModelConfig)]
    asked: list[tuple[str, str, list[str]]] = [("model", row, list(MODELS)), ("preset", preset, list(PRESETS))]
    asked += [("setting", name, known) for name in settings]
    for kind, name, names in asked:
        if name not in names:
            raise ValueError(f"there is no {kind} `{name}`; there are {', '.join(names)}")
    return replace(PRESETS[preset](MODELS[row]), **settings)


def read_settings(words: Sequence[str]) -> dict[str, Any]:
    """Single settings as `name=value`; whether the name exists is for `model_config` to say. ValueError."""
    types = {field.name: type(field.default) for field in fields(ModelConfig)}
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise ValueError(f"`{word}` is not of the form name=value")
        try:
            value = literal_eval(text)
        except (ValueError, SyntaxError):
            value = text
        wanted = types.get(name, object)
        if wanted is float and type(value) is int:
            value = float(value)
        if name != "execute_at" and wanted is not object and type(value) is not wanted:
            raise ValueError(f"{name} takes a value of type {wanted.__name__}, not `{text}`")
        settings[name] = value
    return settings
