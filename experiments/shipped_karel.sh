#!/bin/sh
# Measures a run as the card of the shipped weights for Karel tells it, then exports it with these figures.
#   sh experiments/shipped_karel.sh RUN FOLDER
# 1,000 tasks that no training has seen: five worlds are given, and the sixth is held out. They are drawn like the
# training tasks, so some have a program of the training sets. `novel.py` tells the figures of those that have not.
set -eu
run=$1 out=$2 tests=data/karel/test.parquet results=experiments/results/weights
lasynth=${LASYNTH:-lasynth} python=${PYTHON:-python}
mkdir -p $results
$lasynth evaluate "$run" $tests --checkpoint last --beam 64 --no-baselines --json $results/karel.json
$python experiments/novel.py $results/karel.json $tests data/karel/train.parquet data/karel2/train.parquet --out $results/karel_novel.json
$lasynth export "$run" --out "$out" --checkpoint last --evaluation $results/karel.json
$python experiments/choice_karel.py "$out" $tests --out experiments/results/choice_karel.json
