"""Which model to build: every row of the paper's tables, and of our own, is a `ModelConfig`. Torch is not imported.

A row says what a model is made of. A preset says how large it is; the preset `cpu` also replaces some of the paper's
costly choices by cheap ones (`docs/deviations.md` says which and why).
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

SIZES = ("hidden", "embedding", "decoder_hidden", "layers", "channels")
"""Settings that every architecture has."""
MOST_UNITS, MOST_LAYERS = 65_536, 64
"""Largest sizes: a typo should get a message, not use up all memory."""


@dataclass(frozen=True)
class ValueConfig:
    """What the tasks decide of a model: which values its networks must represent. Each language has a subclass."""


@dataclass(frozen=True)
class ModelConfig:
    """A model. The defaults are the paper's equations at the paper's sizes: the row `LaSynth`.

    A new setting needs a default that means "as before", so that older runs can be continued.
    """

    architecture: Literal["encoder_decoder", "cursor", "imagined", "pooled", "traces", "world_traces"] = (
        "encoder_decoder"
    )
    """encoder_decoder: attention to the examples, with any kind of execution. cursor: looks at the real state of every
    example before every lexeme. imagined: the same, but a learned executor predicts the states. pooled: one decoder per
    example, without attention and execution (Bunel et al. 2018). world_traces: writes the actions of every example
    first, then the program, and sees the world before each action (Shin et al. 2018). traces: the same with one look at
    each example. The settings from `executor` to `overview` are those of encoder_decoder; the others use only the
    sizes."""

    # --- execution ---------------------------------------------------------------------------------------------
    executor: Literal["none", "final", "partial", "real"] = "partial"
    """none: no execution. final: a latent executor runs once, after the whole program, for its loss only. partial: it
    runs at every execution point, and the decoder sees the result. real: the program's prefix is run by the machine at
    every statement end, and inside a branch the decoder looks only at the examples that take it; nothing is learned."""
    execute_at: Literal["token", "statement", "outer"] = "token"
    """Execution points: after every lexeme, at every statement end, or at the ends of outermost statements only (inside
    a loop, the value so far says little about the value after the loop)."""
    executor_network: Literal["lstm", "whole"] = "lstm"
    """lstm: the paper's, over the elements of a value; it computes the next latent value. whole: one layer over all
    elements, scaled by the decoder's state; it also computes which elements change, and the others keep their value."""
    latent_view: Literal["replace", "beside"] = "replace"
    """replace: the encoder reads the latent value instead of the input (the paper). beside: the decoder also attends to
    a light encoding of the latent value and the output."""
    execution_loss: Literal["final", "statements"] = "final"
    """Compare the latent value with the output at the end (the paper), or also with true values at statement ends."""

    # --- the rest of the architecture --------------------------------------------------------------------------
    encoder: Literal["lists", "pairs", "properties"] = "lists"
    """lists: reads input and output apart (the paper). pairs: reads each input element with the output element at its
    place. properties: property signatures, which have no latent counterpart."""
    operation_predictor: bool = True
    """Look up in a table which sum or difference leads from input to output."""
    token_attention: bool = True
    """Attend to the lexemes written so far."""
    decoder: Literal["shared", "per_example"] = "per_example"
    """One decoder state for the whole task, or one for each example."""
    input_feeding: bool = True
    """Feed the decoder what it attended to in the previous step (the paper). Training must then go step by step."""
    overview: int = 0
    """Size of a vector that sums up all examples of a task. If positive, the next lexeme is read from this vector, from
    what the examples have in common and from the decoder's state; if 0, from the last attention alone (the paper)."""

    # --- sizes -------------------------------------------------------------------------------------------------
    hidden: int = 512
    """Units of the encoders and of the LSTM executor, in each direction, and of the attentions."""
    embedding: int = 1024
    """Of a lexeme and of a list's element."""
    decoder_hidden: int = 512
    """Units of the decoder and of the `whole` executor."""
    layers: int = 2
    """Of encoders, decoder and executor."""
    channels: int = 64
    """Of the convolutions over grids."""

    # --- tasks -------------------------------------------------------------------------------------------------
    examples: int = 5
    """Examples of a task in training. A trained model takes any number from 1."""
    values: ValueConfig | None = None
    """Values that the networks represent. None: those that the language usually has."""

    def __post_init__(self) -> None:
        for wrong, message in (*self._choices(), *self._sizes(), *self._contradictions()):
            if wrong:
                raise ValueError(message)

    def _choices(self) -> list[tuple[bool, str]]:
        """Settings whose value must be one of several words."""
        found = []
        for name, hint in get_type_hints(ModelConfig).items():
            if get_origin(hint) is Literal:
                words, value = get_args(hint), getattr(self, name)
                found.append((value not in words, f"{name} must be {', '.join(words)}, not `{value}`"))
        return found

    def _sizes(self) -> list[tuple[bool, str]]:
        at_least_one = (*SIZES, "examples")
        return [
            *((getattr(self, name) < 1, f"{name} must be at least 1") for name in at_least_one),
            (self.overview < 0, "overview must not be negative"),
            *(
                (getattr(self, name) > MOST_UNITS, f"{name} must be at most {MOST_UNITS:,}")
                for name in (*at_least_one, "overview")
            ),
            (self.layers > MOST_LAYERS, f"layers must be at most {MOST_LAYERS}"),
        ]

    def _contradictions(self) -> list[tuple[bool, str]]:
        partial, properties = self.executor == "partial", self.encoder == "properties"
        return [
            (
                not self.executes_prefixes and self.latent_view == "beside",
                "latent_view: beside needs executor: partial or real",
            ),
            (self.executor == "real" and self.execute_at != "statement", "executor: real needs execute_at: statement"),
            (
                self.execution_loss == "statements" and not (partial and self.execute_at != "token"),
                "execution_loss: statements needs executor: partial and execute_at: statement or outer",
            ),
            (
                properties and self.executor != "none",
                "encoder: properties needs executor: none, because a latent value has no property signature",
            ),
            (properties and self.operation_predictor, "encoder: properties cannot have an operation_predictor"),
        ]

    @property
    def executes_prefixes(self) -> bool:
        """Whether the decoder sees what the program has done so far."""
        return self.executor in ("partial", "real")

    @property
    def learns_execution(self) -> bool:
        """Whether there is a latent executor."""
        return self.executor in ("final", "partial")


LASYNTH = ModelConfig()
NO_EXECUTOR = replace(LASYNTH, executor="none")
ROBUST_FILL = replace(NO_EXECUTOR, operation_predictor=False, token_attention=False)

LASYNTH_PLUS = replace(
    LASYNTH,
    operation_predictor=False,
    token_attention=False,
    execute_at="outer",
    executor_network="whole",
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
    "Executed": replace(LASYNTH_PLUS, executor="real", execute_at="statement", execution_loss="final"),
}
"""Rows of the paper's table of restricted C, under the paper's names, and two of our own: `LaSynth+`, and `Executed`,
which runs prefixes on the real machine instead of a latent executor."""


def cpu(config: ModelConfig) -> ModelConfig:
    """Learns most per minute on two cores: small, all lexemes of a program at once, execution at statement ends."""
    return replace(
        config,
        execute_at="outer" if config.execute_at == "outer" else "statement",
        input_feeding=False,
        decoder="shared",
        encoder="pairs" if config.encoder == "lists" else config.encoder,
        overview=512,
        hidden=128,
        embedding=128,
        decoder_hidden=256,
        layers=1,
    )


PRESETS: dict[str, Callable[[ModelConfig], ModelConfig]] = {"cpu": cpu, "paper": lambda config: config}
"""The rows themselves have the paper's sizes."""


def preset_rows(preset: str) -> dict[str, ModelConfig]:
    """All rows of restricted C at a preset's size."""
    return {name: PRESETS[preset](config) for name, config in MODELS.items()}


SETTINGS = tuple(field.name for field in fields(ModelConfig) if field.name != "values")
"""Settings that a person can change; the values are decided by the tasks."""


def model_config(
    row: str,
    preset: str = "cpu",
    values: ValueConfig | None = None,
    rows: Callable[[str], Mapping[str, ModelConfig]] | None = None,
    **settings: Any,
) -> ModelConfig:
    """A row at a preset's size, for these values, with single settings changed. ValueError for an unknown name or a
    setting without effect.

    `rows` gives the rows of a language at a preset's size: by default those of restricted C.
    """
    asked: list[tuple[str, str, Sequence[str]]] = [("preset", preset, list(PRESETS))]
    there = (preset_rows if rows is None else rows)(preset) if preset in PRESETS else {row: LASYNTH}
    asked += [("model", row, list(there))]
    asked += [("setting", name, SETTINGS) for name in settings]
    for kind, name, names in asked:
        if name not in names:
            raise ValueError(f"there is no {kind} `{name}`; there are {', '.join(names)}")
    made = replace(there[row], values=values, **settings)
    idle = [name for name in settings if name not in (*SIZES, "architecture", "examples")]
    if idle and made.architecture != "encoder_decoder":
        raise ValueError(f"{idle[0]} has no effect with architecture: {made.architecture}")
    return made


def read_settings(words: Sequence[str]) -> dict[str, Any]:
    """Single settings as `name=value`. ValueError for another form or type; `model_config` checks the names."""
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
        if wanted is not object and type(value) is not wanted:
            raise ValueError(f"{name} takes a value of type {wanted.__name__}, not `{text}`")
        settings[name] = value
    return settings
