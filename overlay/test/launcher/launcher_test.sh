#!/usr/bin/env bash
# corsika-launcher, with scripts in the place of CORSIKA: which program it becomes, and the light that it keeps.
# usage: launcher_test.sh LAUNCHER
. "$(dirname "${BASH_SOURCE[0]}")/../command/checks.sh"
mkdir run && cp "$1" run/corsika
# Says its name and arguments, keeps the card, and gives the light (the file light) to the command that TELFIL names.
cat > run/corsika_flat <<'PROGRAM'
#!/bin/sh
echo "$(basename "$0") $*"
cat > read.card
command=$(sed -n "s/^TELFIL *[\"']|\(.*\)[\"'].*/\1/p" read.card)
[ -z "$command" ] || { cat light | sh -c "$command"; echo "status $?"; }
PROGRAM
chmod +x run/corsika_flat && cp run/corsika_flat run/corsika_curved
launch() { printf "$card" | timeout 60 run/corsika "$@"; }

# --- flat or curved
while IFS='|' read -r card limit program; do
  if [ -n "$limit" ]; then export CORSIKA_CURVED_FROM=$limit; else unset CORSIKA_CURVED_FROM; fi
  try launch some words
  note "$([ $status = 0 ] && says "corsika_$program some words" && [ "$(cat read.card)" = "$(printf "$card")" ]; echo $?)" "$card ${limit:+from $limit }is $program"
done <<'CASES'
THETAP 20. 20.\nEXIT\n||flat
THETAP 66. 66.\nEXIT\n||curved
THETAP 6.6D1 6.6D1\nEXIT\n||curved
thetap\t10. 65.\nEXIT||curved
RUNNR 1||flat
THETAP 66 66\nTHETAP 64.9 64.9\nEXIT\n||flat
THETAP 66. 66.\nEXIT\n|70|flat
THETAP 20. 20.\nEXIT\n|0|curved
CASES
unset CORSIKA_CURVED_FROM
card='THETAP 70. 70.\nEXIT\n'
CORSIKA_CURVED_FROM=much ends 1 "CORSIKA_CURVED_FROM cannot be 'much'" "a limit that is no number" launch
mkfifo pipe; { printf 'RUNNR 1\nEXIT\n'; exec sleep 60; } > pipe & writer=$!
timeout 20 run/corsika < pipe > out.txt || true
note "$(says corsika_flat; echo $?)" "a card whose writer keeps the pipe open"
kill $writer
ln -s "$work/run/corsika" link; mkdir away && mv run/corsika_curved away
printf "$card" | ./link > out.txt; note "$(says corsika_flat; echo $?)" "through a link, and with one program there is no choice"
mv away/corsika_curved run && mv run/corsika_flat away
printf 'RUNNR 1\nEXIT\n' | ./link > out.txt; note "$(says corsika_curved; echo $?)" "  nor with the curved one"
mv away/corsika_flat run

# --- light that is kept
word() { printf "\\x$(printf %02x "$1")\\0\\0\\0"; }
block() { printf 'DNTS'; word "$1"; word 0; word 0; } # of the stand-in's form: type 2 begins a run, 7 ends it
{ block 2; for _ in 1 2 3 4 5 6 7 8; do block 3; done; head -c 3000000 /dev/zero; block 7; } > whole
head -c 3000 whole > half
cp whole light
card="THETAP 20. 20.\nTELFIL '|cat - > got'\nEXIT\n"
try launch --keep-light kept.zst word
note "$([ $status = 0 ] && says 'corsika_flat word' && says 'status 0' && cmp -s got light && zstd -qdc kept.zst | cmp -s - light && [ ! -e kept.zst.part ]; echo $?)" "--keep-light: the command and the file get the light"
ends 1 'kept.zst is there already' "  a file that is there is not replaced" launch --keep-light kept.zst
cp half light; try launch --keep-light half.zst
note "$(says 'status 1' && says 'the light ended before the run did' && cmp -s got light && [ -z "$(ls half.zst* 2> /dev/null)" ]; echo $?)" "  half of the light is not kept"
cp whole light; card="TELFIL '|false'\nEXIT\n"; try launch --keep-light failed.zst
note "$(says 'status 1' && [ -z "$(ls failed.zst* 2> /dev/null)" ]; echo $?)" "  nor that of a command which ends before it has read all"
card="TELFIL '|no-such-program'\nEXIT\n"; try launch --keep-light none.zst
note "$(says 'no-such-program: not found' && says 'status 127'; echo $?)" "  a command that is not there"
card="TELFIL '|cat - > got'\nEXIT\n"; try launch --keep-light no/folder.zst
note "$(says 'the light is not kept in no/folder.zst: No such file' && says 'status 1' && cmp -s got light; echo $?)" "  a file that cannot be written: the command gets all"
mkfifo slow; { exec sleep 60; } > slow & writer=$!
CORSIKA_KEEP_LIGHT=stopped.zst timeout 20 run/corsika --before-command cat < slow > out.txt 2> err.txt & keeper=$!
for _ in $(seq 200); do [ -e stopped.zst.part ] && break; sleep 0.05; done
kill $keeper; status=0; wait $keeper || status=$?; kill $writer
note "$([ $status = 1 ] && says 'interrupted; nothing half-written' && [ -z "$(ls stopped.zst* 2> /dev/null)" ]; echo $?)" "  a signal ends it, and leaves nothing"
card="TELFIL telescope.dat\nEXIT\n"
ends 1 'is for a card whose TELFIL names a command' "  a card without a command" launch --keep-light kept2.zst
ends 1 "needs the name of a file" "  no file" launch --keep-light
[ $failures = 0 ]
