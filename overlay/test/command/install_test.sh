#!/usr/bin/env bash
# overlay install, of the stand-in program: what is in the folder, that it runs when it has been moved and all of the
# build is gone, and that nothing which is not its own is replaced. Then kill -9 of a build.
# usage: install_test.sh OVERLAY
overlay=$1
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
install() { timeout 300 "$overlay" install --corsika standin --profile "${2-veritas-gamma-single}" --showers 1 --out out --prefix "$1" > out.txt 2> err.txt; }

status=0; install new/place || status=$?
note $status "a program is installed"; [ $status = 0 ] || { cat err.txt; exit 1; }
program=$(ls new/place/run/corsika*)
note "$(grep -q '^Cherenkov stage: whole loop, known$' out.txt; echo $?)" "it says that the Cherenkov stage is in it"
note "$([ -s new/place/README ] && [ -s new/place/run/example.card ] && grep -q "$(basename "$program")" new/place/README; echo $?)" "with README and card"
note "$([ -z "$(find new -name '.overlay*')" ] && [ "$(ls -A new)" = place ]; echo $?)" "and nothing else"
note "$([ "$(find new/place -type f ! -name overlay-install.json | wc -l)" = "$(grep -c sha256 new/place/overlay-install.json)" ]; echo $?)" "its list names every file"

mkdir elsewhere && mv new/place elsewhere/moved
mv out gone
note "$(! ldd "elsewhere/moved/run/$(basename "$program")" | grep -E "not found|$work/(gone|out)|/release/"; echo $?)" "its libraries are the system's or beside it"
note "$(ldd "elsewhere/moved/run/$(basename "$program")" | grep libgfortran | grep -q "$work/elsewhere/moved/run"; echo $?)" "those that a machine may lack are beside it"
note "$(! grep -rqa "$work" elsewhere/moved; echo $?)" "no path of this machine is in it"
status=0; (cd elsewhere/moved/run && timeout 120 "./$(basename "$program")" < example.card > log 2> err) || status=$?
note $status "it runs where it was moved to"; [ $status = 0 ] || tail -3 elsewhere/moved/run/err elsewhere/moved/run/log
mv gone out

# Again into the same place: our files are replaced, others stay.
mkdir -p elsewhere/moved/run/mine && echo mine > elsewhere/moved/run/mine/notes
mkdir -p elsewhere/moved/.overlay-install-{abc123,of-mine}/prefix
status=0; install elsewhere/moved || status=$?
note "$([ $status = 0 ] && [ "$(cat elsewhere/moved/run/mine/notes)" = mine ]; echo $?)" "a second time, beside a user's own files"; [ $status = 0 ] || cat err.txt
note "$([ ! -e elsewhere/moved/.overlay-install-abc123 ] && [ -e elsewhere/moved/.overlay-install-of-mine ]; echo $?)" "  and what a killed one left there goes"
rmdir -p elsewhere/moved/.overlay-install-of-mine/prefix 2> /dev/null || true
echo '* changed by me' >> elsewhere/moved/run/example.card
before=$(find elsewhere/moved -type f -exec sha256sum {} + | sort | sha256sum)
status=0; install elsewhere/moved || status=$?
note "$([ $status != 0 ] && grep -q 'example.card was changed since it was installed' err.txt; echo $?)" "a file that was changed since is not replaced"
note "$([ "$before" = "$(find elsewhere/moved -type f -exec sha256sum {} + | sort | sha256sum)" ]; echo $?)" "  and all is as it was"
mkdir own && echo 'my readme' > own/README
status=0; install own || status=$?
note "$([ $status != 0 ] && grep -q 'own/README is in the way and not ours' err.txt && [ "$(ls -A own)" = README ] && [ "$(cat own/README)" = 'my readme' ]; echo $?)" "a user's own file is not replaced"
status=0; install elsewhere/moved em-shower || status=$?
note "$([ $status != 0 ] && grep -q 'holds profile veritas-gamma-single' err.txt; echo $?)" "another profile needs another place"

# kill -9 of overlay in the middle of a build: nothing of it goes on, and the next call is not disturbed.
"$overlay" build --corsika standin --profile em-shower --out killed > /dev/null 2>&1 & job=$!
for _ in $(seq 300); do pgrep -f "step make $work/killed" > /dev/null && break; sleep 0.1; done
victims=$(pgrep -f "$work/killed" | wc -l)
kill -9 $job
wait $job 2> /dev/null || true
for _ in $(seq 50); do pgrep -f "$work/killed" > /dev/null || break; sleep 0.1; done
note "$([ "$victims" -gt 1 ] && ! pgrep -f "$work/killed" > /dev/null; echo $?)" "kill -9 of overlay leaves no process of its build ($victims were there)"
status=0; timeout 300 "$overlay" build --corsika standin --profile em-shower --out killed > out.txt 2> err.txt || status=$?
note $status "the next call goes on"; [ $status = 0 ] || cat err.txt
note "$(grep -q '^Cherenkov stage: not covered: options\? ' out.txt; echo $?)" "without IACT it says why the stage covers nothing"

[ $failures = 0 ]
