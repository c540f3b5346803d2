#!/usr/bin/env bash
# The overlay program against trees of our own: what it builds, and every error that a user can meet.
# usage: overlay_test.sh OVERLAY FAKE_TREE
overlay=$1 fake=$2
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
unset CORSIKA_PW CORSIKA_HOST CORSIKA_ATMOSPHERES OVERLAY_PROFILES FAKE_COCONUT || true

# untouched FOLDER: the step before left nothing behind.
untouched() { if [ ! -e "$1" ]; then note 0 "  and left nothing in $(basename "$1")"; else note 1 "  left $(find "$1" | head -5 | tr '\n' ' ')"; fi; }
# refuses NAME PATTERN ARCHIVE OUT [OPTIONS...]: a build is an error, as expect has it, and leaves nothing behind.
refuses() { expect "$1" "$2" build "${@:3}"; untouched "$4"; }

cp -r "$fake" corsika-77990
mkdir pkg && mv corsika-77990/bernlohr/iact.c pkg
echo 'atmosphere' > pkg/atmprof9.dat
tar -czf corsika-77990/bernlohr/package.tar.gz -C pkg iact.c atmprof9.dat
tar -czf corsika-77990.tar.gz corsika-77990
cat > mine.toml <<'EOF'
summary = "a profile of a user's own"
options = ["QGSJETII|QGSJET01", "GHEISHA", "VOLUMEDET", "CERENKOV", "IACT", "CERWLEN"]
card = "mine.card"
[showers]
number = 3
atmosphere = 61
atmosphere_fallback = 6
seeds = 2
EOF
printf 'NSHOW @NSHOW@\nERANGE @EMIN@ @EMAX@\n@SEEDS@\nATMOSPHERE @ATMOSPHERE@ T\nEXIT\n' > mine.card
build() { "$overlay" build --corsika "$1" --profile mine.toml --only stock --out "$2" "${@:3}"; }

# --- what works
try build corsika-77990.tar.gz good --run-folder run1
note $status "an archive builds"; [ $status = 0 ] || cat err.txt
program=$(find good/builds -name corsika77990Fake -not -path '*part*' | head -1)
note "$([ -n "$program" ] && "$program" | grep -q LIGHT; echo $?)" "with the options that were asked for"
note "$(grep -q '^overlay: NOM32 is not in the options of mine; coconut adds it$' err.txt && grep -q '^options .* NOM32$' out.txt; echo $?)" "  and what coconut adds is said, and is one of them"
note "$(grep -q 'QGSJET01 stands in for QGSJETII' err.txt; echo $?)" "a stand-in for a missing table is said aloud"
note "$(grep -q 'atmosphere 6 .* stands in for 61' err.txt; echo $?)" "a stand-in for an atmosphere is said aloud"
note "$(grep -q 'recorded at first use' err.txt; echo $?)" "the checksum is recorded at first use"
note "$(grep -q '^ATMOSPHERE 6 T' run1/card && grep -q '^NSHOW 3' run1/card && [ -e run1/atmprof6.dat ] && [ -e run1/QGSDAT01 ]; echo $?)" "the run folder holds card and data"
note "$(grep -q -- '-O2|-O2' "$(dirname "$program")/flags.txt"; echo $?)" "tuned flags arrive"
before=$(stat -c %Y.%i "$program")
build corsika-77990.tar.gz good --jobs 1 > out.txt 2> err.txt
note "$([ "$before" = "$(stat -c %Y.%i "$program")" ] && ! grep -q building err.txt; echo $?)" "a second call, with another number of processes, builds nothing"
sed -i 's|^CMAKE_HOME_DIRECTORY:INTERNAL=.*|&-of-another-checkout|' good/builds/*/*/tuned/superbuild/CMakeCache.txt
try build corsika-77990.tar.gz good
note "$([ $status = 0 ]; echo $?)" "a folder that another checkout built in is set up again"
before=$(stat -c %Y.%i "$program")
build corsika-77990.tar.gz good --flags shipped > out.txt 2> err.txt
note "$([ "$before" = "$(stat -c %Y.%i "$program")" ] && grep -q building err.txt; echo $?)" "other flags are built beside, and nothing else"
note "$(grep -rq '^||$' good/builds/*/*/shipped/stock/tree/run/flags.txt; echo $?)" "shipped means CORSIKA's own flags"
run=$(dirname "$program") && mkdir "$run/mine" && echo 'a night of showers' | tee "$run/DAT000001" > "$run/mine/DAT000002"
printf '\177ELF, of mine\n' > "$run/corsika-of-mine" && chmod +x "$run/corsika-of-mine"
sed -i 's/"CERENKOV", "IACT", "CERWLEN"/"CURVED"/; s/VOLUMEDET/HORIZONTAL/' mine.toml
build corsika-77990.tar.gz good > out.txt 2> err.txt
note "$("$program" | grep -q DARK; echo $?)" "a changed profile is rebuilt"
kept=$(echo good/builds/*/*/tuned/stock/kept-from-run-*)
note "$(grep -q night "$kept/DAT000001" && grep -q 'kept-from-run-' err.txt && [ "$(cd "$kept" && find . -type f | sort | tr '\n' ' ')" = './DAT000001 ./corsika-of-mine ./mine/DAT000002 ' ]; echo $?)" "  and outputs of runs in its run folder are kept, and a user's program, and nothing else"
sed -i 's/"CURVED"/"CERENKOV", "IACT", "CERWLEN"/; s/HORIZONTAL/VOLUMEDET/' mine.toml
build corsika-77990 folder > out.txt 2> err.txt
note "$([ -e corsika-77990/bernlohr/package.tar.gz ] && [ ! -e corsika-77990/Makefile ]; echo $?)" "a folder is built in a copy and not written to"
build corsika-77990 folder --only stock-gprof,stock-sampled,stock-shipped > out.txt 2> err.txt
note "$(grep -rq -- '-O2 -pg|-O2 -pg|-pg' folder/builds/*/*/tuned/stock-gprof/tree/run/flags.txt && grep -rq -- '-O2 -g|-O2 -g|' folder/builds/*/*/tuned/stock-sampled/tree/run/flags.txt && grep -rq '^||$' folder/builds/*/*/tuned/stock-shipped/tree/run/flags.txt; echo $?)" "instrumented builds stand apart"
build corsika-77990 folder --atmosphere 9 --run-folder run9 > out.txt 2> err.txt
note "$(grep -q '^ATMOSPHERE 9 T' run9/card && [ -e run9/atmprof9.dat ]; echo $?)" "an atmosphere is found inside the package's archive"
printf 'NSHOW 1\nIACT TELSAMPLE 1d:radii\nTELFIL old.dat\nEXIT\n' > own.card
echo '10. -1. 0.1 0.9' > radii; echo 'light of another run' > old.dat
build corsika-77990 folder --card own.card --run-folder run-beside > out.txt 2> err.txt
note "$([ "$(readlink -f run-beside/radii)" = "$PWD/radii" ] && [ ! -e run-beside/old.dat ]; echo $?)" "a file beside the card that it names to be read is in the run folder, and no output is"
printf 'NSHOW 1\nATMOSPHERE 99 Y\nIACT ATMOFILE site/a.dat\nDIRECT out/\nTELFIL |sim a | cat\nEXIT\n' > own.card
mkdir site && echo 'air' > site/a.dat && printf '#!/bin/sh\ncat > /dev/null\n' > sim
build corsika-77990 folder --card own.card --run-folder run-site > out.txt 2> err.txt || cat err.txt
note "$([ "$(readlink -f run-site/site/a.dat)" = "$PWD/site/a.dat" ] && [ -d run-site/out ] && [ -e run-site/sim ]; echo $?)" "an atmosphere by its file's name, and a folder for DIRECT"
note "$(grep -q 'overlay: CORSIKA takes only the first word of TELFIL, |sim;' err.txt; echo $?)" "  and an unquoted command is named"
printf 'NSHOW 1\nATMOSPHERE 6 T\nTELFIL "|./sim"\nEXIT\n' > mine-6.card; sed 's/mine.card/mine-6.card/' mine.toml > six.toml
"$overlay" build --corsika corsika-77990 --profile six.toml --only stock --out folder --run-folder run-six > out.txt 2> err.txt || cat err.txt
note "$(cmp -s mine-6.card run-six/card && [ -e run-six/atmprof6.dat ] && [ -e run-six/sim ] && ! grep -q 'stands in for 61' err.txt; echo $?)" "a template may give its atmosphere itself, and names files beside it"
# --- pages about the options, from their declarations
missing=''
"$overlay" --man > overlay.1
for option in $(for command in build compare patch prove bench doctor; do "$overlay" $command --help; done | sed -n 's/^ *-h,//; s/^ *\(--[a-z0-9-]*\).*/\1/p'); do
  grep -qF -- "${option//-/\\-}" overlay.1 || missing+=" $option"
done
note "$([ -z "$missing" ] && grep -q '^.SS overlay compare' overlay.1 && ! grep -q 'SS overlay step' overlay.1; echo $?)" "the manual page has every option$missing"
complete_words() { bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _overlay; echo "${COMPREPLY[*]}"' "$(dirname "${BASH_SOURCE[0]}")/../../data/overlay.bash" "$overlay" "$@"; }
note "$([ "$(complete_words pat)" = patch ] && [ "$(complete_words build --corsi)" = --corsika ] && [ "$(complete_words production verify p --qu)" = --quick ] && [ -z "$(complete_words build --card mine.c)" ]; echo $?)" "bash completes commands and options, and has files for the rest"
build corsika-77990 folder --card own.card --showers 5 --showers 4 --seed 5 --run-folder run-twice > out.txt 2> err.txt || true
note "$(grep -q '^NSHOW   4' run-twice/card && grep -q '^SEED 8 0 0$' run-twice/card; echo $?)" "of an option that is given twice the last value counts"

# --- what does not
expect "no command" "a command is missing" "$overlay"
refuses "wrong checksum" "wrong checksum" corsika-77990.tar.gz o2 --sha256 0000
printf '[[release]]\nfile = "corsika-77990.tar.gz"\nsha256 = "00ff"\n' > list.toml
refuses "wrong checksum by a user's list" "list.toml says 00ff" corsika-77990.tar.gz o2 --known list.toml
printf '[[release]]\nfile = "corsika-77990.tar.gz"\nmd5 = "00ff"\n' > list.toml
refuses "wrong MD5" "has MD5" corsika-77990.tar.gz o2 --known list.toml
mkdir changed && cp -r corsika-77990 changed/ && echo more >> changed/corsika-77990/src/corsika.F
tar -czf changed/corsika-77990.tar.gz -C changed corsika-77990
expect "an archive that changed after first use" "wrong checksum" build changed/corsika-77990.tar.gz good
head -c 1500 corsika-77990.tar.gz > cut.tar.gz
refuses "an archive that is cut short" "not a whole tar archive" cut.tar.gz o5
expect "unknown build" "unknown build 'fast'" "$overlay" build --corsika corsika-77990 --only fast --out o6
expect "flags that are none" "flags cannot be 'fast'; give shipped, tuned" "$overlay" build --corsika corsika-77990 --flags fast --out o6
expect "a gpu that is neither on nor off" "auto, on or off" "$overlay" build --corsika corsika-77990 --gpu maybe --out o6
expect "a command of production that is mistyped" "there is no command colect; did you mean collect?" "$overlay" production colect p
expect "a word too much" "build takes no 'corsika-77990'" "$overlay" build corsika-77990
expect "--out with a file" "--out: own.card is a file; give a folder" "$overlay" build --corsika corsika-77990 --out own.card
printf '* nothing\n' > nothing.card
expect "a card without a keyword" "no keyword" build corsika-77990 o6 --card nothing.card
cp -r corsika-77990 poor && rm poor/run/QGSDAT01
printf 'version https://git-lfs.github.com/spec/v1\n' > poor/run/QGSDAT01
expect "a table that a large-file store left as a pointer" "QGSDAT01" build poor o6
rm poor/bernlohr/package.tar.gz; cp corsika-77990/run/QGSDAT01 poor/run/
expect "a missing package" "package bernlohr/" build poor o6
printf 'NSHOW 1\nDATDIR /nowhere/run/\n' > lost.card
refuses "a folder of tables that is not there" "no folder /nowhere/run/, which the card's DATDIR names" corsika-77990 o6 --card lost.card
# Nothing is written in the user's tree, by whatever path.
cp -r corsika-77990 tree
mkdir linked-run
ln -s "$work/linked-run" tree/linked && ln -s "$work/tree/run" into-the-tree
find tree linked-run | sort > tree.before
inside='.*lies in the tree .*give a folder outside'
for out in tree tree/run/o "$work/tree/o" ./tree/../tree/o into-the-tree/o linked-run/o; do
  expect "--out $out" "--out $inside" build tree "$out"
done
expect "no --out, and the tree is where we are" "--out $inside" env -C tree "$overlay" build --corsika . --profile ../mine.toml --only stock
expect "--run-folder in the tree" "--run-folder $inside" build tree o6 --run-folder tree/run/r
expect "install --prefix in the tree" "--prefix $inside" "$overlay" install --corsika tree --profile mine.toml --out o6 --prefix tree/fast
expect "compare --report in the tree" "--report $inside" "$overlay" compare --corsika tree --profile mine.toml --out o6 --report tree/report
expect "  and behind a link" "--report $inside" "$overlay" compare --corsika tree --profile mine.toml --out o6 --report into-the-tree/../report
expect "a production in the tree" "the folder $inside" "$overlay" production new tree/p --corsika tree --profile mine.toml --out o6 --runs 1 --ledger ledger
expect "a ledger in the tree" "--ledger $inside" "$overlay" production new p --corsika tree --profile mine.toml --out o6 --runs 1 --ledger tree/ledger
for command in patch prove "prove --cherenkov" bench validate; do
  expect "$command --out in the tree" "--out $inside" "$overlay" $command --corsika tree --out tree/run/o
done
note "$(find tree linked-run | sort | cmp -s - tree.before; echo $?)" "  and nothing is written there"
untouched o6
expect "a folder with blanks" "without blanks" build corsika-77990 "o 7"
expect "a folder that cannot be made, from an archive" "cannot write" build corsika-77990.tar.gz /proc/overlay
FAKE_COCONUT=fail expect "a configure that fails, which coconut calls success" "cannot guess build type" build corsika-77990 c4
cp -r corsika-77990 wrong && echo '      THIS IS NOT FORTRAN (' >> wrong/src/corsika.F
expect "a program that does not compile" "was not built" build wrong c5
cp corsika-77990/src/corsika.F wrong/src/
mkdir r2 && touch r2/x
expect "a run folder that is not empty" "is not empty" build corsika-77990 folder --run-folder r2
refuses "a download that fails" "cannot download" http://127.0.0.1:9/corsika-77990.tar.gz d1

# --- the password goes to the named server, and nowhere else
if command -v python3 > /dev/null; then
  cat > server.py <<'EOF'
import base64, http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        ok = self.headers.get("Authorization") == "Basic " + base64.b64encode(b'corsika:se"c\\ret').decode()
        self.send_response(200 if ok else 401); self.end_headers()
        self.wfile.write(open("corsika-77990.tar.gz", "rb").read() if ok else b"")
    def log_message(self, *a): pass
s = http.server.HTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()
EOF
  python3 server.py > port.txt & server=$!
  for _ in $(seq 50); do [ -s port.txt ] && break; sleep 0.1; done
  host=127.0.0.1:$(cat port.txt)
  no_proxy='*' CORSIKA_PW='se"c\ret' refuses "a server that is not named gets no password" "CORSIKA_PW" "http://$host/corsika-77990.tar.gz" d2
  no_proxy='*' CORSIKA_HOST=$host CORSIKA_PW='se"c\ret' try build "http://$host/corsika-77990.tar.gz" d3
  note "$status" "a download with a password"; [ $status = 0 ] || cat err.txt
  note "$(! grep -rq 'c.ret' out.txt err.txt d3 2> /dev/null; echo $?)" "that is written nowhere"
  kill $server; wait $server 2> /dev/null || true
fi

# --- closed standard descriptors: no file or pipe gets their numbers
status=0; build corsika-77990.tar.gz closed <&- >&- 2>&- || status=$?
note "$status" "a build with standard input, output and errors closed"
{ "$overlay" doctor 2> /dev/null || true; } > out.txt
note "$(grep -q '^addr2line ' out.txt; echo $?)" "doctor looks for addr2line"
CHERENKOV_BACKEND=off CORSIKA_PW=secret try "$overlay" doctor --report
note "$("$overlay" --version | diff - <(head -n 3 out.txt) && grep -qx CHERENKOV_BACKEND=off out.txt && ! grep -q "secret\|$PWD" out.txt; echo $?)" "  and reports version and environment, no password and no path"

expect "an energy range that is none" "erange cannot be" build corsika-77990.tar.gz e1 --erange 300,3000x

# --- killed or interrupted: what was half done is not taken for done, and the next call goes on
for how in 'TERM hang configuring 130' 'KILL hang-make compiling 137'; do
  read -r signal mood doing end <<< "$how"
  FAKE_COCONUT=$mood "$overlay" build --corsika corsika-77990.tar.gz --profile mine.toml --only stock --out i1 > out.txt 2> err.txt & job=$!
  for _ in $(seq 200); do grep -q " s: stock: $doing" err.txt && break; sleep 0.1; done
  note "$(grep -qE "^overlay: [0-9]+ s: stock: $doing$" err.txt; echo $?)" "a build that takes long says what it does: $doing"
  kill -$signal $job; status=0; wait $job 2> /dev/null || status=$?
  for _ in $(seq 50); do pgrep -f "$work/i1" > /dev/null || break; sleep 0.1; done
  note "$(! pgrep -f "$work/i1" > /dev/null; echo $?)" "  and leaves no process behind when it gets SIG$signal"
  note "$([ $status = $end ] && { [ $signal = KILL ] || grep -q '^overlay: error: interrupted' err.txt; }; echo $?)" "  (status $status)"
done
note "$([ -z "$(find i1 -name ".unfinished*")" ] && ! find i1 -name program.txt | grep -q .; echo $?)" "  and nothing that looks done"
try build corsika-77990.tar.gz i1
note "$status" "the next call goes on"

# --- a full disk
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=64k tmpfs full 2> /dev/null; then
  expect "a full disk" "no space left" build corsika-77990.tar.gz full/out
  untouched full/out/builds
  head -c 200000 /dev/urandom > corsika-77990/run/NUCNUCCS
  tar -czf big.tar.gz corsika-77990
  refuses "a full disk while unpacking" "no space left" big.tar.gz full/out2
  umount full
else
  echo "SKIPPED  a full disk: a tmpfs cannot be mounted here"
fi

[ $failures = 0 ]
