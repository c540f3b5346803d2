#!/usr/bin/env bash
# The commonest mistakes of a user, each with the one line that names it and says what to do. Nothing is built.
# usage: mistakes_test.sh OVERLAY FAKE_TREE
overlay=$1 fake=$2
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
unset CORSIKA_ATMOSPHERES OVERLAY_PROFILES OVERLAY_LEDGER || true

cp -r "$fake" tree
mkdir other foreign
ln -s ring ring
ln -s ring other/ring
{ # lines that read cards: keywords, one of an option, and the largest primary
  for word in '*' RUNNR NSHOW SEED PRMPAR THETAP ATMOSPHERE TELFIL INFILE 'IACT '; do echo "      IF (LINE(1:${#word}) .EQ. '$word') GO TO 1"; done
  printf '#if __CURVED__\n      IF (LINE(1:6) .EQ. '"'TIMLIM'"') GO TO 1\n#endif\n'
  echo '      IF (PRMPAR(0) .GT. 5655. .OR. PRMPAR(0) .LE. 0.) STOP'
} >> tree/src/corsika.F
tar -czf other.tar.gz foreign
echo mine > foreign/thesis.tex
profile() { # profile NAME OPTIONS CARD
  printf 'options = [%s]\ncard = "%s.card"\n[showers]\nseeds = 2\n' "$2" "$1" > "$1.toml"
  printf "${3-NSHOW 1\\n}EXIT\n" > "$1.card"
}
options='"QGSJET01", "GHEISHA", "CERENKOV", "IACT"'
profile good "$options"
profile option "$options, \"NOSUCH\""
profile place "$options" 'NSHOW @SHOWERS@\n'
profile table '"QGSJETII", "GHEISHA"'
profile substitute '"QGSJETII|QGSJET01", "GHEISHA"'
for card in $'both THETPA 20.\nATMOSPHERE 7 T' $'whole ATMOSPHERE 99 Y\nIACT ATMOFILE /none/site.dat' 'word THETPA 20. 20.' 'curved TIMLIM 1E6' 'air ATMOSPHERE 7 T' 'input INFILE none.stack'; do
  printf 'NSHOW 1\n%s\nEXIT\n' "${card#* }" > "${card%% *}.card"
done

# name of the mistake | what the line says | the words that a user types; TREE and OWN stand for options that are right
while IFS='|' read -r name says words; do
  words=${words/TREE/--corsika tree --profile good.toml --out out}
  words=${words/OWN/--corsika tree --card good.card --out out --options}
  expect "$name" "$says" "$overlay" $words
done <<'END'
a command that there is not|no command copmare; did you mean compare?|copmare TREE
an option that there is not|no option --profil; did you mean --profile?|build --corsika tree --profil good.toml
  that is like none|no option --nonsense; see .*build --help|build TREE --nonsense 3
  of a command that is like none|no command nonsense; see .*overlay --help|nonsense
no --corsika|--corsika is required; see .*build --help|build --profile good.toml
a path where nothing is|no such archive or folder: nowhere.tar.gz; give a CORSIKA 7 archive|build --corsika nowhere.tar.gz
  a path that cannot be followed|no such archive or folder: ring; give a CORSIKA 7 archive|build --corsika ring
  a folder of tables that cannot|no folder ring, given with --atmosphere-dir|build TREE --atmosphere-dir ring
  a card that cannot|no card ring; give an input card|build TREE --card ring
  a list of options that cannot|no file ring, given with --config|build --corsika tree --card good.card --config ring
  in a folder of files with seeds|none of 0 files says anything of seeds|production check-seeds other
a folder that is no tree of CORSIKA|other is no CORSIKA 7 tree: .*; give an archive as downloaded|build --corsika other --out out
an archive of something else|other.tar.gz is no CORSIKA 7 archive: .*; give|build --corsika other.tar.gz --out out
a profile that there is not|unknown profile 'veritas'; there are .*veritas-gamma.*, or give the path|build --corsika tree --profile veritas
an option that the release has not|has no option NOSUCH; correct the options of option|build --corsika tree --profile option.toml --out out
  one that is mistyped|has no option CENRENKOW; did you mean CERENKOV? If so, correct --options|production new p --runs 1 OWN CENRENKOW,IACT
a keyword that there is not|word.card: CORSIKA has no keyword THETPA; did you mean THETAP?|build TREE --card word.card
  and another mistake with it|did you mean THETAP?; also: missing table atmprof7.dat; put it|build TREE --card both.card
a keyword of an option that is not selected|TIMLIM is a keyword only of builds with CURVED; delete the line, or build with other|compare TREE --card curved.card
a zenith angle that cannot be|zenith angle 95 is out of range; give 0 to 70, or with CURVED to 88 degrees|install TREE --prefix p --zenith 95
  with CURVED|95 is out of range; give 0 to 88 degrees|build OWN QGSJET01,CERENKOV,CURVED --zenith 95
a primary that cannot be|primaries of 1 to 5655 (PRMPAR), and not 9944; 1 is a gamma|production new p TREE --runs 1 --primary 1,9944
a table that is missing|missing in .*tree: table run/qgsdat-II-04 (QGSJETII needs it).*; put it there, or take another profile|build --corsika tree --profile table.toml --out out
  of a model of the user's own options|QGSJETII needs it).*, or take another interaction model|install --prefix p OWN QGSJETII
an atmosphere that is missing|missing table atmprof7.dat; put it beside .*air.card, .*--atmosphere-dir, or take another with --atmosphere: 6, or|build TREE --card air.card
  with a whole path|missing table /none/site.dat; put it|build TREE --card whole.card
an input that is not beside the card|no file none.stack, which the card's INFILE names; put it beside|build TREE --card input.card
no card|no card nowhere.card; give an input card of CORSIKA with --card|build TREE --card nowhere.card
a placeholder that is not known|place.card: the placeholder @SHOWERS@ is not known; there are .*NSHOW|compare --corsika tree --profile place.toml --out out
a substitute where the program is to last|QGSJET01 stands in for QGSJETII: .*give --allow-substitutes|install --corsika tree --profile substitute.toml --out out --prefix p
  in a production|QGSJET01 stands in for QGSJETII: .*give --allow-substitutes|production new p --corsika tree --profile substitute.toml --out out --runs 1
a folder that cannot be written to|cannot write|build --corsika tree --profile good.toml --out /proc/overlay
a folder to install in that is below a file|cannot write in .*; give a folder that you may write to with --prefix|install TREE --prefix good.toml/p
  one that cannot be made|cannot write in .*/p .*with --prefix|install TREE --prefix /proc/p
a folder that is somebody else's|foreign holds thesis.tex, .*give another folder with --report|compare TREE --report foreign
a seed that cannot be|seed 0 is out of range; give 1 to|build TREE --seed 0
fewer than no processes|--jobs cannot be -1; give|build TREE --jobs -1
no showers|0 showers are out of range; give 1 to|compare TREE --showers 0
energies the wrong way round|cannot be 3000 to 300 GeV; give --erange MIN,MAX|compare TREE --erange 3000,300
a backend that there is not|--backend cannot be 'gpu'; give auto, reference, simd, cuda|compare TREE --backend gpu
no GPU in the build, and one asked for|--backend cuda and --cherenkov gpu need a build with CUDA: leave out|compare TREE --gpu off --cherenkov gpu
END
expect "no energies" "erange cannot be ''; give MIN,MAX" "$overlay" build --corsika tree --profile good.toml --erange ""
expect "no compiler" "missing tools: gfortran, .*; scripts/install-dependencies installs them" \
  env PATH=/nowhere "$overlay" build --corsika tree --profile good.toml --out out
note "$([ ! -e out/builds ] && [ ! -e p ]; echo $?)" "nothing was built"

[ $failures = 0 ]
