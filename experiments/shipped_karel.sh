#!/bin/sh
# Measures a run as the card of the shipped weights for Karel tells it, then exports it with these figures.
#   sh experiments/shipped_karel.sh RUN FOLDER
# Two sets of 1,000 tasks that no training has seen; five worlds are given, and the sixth is held out. `karel_fresh` has
# programs as they are drawn, the test set of the training data has reduced ones. Both are drawn like the training tasks,
# so some have a program of the training sets. `novel.py` tells the figures of those that have not.
set -eu
run=$1 out=$2 fresh=data/karel_fresh/test.parquet own=data/karel/test.parquet results=experiments/results/weights
lasynth=${LASYNTH:-lasynth} python=${PYTHON:-python}
train="data/karel/train.parquet data/karel2/train.parquet"
mkdir -p $results
test -f $fresh || $lasynth generate karel --out data/karel_fresh --test 1000 --seed 2026
for tests in $fresh $own; do
    name=$(basename "$(dirname $tests)")
    $lasynth evaluate "$run" $tests --checkpoint last --beam 64 --no-baselines --json $results/$name.json
    $python experiments/novel.py $results/$name.json $tests $train --out $results/${name}_novel.json
done
$lasynth export "$run" --out "$out" --checkpoint last \
    --evaluation $results/karel_fresh.json --evaluation $results/karel.json
$python experiments/choice_karel.py "$out" $own --out experiments/results/choice_karel.json
