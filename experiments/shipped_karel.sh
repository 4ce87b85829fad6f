#!/bin/sh
# Measures a training for Karel, then exports it with these figures on its card. `make weights-karel` calls it. No
# weights for Karel are shipped yet.
#   sh experiments/shipped_karel.sh RUN FOLDER
# 1,000 tasks that no training has seen: five worlds are given, and the sixth is held out. They are drawn like the
# training tasks, so some have a program of the training set. `novel.py` tells the figures of those that have not.
set -eu
run=$1 out=$2 data=${DATA:-data/karel} results=experiments/results/weights
lasynth=${LASYNTH:-lasynth} python=${PYTHON:-python}
mkdir -p $results
$lasynth evaluate "$run" "$data/test.parquet" --checkpoint last --beam 64 --no-baselines --json $results/karel.json
$python experiments/novel.py $results/karel.json "$data/test.parquet" "$data/train.parquet" --out $results/karel_novel.json
$lasynth export "$run" --out "$out" --checkpoint last --evaluation $results/karel.json
$python experiments/choice_karel.py "$out" "$data/test.parquet" --out experiments/results/choice_karel.json
