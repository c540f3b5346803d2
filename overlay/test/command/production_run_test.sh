#!/usr/bin/env bash
# overlay production run, start, check and audit, of the stand-in program on this machine: 24 runs against a serial call
# of the program itself, and every fault that needs no engine. The daemons have validation/production/run.
# usage: production_run_test.sh OVERLAY
set -euo pipefail
overlay=$1
. "$(dirname "${BASH_SOURCE[0]}")/planted_program.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR=$work/tmp OVERLAY_LEDGER=$work/ledger
unset _CONDOR_SCRATCH_DIR SLURM_TMPDIR GLIBC_TUNABLES
mkdir tmp
failures=0
note() { if [ "$1" = 0 ]; then echo "ok       $2"; else echo "FAILED   $2"; failures=$((failures + 1)); fi; }
production() { "$overlay" production "$@"; }
new() { # new FOLDER OPTIONS...
  local folder=$1; shift
  timeout 300 "$overlay" production new "$folder" --corsika standin --profile veritas-gamma --showers 2 --erange 20,30 \
    --zenith 20,30 --runs 12 --first-run 101 --out out "$@" > new.txt 2> new.err || { cat new.err; return 1; }
}
run() { status=0; timeout 120 "${program-$overlay}" production run "$@" > run.txt 2> run.err || status=$?; }
says() { grep -qF "$1" run.txt run.err || { echo "         it says: $(cat run.txt run.err)"; return 1; }; }
manifest() { echo "$1/results/000/000$2.json"; }
# The checksums of all content, by run and file.
contents() { grep -hE '"(run|name|content_sha256)"' "$1"/results/000/*.json | tr -d ' \n' | sed 's/"run"/\n"run"/g'; echo; }
status=0; new plain || status=$?
note $status "a production is planned"; [ $status = 0 ] || exit 1
cp -r plain untouched

# What a serial call of the stock program gives for each card: the truth that everything is compared with.
truth() { # truth PRODUCTION: checksum of the light of each run, by run number
  local run
  for run in $(seq 101 124); do
    zstd -qdc "$1/results/000/000$run.telescope.dat.zst" | sha256sum | sed "s/-/$run/"
  done
}
serial() { # the same cards, one after the other, by the stock program
  local run seed n
  for run in $(seq 101 124); do
    n=$((run - 101))
    mkdir -p serial/$run
    seed=$(sed -n "$((n + 2))p" plain/runs.tsv | cut -f2 | tr -d ' ')
    local zenith=20.; [ $n -lt 12 ] || zenith=30.
    awk -v run=$run -v seed="$seed" -v zenith=$zenith '{
      gsub(/\{RUNNR\}/, run); gsub(/\{NSHOW\}/, 2); gsub(/\{PRIMARY\}/, 1); gsub(/\{EMIN\}/, "20."); gsub(/\{EMAX\}/, "30.")
      gsub(/\{ZENITH\}/, zenith); gsub(/\{PHI\}/, "0. 360."); gsub(/\{EMCUTS\}/, "0.02 0.02"); gsub(/\{LONGI\}/, "T")
      gsub(/\{CERSIZ\}/, "5."); gsub(/\{WAVELENGTHS\}/, "250. 700.")
      gsub(/\{ARRAY\}/, "ARRANG 10.4\nCSCAT 5 750.E2 0.\nTELESCOPE -23.7E2 37.6E2 0.E2 7.E2\nTELESCOPE -47.7E2 -44.1E2 4.4E2 7.E2\nTELESCOPE 60.1E2 -29.4E2 9.8E2 7.E2\nTELESCOPE 11.3E2 35.9E2 7.E2 7.E2\nTELESCOPE -8.61E2 -135.48E2 12.23E2 7.E2")
      if ($0 == "{SEEDS}") { for (i = 0; i < 4; ++i) print "SEED " seed + i " 0 0" } else print }' plain/card.template > serial/$run/card
    (cd serial/$run && ../../plain/bin/stock/run/corsika-standin < card > log)
    sha256sum < serial/$run/telescope.dat | sed "s/-/$run/"
  done
}

# --- the node and the pilot
status=0; production check plain --pilot-showers 1 > run.txt 2> run.err || status=$?
note "$([ $status = 0 ] && grep -q '^pilot      run 101 with 1 showers' run.txt && grep -q '^pilot      run 113' run.txt && grep -q memory_mib plain/pilot.json; echo $?)" "check: a pilot run of each setting"
other=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4
if [ "$("$overlay" production libm-bits)" != "$(GLIBC_TUNABLES=$other "$overlay" production libm-bits)" ]; then
  GLIBC_TUNABLES=$other run plain 101
  note "$([ $status = 69 ] && says 'libm gives other bits here' && [ ! -e "$(manifest plain 101)" ]; echo $?)" "a node whose libm takes other variants: 69"
  grep -q '"outcome": "other-bits"' plain/attempts/000101/*.json; note $? "  and the attempt says so"
  new pinned --processors pinned
  production start pinned --most 2 > run.txt 2> run.err || true
  GLIBC_TUNABLES=$other run pinned 103
  note "$([ $status = 0 ] && says 'is published'; echo $?)" "a production of one class for all nodes: it runs there, too"
else
  echo "SKIPPED  a node of another class: this processor has no fused multiply-add to leave out"
fi

# --- all runs, and the truth
status=0; production start plain --jobs 2 --most 12 > run.txt 2> run.err || status=$?
note "$([ $status = 0 ] && [ "$(ls plain/results/000/*.json | wc -l)" = 12 ]; echo $?)" "start --most 12: twelve runs"
status=0; production start plain --jobs 2 > run.txt 2> run.err || status=$?
note "$([ $status = 0 ] && says '24 of 24 runs are published, 12 of them by this call'; echo $?)" "started again: exactly twelve more"
status=0; production start plain > run.txt 2> run.err || status=$?
note "$([ $status = 0 ] && says '24 of 24 runs are published, 0 of them by this call'; echo $?)" "  and then none"
serial > serial.txt; truth plain > published.txt
note "$(diff serial.txt published.txt > diff.txt; echo $?)" "all 24 have the bytes of a serial call of the stock program"
note "$([ -z "$(ls -A tmp)" ] && [ -z "$(ls -A plain/attempts | grep -v 000101)" ]; echo $?)" "nothing is left on scratch or in attempts/"
contents plain > contents.txt
same_as_plain() { contents "$1" | diff -q - contents.txt > /dev/null; }
status=0; production audit plain --stock 2 > run.txt 2> run.err || status=$?
note "$([ $status = 0 ] && [ "$(grep -c ^equal run.txt)" = 2 ] && says 'throughput'; echo $?)" "an audit of two runs with stock: equal"
run plain 110
note "$([ $status = 0 ] && says 'run 110 is done already'; echo $?)" "a run that is published is not made again"
cp -r plain elsewhere-there && mv elsewhere-there moved
run moved 111
note "$([ $status = 0 ] && says 'done already'; echo $?)" "a production's folder may be moved"

# --- what was changed after publication
flip() { # flip FILE: one bit in the middle
  python3 -c "import sys; p=sys.argv[1]; b=bytearray(open(p,'rb').read()); b[len(b)//2]^=4; open(p,'wb').write(b)" "$1"
}
chmod u+w plain/results/000/*
flip plain/results/000/000107.telescope.dat.zst
cp "$(manifest plain 108)" "$(manifest plain 109)"
run plain 107
note "$([ $status = 0 ] && says 'run 107 is published' && [ -n "$(ls plain/quarantine/000107)" ]; echo $?)" "a flipped byte: the run is set aside and made again"
run plain 109
note "$([ $status = 0 ] && says 'run 109 is published' && grep -qr 'manifest is that of run 108' plain/quarantine/000109; echo $?)" "a copied manifest: likewise"
note "$(same_as_plain plain; echo $?)" "  and all is as it was"

# --- the plan itself
copy() { rm -rf "$1"; cp -r untouched "$1"; }
copy bad; echo >> bad/bin/corsika/run/corsika-standin
run bad 101
note "$([ $status = 65 ] && says 'its checksum differs'; echo $?)" "a program that is not the plan's: 65"
copy bad; sed -i 's/^NSHOW.*/NSHOW three/' bad/card.template
run bad 101
note "$([ $status = 65 ] && says 'card.template'; echo $?)" "a card that is not the plan's: 65"
copy bad; sed -i 's/showers = 2/showers = 3/' bad/production.toml
run bad 101; note "$([ $status = 65 ]; echo $?)" "a plan that was changed: 65"
run plain 125; note "$([ $status = 65 ] && says 'has no run 125'; echo $?)" "a run that is not planned: 65"
run nowhere 101; note "$([ $status = 75 ]; echo $?)" "a folder that cannot be reached: 75"
copy bad; plant bad 'sed -i "s/NSHOW/NSHAUW/" card; exec "$real" < card'
run bad 101
note "$([ $status = 65 ] && says 'found an error in its card'; echo $?)" "a card that the program refuses: 65"
copy bad; plant bad 'sed "s/SEED 1 /SEED 7 /" | exec "$real"'
run bad 101
note "$([ $status = 65 ] && says 'the plan has seed 1 '; echo $?)" "other seeds in the headers than planned: 65"

copy bad; probe_too=yes plant bad '"$real"; chmod u+w telescope.dat; truncate -s -200 telescope.dat; exit 0'
run bad 101
note "$([ $status = 75 ] && says "the probe of this node's class failed" && [ ! -e bad/node-class.json ]; echo $?)" "a probe that is not whole: 75, and it becomes nobody's class"

# --- programs that fail once, or that lie
once='if mkdir "$mark/$run" 2> /dev/null; then'
fault() { # fault NAME SCRIPT TEXT: 24 runs, each of which meets the fault in its first attempt
  copy "$1"; plant "$1" "$once $2; fi; exec \"\$real\""
  status=0; production start "$1" --jobs 2 > run.txt 2> run.err || status=$?
  note "$([ $status = 0 ] && [ "$(cat "$1"/attempts/*/*.json | grep -cF "$3")" = 24 ] && same_as_plain "$1" && [ -z "$(ls -A tmp)" ]; echo $?)" "$1: all 24 rejected, named, made again"
}
fault half 'sed "s/NSHOW 2/NSHOW 1/" | "$real"; exit 0' 'the card asks for 2 showers'
fault cut '"$real"; chmod u+w telescope.dat; truncate -s -200 telescope.dat; exit 0' 'telescope.dat is not whole'
fault masked '(sed "s/EXIT/EXIT/" | "$real" | head -n 60; kill -SEGV $BASHPID) 2> /dev/null; exit 0' 'END OF RUN'
fault killed '"$real" & kill -9 $$' 'was ended by signal 9'
copy poison; plant poison '"$real" > all; head -n 80 all; kill -SEGV $$'
run poison 101
note "$([ $status = 75 ] && says 'was ended by signal 11'; echo $?)" "a crash: 75"
run poison 101
note "$([ $status = 65 ] && says 'in two attempts with the same seeds' && says 'poisoned'; echo $?)" "a second crash at the same shower: 65, poisoned"
run poison 101; note "$([ $status = 65 ] && says 'poisoned'; echo $?)" "  and it stays so"

# --- workers that are killed, or that meet each other
copy workers; plant workers 'touch "$mark/$run"; sleep 0.5; exec "$real"'
for run in 101 102 103; do "$overlay" production run workers $run > /dev/null 2>&1 & pids[run]=$!; done
for i in $(seq 200); do [ "$(ls workers.marks | wc -l)" -lt 3 ] || break; sleep 0.05; done
kill -9 "${pids[101]}"; kill -TERM "${pids[102]}"
ended=0; wait "${pids[102]}" || ended=$?
wait "${pids[101]}" 2> /dev/null || true; wait "${pids[103]}"
note "$([ $ended = 75 ] && [ -z "$(ls workers/results/000/000101* workers/results/000/000102* 2> /dev/null)" ]; echo $?)" "a worker killed, and one asked to end (75): nothing of theirs is published"
for i in $(seq 100); do pgrep -f "$work/workers/bin/corsika" > /dev/null || break; sleep 0.05; done
note "$(! pgrep -f "$work/workers/bin/corsika" > /dev/null; echo $?)" "  and their programs ended with them"
rm -rf "${work:?}"/tmp/overlay-run-101-*  # what kill -9 leaves on scratch
run workers 101
note "$([ $status = 0 ] && grep -q vanished workers/attempts/000101/*.json; echo $?)" "  the run is made by the next one"
for i in 1 2 3 4; do "$overlay" production run workers 104 > workers.out.$i 2>&1 & done; wait
note "$([ "$(cat workers.out.* | grep -c 'is published$')" = 1 ] && [ "$(cat workers.out.* | grep -c agrees)" = 3 ] && [ "$(ls workers/results/000/000104* | wc -l)" = 4 ]; echo $?)" "four workers for one run: one publishes, three agree"
copy quarrel; plant quarrel 'if mkdir "$mark/first" 2> /dev/null; then sed "s/ERANGE 20\. 30\./ERANGE 20. 31./" | "$real"; else "$real"; fi; sleep 0.5'
for i in 1 2; do "$overlay" production run quarrel 105 > quarrel.out.$i 2>&1 & done; wait
note "$(cat quarrel.out.* | grep -q 'they disagree: .*; both are in quarantine/000105' && [ ! -e "$(manifest quarrel 105)" ] && [ "$(find quarrel/quarantine -name manifest.json | wc -l)" = 2 ]; echo $?)" "two attempts that disagree: both in quarantine"
run quarrel 105
note "$([ $status = 0 ] && cmp -s <(grep content_sha256 "$(manifest quarrel 105)") <(grep content_sha256 "$(manifest plain 105)"); echo $?)" "  and the run is made again"

# --- a start that is stopped
copy stopped; plant stopped 'sleep 0.2; exec "$real"'
"$overlay" production start stopped --jobs 2 > run.txt 2> run.err & start=$!
for i in $(seq 200); do [ "$(ls stopped/results/000/*.json 2> /dev/null | wc -l)" -lt 2 ] || break; sleep 0.05; done
kill -TERM $start; status=0; wait $start || status=$?
made=$(ls stopped/results/000/*.json | wc -l)
note "$([ $status = 130 ] && [ "$made" -lt 24 ] && [ "$(find stopped/results -name '*.zst' | wc -l)" = $((3 * made)) ]; echo $?)" "start, stopped after $made runs: only whole ones are there"
status=0; production start stopped --jobs 4 > run.txt 2> run.err || status=$?
note "$([ $status = 0 ] && says "$((24 - made)) of them by this call" && same_as_plain stopped; echo $?)" "  and called again: exactly the others"

# --- kill -9 of a worker that start started, and of start itself
copy kills; plant kills 'sleep 0.3; exec "$real"'
"$overlay" production start kills --jobs 2 > run.txt 2> run.err & start=$!
for i in 1 2 3; do
  for k in $(seq 100); do worker=$(pgrep -f "production run kills " | head -1 || true); [ -z "$worker" ] || break; sleep 0.05; done
  kill -9 "$worker" || true
  sleep 0.4
done
kill -9 $start; wait $start 2> /dev/null || true
for i in $(seq 100); do pgrep -f "$work/kills/bin/corsika" > /dev/null || break; sleep 0.05; done
note "$(! pgrep -f "$work/kills/bin/corsika" > /dev/null; echo $?)" "kill -9 of workers and of start: all programs end"
status=0; production start kills --jobs 2 > run.txt 2> run.err || status=$?
note "$([ $status = 0 ] && same_as_plain kills && grep -q vanished kills/attempts/*/*.json; echo $?)" "  and all 24 are done by the next start"
rm -rf "${work:?}"/tmp/overlay-*

# --- light that goes into a command
card() { sed -e "s/^TELFIL .*/TELFIL '$1'/" -e 's/{SEEDS}/SEED 1 0 0\nSEED 2 0 0\nSEED 3 0 0\nSEED 4 0 0/' serial/101/card; }
card '|gzip -c > light.gz' > piped.card; card telescope.dat > plain.card; card '|cat > light; exit 3' > failing.card
for kind in piped plain failing; do
  "$overlay" production new $kind-card --corsika standin --card $kind.card --runs 1 --out out --ledger ledger-$kind > new.txt 2> new.err || cat new.err
done
run piped-card 1
content() { grep -A6 "\"name\": \"$2\"" "$(ls "$1"/results/000/*.json)" | grep content_sha256; }
note "$([ $status = 0 ] && [ -e piped-card/results/000/000001.light.gz.zst ] && [ ! -e piped-card/results/000/000001.light-pipe.bytes.zst ]; echo $?)" "a command behind TELFIL: what it wrote is published"; [ $status = 0 ] || cat run.err
run plain-card 1
note "$([ -n "$(content plain-card telescope.dat)" ] && [ "$(content plain-card telescope.dat)" = "$(content piped-card light-pipe.bytes)" ]; echo $?)" "  and the light has the content of a plain file"
run failing-card 1
note "$([ $status = 75 ] && says 'the command behind TELFIL of run 1 failed with exit status 3'; echo $?)" "a command that fails: the run fails"

# --- full disks: small file systems of their own, which only root can mount, in a namespace that ends with the shell
if [ "$(id -u)" = 0 ] && unshare --mount true 2> /dev/null; then
  copy full
  status=0
  unshare --mount bash -c '
    set -e
    mkdir -p scratch small
    mount -t tmpfs -o size=100k tmpfs scratch
    code=0; "$1" production run full 101 --scratch scratch > scratch.txt 2>&1 || code=$?; echo "scratch $code" > codes
    mount -t tmpfs -o size=64m tmpfs small
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
  "$overlay" production run full 101 > run.txt 2>&1 && note 0 "  likewise after the full scratch disk" || note 1 "  likewise after the full scratch disk"
else
  echo "SKIPPED  full disks: only root can mount a small file system here"
fi
[ $failures = 0 ]
