#!/usr/bin/env bash
# overlay production run, start, check and audit, of the stand-in program on this machine: RUNS runs against a serial
# call of the program itself, and every fault that needs no engine. validation/production/run tests with real engines.
# Nothing here depends on how fast the machine is: programs that are to be met at work wait for a file.
# usage: production_run_test.sh OVERLAY [RUNS], where RUNS is a multiple of 8 (default 8)
overlay=$1 runs=${2:-8}
[ $((runs % 8)) = 0 ] || { echo "production_run_test: error: RUNS cannot be '$runs'; give a multiple of 8" >&2; exit 2; }
half=$((runs / 2)) last=$((100 + runs))
. "$(dirname "${BASH_SOURCE[0]}")/planted_program.sh"
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
export TMPDIR=$work/tmp OVERLAY_LEDGER=$work/ledger
unset _CONDOR_SCRATCH_DIR SLURM_TMPDIR SLURMD_NODENAME GLIBC_TUNABLES
mkdir tmp
production() { "$overlay" production "$@"; }
new() { # new FOLDER OPTIONS...
  local folder=$1; shift
  timeout 300 "$overlay" production new "$folder" --corsika standin --profile veritas-gamma --showers 2 --erange 20,30 \
    --zenith 20,30 --runs $half --first-run 101 --ledger "$folder.ledger" --out out "$@" > new.txt 2> new.err || { cat new.err; return 1; }
}
run() { timeout 300 "$overlay" production run "$@"; }
start() { timeout 600 "$overlay" production start "$@"; }
manifest() { echo "$1/results/000/000$2.json"; }
manifests() { find "$1/results" -name '*.json' | wc -l; }
packed() { find "$1/results" -name '*.zst' | wc -l; }
# The checksums of all content, by run and file.
contents() { grep -hE '"(run|name|content_sha256)"' "$1"/results/000/*.json | tr -d ' \n' | sed 's/"run"/\n"run"/g'; echo; }
# A copy that shares files with the first one: whoever changes a file puts a new one in its place.
copy() { rm -rf "$1"; cp -al untouched "$1"; }
change() { cp "$1" "$1.new"; cat >> "$1.new"; mv "$1.new" "$1"; }
status=0; new plain || status=$?
note $status "a production is planned"; [ $status = 0 ] || exit 1
cp -r plain untouched


# --- the node and the pilot
try production check plain --pilot-showers 1
note "$([ $status = 0 ] && grep -q '^pilot      run 101 with 1 showers: CPU time .*; a whole run: wall time ' out.txt && grep -q "^pilot      run $((101 + half))" out.txt && grep -q memory_mib plain/pilot.json; echo $?)" "check: a pilot run of each setting"
copy noted; plant noted 'echo "cherenkov: note: stage took 1 of 9 steps with light: planted" >&2; exec "$real"'
ends 0 'note       run 101 said: cherenkov: note: stage took 1 of 9 steps with light: planted' "  what the stage said is told" production check noted --pilot-showers 1
other=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4
if [ "$("$overlay" production libm-bits)" != "$(GLIBC_TUNABLES=$other "$overlay" production libm-bits)" ]; then
  GLIBC_TUNABLES=$other try run plain 101
  note "$([ $status = 69 ] && says 'libm gives other bits here' && [ ! -e "$(manifest plain 101)" ]; echo $?)" "a node whose libm takes other variants: 69"
  grep -q '"outcome": "other-bits"' plain/attempts/000101/*.json; note $? "  and the attempt says so"
  new pinned --processors pinned
  try start pinned --most 2
  GLIBC_TUNABLES=$other ends 0 'is published' "a production of one class for all nodes: it runs there, too" run pinned 103
else
  echo "SKIPPED  a node of another class: this processor has no fused multiply-add to leave out"
fi

# --- all runs, and the truth
try start plain --jobs 2 --most 3
note "$([ $status = 0 ] && [ "$(manifests plain)" = 3 ]; echo $?)" "start --most 3: three runs"
ends 0 "$runs of $runs runs are published, $((runs - 3)) of them by this call" "started again: exactly the other $((runs - 3))" start plain --jobs 2
ends 0 "$runs of $runs runs are published, 0 of them by this call" "  and then none" start plain
# What a serial call of the stock program gives for the same cards, as the logs repeat them: the truth.
for run in $(seq 101 $last); do
  mkdir -p serial/$run
  zstd -qdc "plain/results/000/000$run.log.zst" | sed -n 's/^ CARD: //p' > serial/$run/card
  { echo "RUNNR $run"; sed -n "$((run - 99))s/^[^\t]*\t *\([0-9]*\).*/SEED \1 0 0/p" plain/runs.tsv; } > serial/$run/expected
  grep -E '^(RUNNR|SEED) ' serial/$run/card | tr -s ' ' | head -n 2 | cmp -s - serial/$run/expected || echo "run $run has another number or seed"
  (cd serial/$run && ../../plain/bin/corsika/run/corsika-standin.stock < card > log)
  sha256sum < serial/$run/telescope.dat | sed "s/-/$run/"
  zstd -qdc "plain/results/000/000$run.telescope.dat.zst" | sha256sum | sed "s/-/$run/" >> published.txt
done > serial.txt
note "$(diff serial.txt published.txt > diff.txt; echo $?)" "all $runs have the bytes of a serial call of the stock program"
note "$([ -z "$(ls -A tmp)" ] && [ -z "$(ls -A plain/attempts | grep -v 000101)" ]; echo $?)" "nothing is left on scratch or in attempts/"
contents plain > contents.txt
same_as_plain() { contents "$1" | cmp -s - contents.txt; }
try production audit plain --stock 2
note "$([ $status = 0 ] && [ "$(grep -c ^equal out.txt)" = 2 ] && says "times stock's throughput"; echo $?)" "an audit of two runs with stock: equal"
production status plain > status.txt
note "$(grep -q "^nodes      1 host of class [0-9a-f]*, $runs runs$" status.txt && grep -q '^audits     2 of 2 have the same bytes$' status.txt; echo $?)" "  status names nodes and audits"
# A published file of another content, whose manifest holds all the same: only an audit can see it.
cp -r plain forged && chmod -R u+w forged/results
zstd -qdc forged/results/000/000101.telescope.dat.zst > forged.dat
python3 - forged.dat "$(manifest forged 101)" <<'PY'
import hashlib, json, subprocess, sys
data, manifest = sys.argv[1:]
content = bytearray(open(data, "rb").read())
content[-100] ^= 1
packed = subprocess.run(["zstd", "-q", "-c"], input=bytes(content), stdout=subprocess.PIPE, check=True).stdout
open("forged/results/000/000101.telescope.dat.zst", "wb").write(packed)
# Only this file's part is written anew: Python gives some numbers other digits, and the text must be as overlay writes it.
head = open(manifest).read().rsplit(',\n  "sha256"', 1)[0]
light = next(file for file in json.loads(head + "}")["files"] if file["name"] == "telescope.dat")
part = lambda: json.dumps(light, indent=2).replace("\n", "\n    ")
before, digest = part(), hashlib.sha256(content).hexdigest()
light.update(packed_bytes=len(packed), sha256=digest, content_sha256=digest)
assert before in head
head = head.replace(before, part())
open(manifest, "w").write(head + ',\n  "sha256": "' + hashlib.sha256(head.encode()).hexdigest() + '"\n}\n')
PY
ends 1 'telescope.dat has other content' "an audit sees one bit of one file" production audit forged --run 101
ends 0 'run 106 is done already' "a run that is published is not made again" run plain 106
cp -r plain elsewhere-there && mv elsewhere-there moved
ends 0 'done already' "a production's folder may be moved" run moved 107

# --- what was changed after publication
chmod u+w plain/results/000/*
cp "$(manifest plain 104)" "$(manifest plain 105)"
try run plain 105
note "$([ $status = 0 ] && says 'run 105 is published' && grep -qr 'manifest is that of run 104' plain/quarantine/000105; echo $?)" "a copied manifest: the run is set aside and made again"
note "$(same_as_plain plain; echo $?)" "  and all is as it was"

# --- where no bits are measured
new loose --processors any
try start loose --most 1
production status loose > status.txt 2> status.err || true
note "$(grep -q '>not measured<' loose/status.html && grep -q '^nodes      1 host whose last bits were not measured' status.txt; echo $?)" "a production on any processors says that bits were not measured"

# --- the plan itself
copy bad; echo | change bad/bin/corsika/run/corsika-standin
ends 65 'its checksum differs' "a program that is not the plan's: 65" run bad 101
copy bad; sed -i 's/^NSHOW.*/NSHOW three/' bad/card.template
ends 65 'card.template' "a card that is not the plan's: 65" run bad 101
copy bad; sed -i 's/showers = 2/showers = 3/' bad/production.toml
try run bad 101; note "$([ $status = 65 ]; echo $?)" "a plan that was changed: 65"
copy bad; sed -i '/^profile = /d' bad/production.toml; replan bad
ends 65 'bad/production.toml is not as overlay wrote it' "a plan that lacks a key: 65" run bad 101
ends 65 "has no run $((last + 1))" "a run that is not planned: 65" run plain $((last + 1))
try run nowhere 101; note "$([ $status = 75 ]; echo $?)" "a folder that cannot be reached: 75"
copy bad; plant bad 'sed -i "s/NSHOW/NSHAUW/" card; exec "$real" < card'
ends 65 'refused its card; it said: standin: unknown keyword NSHAUW' "a card that the program refuses: 65, and what it says" run bad 101
copy bad; plant bad 'sed -i "s/^THETAP.*/THETAP 75. 75./" card; exec "$real" < card'
ends 65 'IS TOO LARGE SEE KEYWORD: THETAP' "a card that it refuses in its log, with status 0: 65 at once, in its own words" run bad 101
copy bad; plant bad 'sed "s/SEED 1 /SEED 7 /" | exec "$real"'
ends 65 'the plan has seed 1 ' "other seeds in the headers than planned: 65" run bad 101

# --- programs that fail once, or that lie: each run meets one fault, in its first attempt
copy lies; plant lies 'if mkdir "$mark/$run" 2> /dev/null; then case $((run % 4)) in
  0) sed "s/NSHOW 2/NSHOW 1/" | "$real"; exit 0 ;;
  1) "$real"; chmod u+w telescope.dat; truncate -s -200 telescope.dat; exit 0 ;;
  2) (sed "s/EXIT/EXIT/" | "$real" | head -n 60; kill -SEGV $BASHPID) 2> /dev/null; exit 0 ;;
  3) "$real" & kill -9 $$ ;;
esac; fi; exec "$real"'
try start lies --jobs 2
note "$([ $status = 0 ] && same_as_plain lies && [ -z "$(ls -A tmp)" ]; echo $?)" "$runs runs whose first attempts go wrong: all made again"
named() { # named RUN RUN TEXT WHAT
  note "$(grep -qF "$3" lies/attempts/000"$1"/*.json && grep -qF "$3" lies/attempts/000"$2"/*.json; echo $?)" "  $4 is named"
}
named 104 108 'the card asks for 2 showers' 'half the showers'
named 101 105 'telescope.dat is not whole' 'a file cut short'
named 102 106 'END OF RUN' 'a crash whose exit status is masked'
named 103 107 'was ended by signal 9' 'a program that was killed'
note "$([ "$(cat lies/attempts/*/*.json | grep -c '"outcome"')" = $runs ]; echo $?)" "  and nothing else failed"
# Run 101 ends only once run 102 is tried again.
copy straggler; plant straggler 'case $run in
  101) for i in $(seq 600); do [ ! -e "$mark/again" ] || exec "$real"; sleep 0.1; done; exit 1 ;;
  102) if mkdir "$mark/102" 2> /dev/null; then kill -9 $$; fi; touch "$mark/again" ;;
esac; exec "$real"'
try start straggler --jobs 2 --most 2
note "$([ $status = 0 ] && [ "$(manifests straggler)" = 2 ] && [ ! -e straggler/attempts/000101 ]; echo $?)" "a run is tried again while others are at work"
copy poison; plant poison '"$real" > all; head -n 80 all; kill -SEGV $$'
try run poison 101
note "$([ $status = 75 ] && says 'was ended by signal 11' && ! grep -q '(see ' poison/attempts/000101/*.json; echo $?)" "a crash: 75, and no file that is deleted is named"
production log poison 000101 > log.txt
note "$(head -n 1 log.txt | grep -q '^run 101: .*was ended by signal 11' && grep -q 'CARD: RUNNR 101' log.txt; echo $?)" "  its log is kept, and printed behind the reason"
try run poison 101
note "$([ $status = 65 ] && says 'in two attempts with the same seeds' && says 'poisoned'; echo $?)" "a second crash at the same shower: 65, poisoned"
ends 65 'poisoned' "  and it stays so" run poison 101

# --- workers that are asked to end, or that meet each other. Programs leave their process in MARKS/at-RUN-PROCESS, and wait.
waits='touch "$mark/at-$run-$$"; while [ ! -e "$mark/go" ]; do sleep 0.05; done; exec "$real"'
program_of() { compgen -G "$1.marks/at-$2-*" | sed 's/.*-//'; }
copy workers; plant workers "$waits"
for run in 102 103; do "$overlay" production run workers $run > /dev/null 2>&1 & pids[run]=$!; done
wait_for has_files 2 'workers.marks/at-*' || note 1 "two programs are at work"
kill -TERM "${pids[102]}"
ended=0; wait "${pids[102]}" || ended=$?
note "$([ $ended = 75 ] && wait_for has_ended "$(program_of workers 102)" && grep -q 'interrupted by a signal' workers/attempts/000102/*.json; echo $?)" "a worker that is asked to end does (75), and its program with it"
touch workers.marks/go
ended=0; wait "${pids[103]}" || ended=$?
note "$([ $ended = 0 ] && [ "$(cd workers/results/000 && echo 0*.json)" = 000103.json ] && [ "$(packed workers)" = 3 ]; echo $?)" "  nothing of its run is published"
copy meet; plant meet "$waits"
for i in 1 2 3 4; do "$overlay" production run meet 104 > meet.out.$i 2>&1 & done
wait_for has_files 4 'meet.marks/at-*' || note 1 "four programs are at work"
touch meet.marks/go; wait
note "$([ "$(cat meet.out.* | grep -c 'is published$')" = 1 ] && [ "$(cat meet.out.* | grep -c agrees)" = 3 ] && [ "$(manifests meet)" = 1 ] && [ "$(packed meet)" = 3 ]; echo $?)" "four workers for one run: one publishes, three agree"
copy quarrel; plant quarrel 'if mkdir "$mark/first" 2> /dev/null; then sed "s/ERANGE 20\. 30\./ERANGE 20. 31./" | "$real"; else "$real"; fi; touch "$mark/at-$run-$$"; while [ ! -e "$mark/go" ]; do sleep 0.05; done'
for i in 1 2; do "$overlay" production run quarrel 105 > quarrel.out.$i 2>&1 & done
wait_for has_files 2 'quarrel.marks/at-*' || note 1 "two programs have made the run"
touch quarrel.marks/go; wait
note "$([ "$(cat quarrel.out.* | grep -c 'they disagree: .*; both are in quarantine/000105')" = 1 ] && [ ! -e "$(manifest quarrel 105)" ] && [ "$(find quarrel/quarantine -name manifest.json | wc -l)" = 2 ]; echo $?)" "two attempts that disagree: both in quarantine"
try run quarrel 105
note "$([ $status = 0 ] && cmp -s <(grep content_sha256 "$(manifest quarrel 105)") <(grep content_sha256 "$(manifest plain 105)"); echo $?)" "  and the run is made again"

# --- a start that is stopped: half of the runs go on, the others wait
copy stopped; plant stopped "for i in \$(seq $half); do if mkdir \"\$mark/free-\$i\" 2> /dev/null; then exec \"\$real\"; fi; done; $waits"
"$overlay" production start stopped --jobs 2 > out.txt 2> err.txt & start=$!
wait_for has_files 2 'stopped.marks/at-*' || note 1 "two programs are at work"
kill -TERM $start; status=0; wait $start || status=$?
note "$([ $status = 130 ] && [ "$(manifests stopped)" = $half ] && [ "$(packed stopped)" = $((3 * half)) ]; echo $?)" "start, stopped after $half runs: only whole ones are there"
touch stopped.marks/go
try start stopped --jobs 2
note "$([ $status = 0 ] && says "$half of them by this call" && same_as_plain stopped; echo $?)" "  and called again: exactly $half more"

# --- a folder that is moved while runs are at work
copy here; plant here "$waits"
"$overlay" production start here --jobs 2 > out.txt 2> err.txt & start=$!
wait_for has_files 2 'here.marks/at-*' || note 1 "two programs are at work"
mv here there; touch here.marks/go
status=0; wait $start || status=$?
note "$([ $status = 1 ] && says 'here/production.toml is no longer there; if the production was moved' && ! grep -q 'tried again' err.txt && [ "$(ls here.marks/at-* | wc -l)" = 2 ]; echo $?)" "a production that is moved: it says so and tries nothing again"
rm -rf here; mv there moved-while-running
plant moved-while-running 'exec "$real"'
try start moved-while-running --jobs 2
note "$([ $status = 0 ] && same_as_plain moved-while-running; echo $?)" "  and goes on where it is"

# --- kill -9 of workers that start started, and of start itself
copy kills; plant kills "$waits"
"$overlay" production start kills --jobs 2 > out.txt 2> err.txt & start=$!
worker_of() { sed -n 's/^ *"process": \([0-9]*\).*/\1/p' kills/attempts/000"$1"/*/started.json; }
for run in 101 102; do
  wait_for has_files 1 "kills.marks/at-$run-*" || note 1 "run $run is at work"
  kill -9 "$(worker_of $run)"
done
wait_for has_files 4 'kills.marks/at-*' || note 1 "two more runs are at work"
kill -9 $start; wait $start 2> /dev/null || true
ended=0; for run in 101 102 103 104; do wait_for has_ended "$(program_of kills $run)" || ended=1; done
note "$ended" "kill -9 of workers and of start: all programs end"
touch kills.marks/go
try start kills --jobs 2
note "$([ $status = 0 ] && same_as_plain kills && [ "$(cat kills/attempts/*/*.json | grep -c '"vanished"')" = 4 ]; echo $?)" "  and all $runs are done by the next start, which names the four"
rm -rf "${work:?}"/tmp/overlay-*

# --- light that goes into a command
sed "s/^TELFIL .*/TELFIL '|gzip -c > light.gz'/" serial/101/card > piped.card
timeout 300 "$overlay" production new piped-card --corsika standin --card piped.card --runs 1 --out out --ledger ledger-piped > new.txt 2> new.err || cat new.err
for kind in plain failing; do cp -r piped-card $kind-card; done
sed -i 's/^substitutes = .*/substitutes = ["B stands in for A"]/' plain-card/production.toml
sed -i "s/^TELFIL .*/TELFIL telescope.dat/" plain-card/card.template; replan plain-card card.template
sed -i "s/^TELFIL .*/TELFIL '|cat > light; exit 3'/" failing-card/card.template; replan failing-card card.template
try run piped-card 1
content() { grep -B1 "\"name\": \"$2\"" "$(ls "$1"/results/000/*.json)" | grep content_sha256; }
note "$([ $status = 0 ] && [ -e piped-card/results/000/000001.light.zst ] && [ ! -e piped-card/results/000/000001.light-pipe.bytes.zst ]; echo $?)" "a command behind TELFIL: what it wrote is published"; [ $status = 0 ] || cat err.txt
try run plain-card 1
note "$([ -n "$(content plain-card telescope.dat)" ] && [ "$(content plain-card telescope.dat)" = "$(content piped-card light-pipe.bytes)" ]; echo $?)" "  and the light has the content of a plain file"
note "$(grep -q '"B stands in for A"' plain-card/results/000/*.json; echo $?)" "  substitutes of the plan are in the run's manifest"
timeout 300 "$overlay" production new kept-card --keep-light --corsika standin --card piped.card --runs 1 --out out --ledger ledger-kept > new.txt 2> new.err || cat new.err
try run kept-card 1
note "$([ $status = 0 ] && [ "$(zstd -qdc kept-card/results/000/000001.light-pipe.bytes.zst | sha256sum)" = "$(zstd -qdc kept-card/results/000/000001.light.zst | sha256sum)" ]; echo $?)" "  and is published, too, where the plan keeps it"
ends 75 'the command behind TELFIL of run 1 failed with exit status 3' "a command that fails: the run fails" run failing-card 1

# --- what comes next, and tables that a run makes for itself
# The page's examples call programs of ours, which know the options and append their name to what they read.
mkdir sw cfg
cat > sw/sim_telarray <<'SH'
#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -cors | --inputfile) in=$2 ;;
    -C | -histo | -of | --outputfile) out=${2#output_file=} ;;
    -c | -p | -abs | -cfg | --configfile) [ -e "$2" ] || exit 2 ;;
    -seed | --seed) [ "$2" = "$RUN" ] || exit 3 ;;
    -grisu) [ "$2" = stdout ] || exit 4 ;;
    -*) exit 5 ;;
    *) in=$1; break ;;
  esac
  shift 2
done
[ -z "$out" ] || exec > "$out"
case $out in *.zst) pack='zstd -qc' ;; *) pack=cat ;; esac
{ cat "${in:--}"; echo "${0##*/}"; } | $pack
SH
chmod +x sw/sim_telarray; for program in corsikaIOreader grOptics CameraAndReadout; do cp sw/sim_telarray sw/$program; done
examples=$(sed -n '/^| next program /,/^$/s/^| [^|]* | `\(.*\)` |$/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../../../docs/production.md" | tail -n +2 | sed "s|\\\\||g; s| /sw| $work/sw|g; s|^/sw|$work/sw|; s|/cfg|$work/cfg|g")
touch $(grep -oE "$work/cfg/[A-Za-z0-9_.]+" <<< "$examples")
new next --after "${examples//$'\n'/ && }"' && test "$(basename "$PRODUCTION")" = next && wc -c < telescope.dat > light.size && date +%N > made.at && echo "did $RUN" && test ! -e "$PRODUCTION/fail"'
plant next 'echo table > tables.dat; exec "$real"'
try run next 101
note "$([ $status = 0 ] && [ "$(zstd -qdc next/results/000/000101.light.size.zst)" = "$(zstd -qdc next/results/000/000101.telescope.dat.zst | wc -c)" ] && [ "$(zstd -qdc next/results/000/000101.after.log.zst)" = 'did 101' ]; echo $?)" "--after: a command gets the run's files, and what it writes is published"; [ $status = 0 ] || cat err.txt
light() { zstd -qdc next/results/000/000101.$1.zst; }
went_through() { cmp -s <(light $1) <(light telescope.dat; printf '%s\n' "${@:2}"); }
note "$(went_through run.simtel sim_telarray && went_through run.vbf corsikaIOreader grOptics CameraAndReadout && went_through light.root corsikaIOreader; echo $?)" "  the page's examples give other programs the light, configurations and the run's number"
note "$([ ! -e next/results/000/000101.tables.dat.zst ] && [ "$(packed next)" = 10 ]; echo $?)" "  tables that each run makes are not"
ends 0 'equal      run 101' "  an audit compares what CORSIKA wrote" production audit next --run 101
production log next 101 > log.txt
note "$(head -n 1 log.txt | grep -q '^run 101: published' && grep -q 'END OF RUN' log.txt; echo $?)" "  the log of a published run is printed"
touch next/fail; try run next 102
note "$([ $status = 75 ] && says 'the command after run 102 (--after) failed with exit status 1; it said: did 102' && [ ! -e "$(manifest next 102)" ]; echo $?)" "  where it fails, the run fails"
# Asked to end, the command has time to do so.
copy grace; rm grace/production.toml.sha256
sed -i 's|^after = .*|after = "trap \\"sleep 1; touch $PRODUCTION.ended; exit 1\\" TERM; touch $PRODUCTION.began; while :; do sleep 0.1; done"|' grace/production.toml; replan grace
"$overlay" production run grace 101 > out.txt 2> err.txt & worker=$!
wait_for test -e grace.began || note 1 "the command is at work"
kill -TERM $worker; status=0; wait $worker || status=$?
note "$([ $status = 75 ] && [ -e grace.ended ]; echo $?)" "  a worker that is asked to end gives it time"

# --- full disks: small file systems of their own, which only root can mount, in a namespace that ends with the shell.
# Root of a container may be refused either.
mkdir scratch small
if [ "$(id -u)" = 0 ] && unshare --mount mount -t tmpfs -o size=100k tmpfs scratch 2> /dev/null; then
  copy full
  status=0
  unshare --mount bash -c '
    set -e
    mount -t tmpfs -o size=100k tmpfs scratch
    code=0; "$1" production run full 101 --scratch scratch > scratch.txt 2>&1 || code=$?; echo "scratch $code" > codes
    mount -t tmpfs -o "size=$(($(du -sm full | cut -f1) + 16))m" tmpfs small
    cp -r full small/full
    dd if=/dev/zero of=small/filler bs=4k 2> /dev/null || true
    code=0; "$1" production run small/full 101 > output.txt 2>&1 || code=$?; echo "output $code" >> codes
    find small/full/results -type f 2> /dev/null > small.left || true
    rm small/filler
    code=0; "$1" production run small/full 101 > again.txt 2>&1 || code=$?; echo "again $code" >> codes
    dd if=/dev/zero of=small/filler bs=4k 2> /dev/null || true
    truncate -s -40k small/filler
    code=0; "$1" production run small/full 102 > part.txt 2>&1 || code=$?; echo "part $code" >> codes
    find small/full/results -name "000102*" >> small.left
  ' bash "$overlay" || status=$?
  note "$([ $status = 0 ] && grep -qx 'scratch 74' codes && grep -q 'disk' scratch.txt; echo $?)" "a full scratch disk: 74"
  note "$(grep -qx 'output 74' codes && grep -q 'is full' output.txt && [ ! -s small.left ]; echo $?)" "a full output disk: 74, nothing half-written"
  note "$(grep -qx 'part 74' codes; echo $?)" "  and one that fills up while the run is published"
  note "$(grep -qx 'again 0' codes; echo $?)" "  and done once there is room"
  try run full 101; note $status "  likewise after the full scratch disk"
else
  echo "SKIPPED  full disks: only root can mount a small file system, and not in every container"
fi
[ $failures = 0 ]
