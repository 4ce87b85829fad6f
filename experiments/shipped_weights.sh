#!/bin/sh
# Measures a run as the card of the shipped weights tells it, then exports it with these figures.
#   sh experiments/shipped_weights.sh RUN FOLDER
# 1,000 tasks that no training has seen: five examples given and five held out; two and three given of the same ten; and ten
# given and ten held out, of other tasks. Programs of up to 40 lexemes are looked for: it is trained on at most 32.
set -eu
run=$1 out=$2 results=experiments/results/weights
lasynth=${LASYNTH:-lasynth}
test -d data/fresh || $lasynth generate c --out data/fresh --test 1000 --seed 2026
test -d data/fresh20 || $lasynth generate c --out data/fresh20 --test 1000 --seed 2027 --examples 20
mkdir -p $results
for given in 2 3 5; do
    $lasynth evaluate "$run" data/fresh/test.parquet --checkpoint last --beam 64 --max-length 40 --given $given \
        --json $results/given_$given.json
done
$lasynth evaluate "$run" data/fresh20/test.parquet --checkpoint last --beam 64 --max-length 40 --given 10 \
    --json $results/given_10.json
$lasynth export "$run" --out "$out" --checkpoint last --evaluation $results/given_2.json --evaluation $results/given_3.json \
    --evaluation $results/given_5.json --evaluation $results/given_10.json
