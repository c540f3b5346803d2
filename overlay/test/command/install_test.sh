#!/usr/bin/env bash
# overlay, which CMake installed and which was moved, installs the stand-in program: what is in the folder, that it runs
# when it has been moved and all of the build is gone, that nothing which is not its own is replaced, and that it needs
# stock's bytes.
# usage: install_test.sh OVERLAY
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
build=$(dirname "$(dirname "$1")") tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
try cmake --install "$build" --component overlay --prefix made
note $status "overlay is installed"; [ $status = 0 ] || { cat err.txt; exit 1; }
mv made program
overlay=$work/program/bin/overlay
install() { # install PREFIX [OPTIONS...]
  local prefix=$1; shift
  timeout 300 "$overlay" install --corsika standin --profile veritas-gamma-single --showers 1 --erange 40,40 --out out --prefix "$prefix" "$@"
}
listed() { sed -n '/"files": /,/^  \]/p' "$1/overlay-install.json" | grep -c '"path"'; }

try install new/place --container apptainer
note $status "a program is installed"; [ $status = 0 ] || { cat err.txt; exit 1; }
program=new/place/run/corsika-standin
note "$(grep -q '^stage      flat program: whole loop, known$' out.txt; echo $?)" "it says that the Cherenkov stage is in it"
note "$(grep -qE '^compared   1 shower of veritas-gamma-single: Same bytes: yes ' out.txt; echo $?)" "and that a pair of runs had the same bytes"
note "$([ -s new/place/run/example.card ] && grep -q "$(basename "$program") < example.card" new/place/README && grep -q 'Gain: [0-9.]* times as fast' new/place/README; echo $?)" "with card, and README, which names the gain"
note "$([ -d out/builds ] && ! grep -rIF -e "$build/" -e "$tree/" out/builds; echo $?)" "made of what was installed"
note "$([ -z "$(find new -name '.overlay*')" ] && [ "$(ls -A new)" = place ]; echo $?)" "and nothing else"
note "$([ "$(find new/place -type f ! -name overlay-install.json | wc -l)" = "$(listed new/place)" ]; echo $?)" "its list names every file"
note "$(grep -q '^  substitutes      none$' new/place/README && grep -q '^  mkdir -p run1 && cd run1' new/place/README && grep -q '^From: ' new/place/corsika.def && grep -q 'PATH $folder/run' new/place/modulefiles/corsika/*; echo $?)" "README, recipe and modulefile say how to run it"
note "$(grep -q '"command": ".*--prefix new/place' new/place/overlay-install.json && grep -qE '"sources": "[0-9a-f]{64}' new/place/overlay-install.json; echo $?)" "  and what was made of what"

mkdir elsewhere && mv new/place elsewhere/moved
mv out gone
program=elsewhere/moved/run/corsika-standin
for each in $program ${program}_flat; do
  note "$(! ldd $each | grep -E "not found|$work/(gone|out)|/release/"; echo $?)" "$(basename $each): its libraries are the system's or beside it"
done
note "$(ldd ${program}_flat | grep libgfortran | grep -q "$work/elsewhere/moved/run"; echo $?)" "those that a machine may lack are beside it"
note "$(! grep -rqa --exclude overlay-install.json "$work" elsewhere/moved; echo $?)" "no path of this machine is in it"
status=0; (cd elsewhere/moved/run && timeout 120 ./corsika-standin < example.card > log 2> err) || status=$?
note $status "it runs where it was moved to"; [ $status = 0 ] || tail -3 elsewhere/moved/run/err elsewhere/moved/run/log
mkdir piped && cp elsewhere/moved/run/telescope.dat piped.dat
(cd piped && ln -s ../elsewhere/moved/run/*.dat . && rm -f telescope.dat && sed "s/^TELFIL .*/TELFIL '|cat > got'/" ../elsewhere/moved/run/example.card | timeout 120 ../$program --keep-light light.zst > log 2> err) || cat piped/err
note "$(zstd -qdc piped/light.zst | cmp -s - piped/got && [ "$(stat -c %s piped/got)" -gt 1000 ]; echo $?)" "--keep-light: light that goes into a command is kept, too"
mv gone out

# Again into the same place: our files are replaced, others stay.
mkdir -p elsewhere/moved/run/mine && echo mine > elsewhere/moved/run/mine/notes
mkdir -p elsewhere/moved/.overlay-install-{abc123,of-mine}/prefix
cp -r "$(dirname "${BASH_SOURCE[0]}")/../../../profiles" cards && mv cards/veritas-gamma-single.toml cards/renamed.toml
sed -i '1i *(IACT) TELSAMPLE 1d:radii' cards/cards/standin.card; echo 1 > cards/cards/radii
try install elsewhere/moved --profile cards/renamed.toml
note "$([ $status = 0 ] && [ "$(cat elsewhere/moved/run/mine/notes)" = mine ]; echo $?)" "a second time with another card, beside a user's own files"; [ $status = 0 ] || cat err.txt
note "$([ ! -e elsewhere/moved/.overlay-install-abc123 ] && [ -e elsewhere/moved/.overlay-install-of-mine ]; echo $?)" "  and what a killed one left there goes"
note "$([ -s elsewhere/moved/run/radii ] && grep -q '"table": true' elsewhere/moved/overlay-install.json; echo $?)" "  with the table that the card names"
rmdir -p elsewhere/moved/.overlay-install-of-mine/prefix 2> /dev/null || true
echo '* changed by me' >> elsewhere/moved/run/example.card
before=$(find elsewhere/moved -type f -exec sha256sum {} + | sort | sha256sum)
try install elsewhere/moved
note "$([ $status != 0 ] && grep -q 'example.card was changed since it was installed' err.txt; echo $?)" "a file that was changed since is not replaced"
note "$([ "$before" = "$(find elsewhere/moved -type f -exec sha256sum {} + | sort | sha256sum)" ]; echo $?)" "  and all is as it was"
mkdir own && echo 'my readme' > own/README
try install own
note "$([ $status != 0 ] && grep -q 'own/README is in the way and not ours' err.txt && [ "$(ls -A own)" = README ] && [ "$(cat own/README)" = 'my readme' ]; echo $?)" "a user's own file is not replaced"
expect "other options need another place" 'holds a program with other options, .*IACT' install elsewhere/moved --profile em-shower

# Two programs, and what other programs look for.
for folder in out/builds/*/veritas-gamma-single/tuned/patched/tree/run; do echo table > "$folder/corsika-standin.refraction-1"; done
try install two --with CURVED --container docker --zenith 68
note "$(grep -qx table two/run/corsika-standin*.refraction-1; echo $?)" "a table that runs have kept beside the program comes along"
note "$([ $status = 0 ] && [ "$(grep -c '^compared ' out.txt)" = 2 ] && [ -x two/run/corsika-standin_curved ] && [ "$(listed two)" = "$(find two -type f ! -name overlay-install.json | wc -l)" ]; echo $?)" "--with CURVED: two programs"; [ $status = 0 ] || cat err.txt
note "$(grep -q 'COPY . /workdir/corsika' two/Containerfile && ls two/modulefiles/corsika/* > /dev/null && [ "$(grep -c 'atmosphere_geometry: "\(flat\|curved\)"' two/run/build_opts.yml)" = 2 ]; echo $?)" "  with a container's recipe, a modulefile and simtools' list"
note "$(grep -q 'THETAP 68' two/run/example.card && grep -q '"card": .*THETAP 65' two/overlay-install.json && grep -q '"card": .*THETAP 68' two/overlay-install.json; echo $?)" "  the flat one is tried at 65 degrees where the card goes further"
page=$(dirname "${BASH_SOURCE[0]}")/../../../docs/pipelines.md
named=$(grep -oE 'PREFIX/[A-Za-z_./]+|NAME_[a-z]+' "$page" | sed 's|^NAME|PREFIX/run/NAME|; s|PREFIX|two|; s|NAME|corsika-standin|' | sort -u)
note "$([ "$(wc -l <<< "$named")" -ge 5 ] && ls $named > /dev/null && grep -qF "$(grep -oE '/workdir/[a-z-]+' "$page" | sort -u)" two/Containerfile; echo $?)" "  and all that the page of pipelines names"
ends 1 'with is for a second program, with CURVED' "  other options need another place" install two --with VIEWCONE

# A patched program that gives other bytes.
built=$(find out/builds -path '*veritas-gamma-single/*/patched/*' -type f -name corsika-standin)
mv "$built" "$built.real"
printf '#!/bin/sh\nsed "s/^SEED .*/SEED 4711 0 0/" | "%s"\n' "$work/$built.real" > "$built"; chmod +x "$built"
try install other
note "$([ $status = 1 ] && grep -q 'nothing is installed after a pair of short runs, stock and patched: Same bytes: NO ' err.txt && [ ! -e other ]; echo $?)" "other bytes than stock's: nothing is installed"
mv "$built.real" "$built"

[ $failures = 0 ]
