#!/bin/sh
# Measures a training for Karel, then exports it with these figures on its card. `make weights-karel` calls it. No
# weights for Karel are shipped yet.
#   sh experiments/shipped_karel.sh RUN FOLDER
# 1,000 tasks that no training has seen: five worlds are given, and the sixth is held out. They are drawn like the
# training tasks, so some have a program of the training set. The group `novel` has the tasks with a behaviour that no
# program of the training set has.
set -eu
run=$1 out=$2 results=experiments/results/weights
lasynth=${LASYNTH:-lasynth}
mkdir -p $results
$lasynth evaluate "$run" data/karel/test.parquet --checkpoint last --beam 64 --json $results/karel.json
$lasynth export "$run" --out "$out" --checkpoint last --evaluation $results/karel.json
