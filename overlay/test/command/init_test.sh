#!/usr/bin/env bash
# From a card and options to "Same bytes: yes", on the stand-in program: with no profile, and with one that init writes.
# usage: init_test.sh OVERLAY
overlay=$1
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
compare() { timeout 600 "$overlay" compare --corsika standin --quick --out out "$@"; }

mkdir theirs 'my own'
for option in CERENKOV IACT ATMEXT SLANT QGSJET URQMD; do echo "#define __CACHE_${option}__ /**/"; done > theirs/config.h
printf 'RUNNR 7\nNSHOW 2\nPRMPAR 1\nERANGE 20. 50.\nTHETAP 20. 20.\nSEED 814 0 0\nSEED 27 0 0\nSEED 5 0 0\nSEED 6 0 0\nOBSLEV 1270.E2\nTELESCOPE 0. 0. 0. 7.E2\nATMOSPHERE 1 T\nPAROUT T F\nDIRECT sub/\nTELFIL |./sim\nEXIT' > theirs/own.card
printf '#!/bin/sh\nwc -c > light\n' > theirs/sim && chmod +x theirs/sim
same() { grep -q '^Same bytes: yes' out.txt && grep -q "$1" err.txt; }

try compare --config theirs/config.h --card theirs/own.card
note "$([ $status = 0 ] && same 'whole loop'; echo $?)" "a config.h and a card are enough, with a pipe and a folder for outputs"
note "$([ -e out/runs/own/patched-1/run/sub/DAT000007 ]; echo $?)" "  and the card is run as it is"
try "$overlay" init 'my own/mine' --corsika standin --config theirs/config.h --card theirs/own.card
note "$([ $status = 0 ] && grep -q '^card       theirs/own.card; --showers, --erange' out.txt && cmp -s 'my own/mine.card' theirs/own.card; echo $?)" "init writes a profile and says what it took (status $status)"
next=$(sed -n 's/^next  *//p' out.txt)
try eval "timeout 600 $next --out out --zenith 10"
note "$([ $status = 0 ] && same 'whole loop'; echo $?)" "  the next command, typed as it is printed, takes it: $next"
note "$([ -x 'my own/sim' ]; echo $?)" "  with what the card names beside it"
sed 's|^DIRECT .*|DIRECT /nowhere/that/|' "$(dirname "${BASH_SOURCE[0]}")/../../../validation/acceptance/groups/lago.card" > lago.card
try compare --options QGSJET,GHEISHA --card lago.card
note "$([ $status = 0 ] && grep -q '^Same bytes: yes' out.txt && grep -q 'copies made here write into it' err.txt && [ -e out/runs/lago/stock-1/run/DAT000007 ]; echo $?)" "without light, by a card that writes elsewhere"
sed 's/^THETAP .*/THETAP 75. 75./' theirs/own.card > theirs/steep.card
for command in 'compare' 'install --prefix installed'; do
  expect "$command: a card that the program alone refuses, in the program's words" 'refused its card; CORSIKA says: ZENITH ANGLE 75.* TOO LARGE' \
    "$overlay" $command --corsika standin --config theirs/config.h --card theirs/steep.card --out out
  note "$(! grep -q 'note: \| run 1/' err.txt && [ -z "$(compgen -G 'out/builds/*/*/*/stock-*/program.txt')" ] && [ ! -e installed ]; echo $?)" "  before anything else is built or run"
done
[ $failures = 0 ]
