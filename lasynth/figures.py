"""Figures of results as PNG files: bars of accuracy, distributions, and curves of training.

They need matplotlib (`pip install 'lasynth[plots]'`). It is imported inside, because that takes a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from lasynth.measurement import Measurement
from lasynth.outcomes import Rates
from lasynth.task import InputError

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")
"""A palette that colour-blind people can tell apart."""
HATCHES = ("", "//", "..", "xx", "--", "\\\\", "++", "oo", "**", "||", "OO")
MARKERS, LINES = "os^Dv*PX<", ("-", "--", "-.", ":")
"""Each series also has a hatch, or a marker and a line style, so that figures can be read without colours."""


def plot_results(results: Sequence[Measurement], folder: Path) -> list[Path]:
    """Draw accuracy by category and by length, with the models side by side. Returns the files. InputError.

    Results with the same name are trainings of one model with several seeds.
    """
    return [bars(results, kind, folder / f"accuracy_by_{kind}.png") for kind in ("category", "length")]


def bars(results: Sequence[Measurement], kind: str, file: Path) -> Path:
    """Draw a group of bars per category or length. Bars: the first consistent program; lines: the most likely one.

    They are means over the seeds of a model. A whisker is the standard deviation of the bar, if there are several.
    """
    figure, axes = _figure()
    members = list(results[0].groups[kind])
    seeds: dict[str, list[list[Rates]]] = {}  # model -> seeds x members
    for result in results:
        seeds.setdefault(result.model, []).append([result.groups[kind][name] for name in members])
    rates = {model: list(zip(*found, strict=True)) for model, found in seeds.items()}  # model -> members x seeds
    _draw_bars(
        axes,
        {model: [mean(rate.first_consistent for rate in group) for group in groups] for model, groups in rates.items()},
        {model: [mean(rate.most_likely for rate in group) for group in groups] for model, groups in rates.items()},
        {
            model: [stdev(rate.first_consistent for rate in group) for group in groups]
            for model, groups in rates.items()
            if len(groups[0]) > 1
        },
    )
    labels = [f"{name}\n({results[0].groups[kind][name].tasks} tasks)" for name in members]
    axes.set_xticks(range(len(members)), labels)
    axes.set_ylim(0, 100)
    axes.set_ylabel("solved, % (line: most likely program only)")
    if kind == "length":
        axes.set_xlabel("lexemes of the task's program")
    axes.legend(ncols=2, fontsize="small")
    return _write(figure, file)


def distributions(series: Mapping[str, Mapping[str, float]], x: str, y: str, file: Path) -> Path:
    """Draw distributions over the same classes as bars side by side, in percent. `series`: name -> class -> share."""
    figure, axes = _figure()
    some = {name for shares in series.values() for name, share in shares.items() if share}
    classes = [name for name in dict.fromkeys(name for shares in series.values() for name in shares) if name in some]
    _draw_bars(axes, {name: [100 * shares.get(one, 0) for one in classes] for name, shares in series.items()})
    axes.set_xticks(range(len(classes)), classes)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(fontsize="small")
    return _write(figure, file)


def _draw_bars(
    axes: Any,
    heights: Mapping[str, Sequence[float]],
    lines: Mapping[str, Sequence[float]] | None = None,
    deviations: Mapping[str, Sequence[float]] | None = None,
) -> None:
    """Draw groups of bars, one bar of each named series in each group, perhaps a line across each bar, and whiskers."""
    width = 0.8 / len(heights)
    for i, (name, values) in enumerate(heights.items()):
        at = [n + (i - (len(heights) - 1) / 2) * width for n in range(len(values))]
        axes.bar(at, values, 0.95 * width, label=name, color=_colour(i), hatch=HATCHES[i % len(HATCHES)])
        if lines is not None:
            ends = [x - width / 2 for x in at], [x + width / 2 for x in at]
            axes.hlines(lines[name], *ends, "white", linewidth=3)  # so that the line shows on dark bars, too
            axes.hlines(lines[name], *ends, "black", linewidth=1.2)
        if deviations is not None and name in deviations:
            axes.errorbar(at, values, deviations[name], fmt="none", ecolor="white", elinewidth=2.6, capsize=2.6)
            axes.errorbar(at, values, deviations[name], fmt="none", ecolor="black", elinewidth=1, capsize=2)


def curves(series: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, file: Path) -> Path:
    """Draw one line per named series of points."""
    figure, axes = _figure()
    for i, (name, points) in enumerate(series.items()):
        xs, ys = [point[0] for point in points], [point[1] for point in points]
        axes.plot(
            xs, ys, LINES[i % len(LINES)], label=name, color=_colour(i), marker=MARKERS[i % len(MARKERS)], markersize=4
        )
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    highest = max((y for points in series.values() for _, y in points), default=0.0)
    axes.set_ylim(0, 1.1 * highest or 1.0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return _write(figure, file)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def check_matplotlib() -> None:
    """InputError if matplotlib is not installed. For callers that draw after hours of work."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise InputError("figures need matplotlib, which is not installed: pip install 'lasynth[plots]'") from error


def _figure() -> tuple[Any, Any]:
    check_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _write(figure: Any, file: Path) -> Path:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, dpi=130)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error
    return file
