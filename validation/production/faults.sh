# The faults of a production on real daemons, one function each, and what they share. Sourced by `inside`; $engine is
# htcondor, slurm or both.
#
# $count and $once are parts of scripts for plant() (planted_program.sh); $mark is the folder PRODUCTION.marks. $count runs the program and,
# unless it was killed, adds a line to $mark/ran: so many runs were really made. $once begins an if: the first attempt at a run.
count='"$real"; status=$?; [ $status != 137 ] || kill -9 $$; echo $run >> $mark/ran; exit $status'
once='if mkdir $mark/$run 2> /dev/null; then'

die() { echo "why: $1"; exit 1; }
figures() { echo "figures: $1"; }
overlay() { local folder=$1; shift; as_physicist "$folder/bin/overlay" production "$@" "$folder"; }

# --- productions
begin() { fresh "$@"; submit; }
fresh() { # fresh NAME [SCRIPT] [ORIGIN]: a copy of a production, with a program planted
  production=/mnt/work/runs/$engine-$1
  rm -rf "$production" "$production.marks"
  cp -a "/mnt/work/${3-untouched}" "$production"
  [ -z "${2-}" ] || plant "$production" "$2"
  mkdir -p "$production.marks"
  chown -R physicist "$production" "$production.marks"
  local kind
  for kind in htcondor slurm; do
    overlay "$production" emit --for $kind --avoid slot --memory 100 --disk 10 --time 15 --retries "${retries-4}" || die "emit fails"
  done
}
of_htcondor() { [ "$engine" != slurm ]; }
of_slurm() { [ "$engine" != htcondor ]; }
submit() { # the engine's own way to begin
  ! of_htcondor || submit_dag "$production" "$@" || return 1
  ! of_slurm || (cd "$production" && as_physicist slurm/submit "$@")
}
wait_for_engine() { # wait_for_engine [SECONDS]: until its queue is empty
  { ! of_htcondor || wait_for_condor "${1-300}"; } && { ! of_slurm || ${wait_for_slurm-wait_for_slurm} "${1-300}"; } ||
    die "the engine does not come to an end"
}
clear_queues() {
  if of_htcondor; then wait_until 60 as_physicist condor_q || true; as_physicist condor_rm -all > /dev/null 2>&1 || true; wait_until 30 queue_is_empty || as_physicist condor_rm -all -forcex > /dev/null 2>&1 || true; fi
  if of_slurm; then as_physicist scancel --user=physicist 2> /dev/null || true; wait_until 40 slurm_is_empty || true; fi
}
published() { find "$production/results" -name '*.json' 2> /dev/null | wc -l; }
at_least() { [ "$("$1")" -ge "$2" ]; }
ran() { if [ -e "$production.marks/ran" ]; then wc -l < "$production.marks/ran"; else echo 0; fi; }
attempts() { # attempts [TEXT]: files of failed attempts, that hold a text
  { grep -rlF -- "${1-outcome}" "$production/attempts" --include='*.json' 2> /dev/null || true; } | grep -vc started.json || true
}
contents() { grep -hE '"(run|name|content_sha256)"' "$1"/results/000/*.json | tr -d ' \n' | sed 's/"run"/\n"run"/g'; echo; }

# All 24 runs are published, verify, and have the serial call's bytes; nothing else is in results/.
complete() {
  [ "$(published)" = 24 ] || { overlay "$production" status || true; die "$(published) of 24 runs are published${1:+; $1}"; }
  overlay "$production" verify || die "verify finds something wrong"
  contents "$production" | cmp - /mnt/work/truth.txt || die "the content differs from a serial run's"
  local stray
  stray=$(find "$production/results" -type f ! -name '*.json' ! -name '*.zst')
  [ -z "$stray" ] || die "something half-written is in results/: $stray"
  [ -z "$(find "$production/attempts" -mindepth 2 -type d -mmin +60)" ] || die "an attempt's folder was left"
}
# Waits for the engine and submits again, as a user does where it has given up; then all is to be there.
finish() { # finish [unchecked]
  wait_for_engine
  while [ "$(published)" != 24 ] && [ $resubmits -lt 3 ]; do
    resubmits=$((resubmits + 1))
    submit
    wait_for_engine
  done
  [ "${1-}" = unchecked ] || complete
}
resubmits=0
# Kills processes by name or command line, COUNT times, each time another one.
kill_some() { # kill_some COUNT PGREP-OPTIONS...
  local count=$1 process killed=0 end=$(($(date +%s) + 60)); shift
  while [ $killed -lt "$count" ] && [ "$(date +%s)" -lt $end ]; do
    process=$(pgrep "$@" | shuf -n 1) || { sleep 0.1; continue; }
    kill -9 "$process" 2> /dev/null && killed=$((killed + 1)) || true
    sleep 0.4
  done
  [ $killed = "$count" ] || die "only $killed of $count could be killed"
}

# --- kill -9
slow="sleep 1; $count"
kill_fault() { # kill_fault NAME COUNT PGREP-OPTIONS...
  local name=$1 count=$2; shift 2
  begin "$name" "$slow"
  wait_until 60 pgrep "$@" || die "there is no such process to kill"
  kill_some "$count" "$@"
  finish
  figures "$count killed, $(attempts) attempts failed, $(ran) runs were made for 24"
}
fault_kill_program() { kill_fault kill-program 6 -f "/mnt/work/runs/$engine-kill-program/bin/corsika"; }
fault_kill_worker() { kill_fault kill-worker 6 -f "production run /mnt/work/runs/$engine-kill-worker"; }
fault_kill_starter() { kill_fault kill-starter 4 -x condor_starter; }
fault_kill_slurmstepd() { wait_for_slurm=until_empty_with_operator kill_fault kill-slurmstepd 4 -x slurmstepd; }
fault_kill_schedd() {  # condor_master starts it again after ten seconds; the shadows' jobs go on meanwhile
  begin kill-schedd "sleep 2; $count"
  wait_until 60 at_least published 3 || die "nothing runs"
  kill_some 1 -x condor_schedd
  wait_until 60 as_physicist condor_q || die "the schedd does not come back"
  finish
  figures "the schedd killed and started again, $(attempts) attempts failed, $(ran) runs were made for 24"
}
fault_kill_slurmctld() {
  # Three runs end; the others wait, so that they are at work while the controller is away, as runs of hours are.
  fresh kill-slurmctld "go=; for i in 1 2 3; do if mkdir \$mark/ticket\$i 2> /dev/null; then go=yes; break; fi; done
touch \$mark/at-\$run
while [ -z \"\$go\" ] && [ ! -e \$mark/go ]; do sleep 0.2; done
$count"
  submit
  wait_until 120 at_least published 3 || die "nothing runs"
  wait_until 120 sh -c "[ \$(ls $production.marks | grep -c at-) -ge 7 ]" || die "no four runs are at work"
  sleep 7  # the controller saves its state at most five seconds after it changed
  local before; before=$(published)
  kill -9 $(pgrep -x slurmctld)
  touch "$production.marks/go"
  wait_until 60 at_least published 7 || die "runs end with their controller"
  slurmctld_up
  wait_until 60 squeue -h || die "slurmctld does not come back"
  local wait_for_slurm=until_empty_with_operator
  finish
  figures "slurmctld killed after $before runs and started again after four more, $(ran) runs were made for 24"
}

# --- programs that lie
fault_lies() {
  fresh lies "$once case \$((run % 3)) in
    0) sed 's/NSHOW 2/NSHOW 1/' card | \"\$real\"; exit 0 ;;
    1) \"\$real\"; chmod u+w telescope.dat; truncate -s -200 telescope.dat; exit 0 ;;
    2) (\"\$real\" | head -n 60; kill -SEGV \$BASHPID) 2> /dev/null; exit 0 ;;
  esac; fi; $count"
  submit
  finish
  [ "$(attempts 'the card asks for 2 showers')" -ge 8 ] || die "half the showers is not named"
  [ "$(attempts 'telescope.dat is not whole')" -ge 8 ] || die "the truncated file is not named"
  [ "$(attempts 'has no line END OF RUN')" -ge 1 ] || die "the masked crash is not named"
  figures "$(attempts incomplete) attempts rejected and named, $resubmits resubmissions"
}

# --- full disks
# Until so many attempts hold a text; HTCondor then gives up by itself, Slurm would go on requeueing.
until_given_up() { # until_given_up COUNT TEXT
  if [ "$engine" = htcondor ]; then wait_for_engine; return; fi
  wait_until 120 sh -c "[ \$(grep -rl $2 $production/attempts | wc -l) -ge $1 ]" || die "no $1 attempts say $2"
  clear_queues
}
fault_scratch() {
  mkdir -p /mnt/work/tiny
  mountpoint -q /mnt/work/tiny || mount -t tmpfs -o size=100k,mode=1777 tmpfs /mnt/work/tiny
  retries=1 fresh scratch "$count"
  echo /mnt/work/tiny > small-scratch
  submit
  until_given_up 24 disk-full
  [ "$(attempts disk-full)" -ge 24 ] || die "the attempts do not end with 74"
  [ "$(published)" = 0 ] || die "something was published"
  grep -rqE 'the disk is full|disk of [^"]* is full' "$production/attempts" || die "no attempt says that the disk is full"
  local full; full=$(attempts disk-full)
  rm small-scratch
  submit
  finish
  figures "$full attempts ended with 74; done once there was room"
}
fault_output() {
  local disk=/mnt/work/small-output
  mkdir -p $disk
  mountpoint -q $disk || mount -t tmpfs -o size=60m,mode=1777 tmpfs $disk
  rm -rf "${disk:?}"/*
  fresh output "$count"
  # The production itself lies on the small disk, where the engine finds it by the same path.
  cp -a "$production" $disk/production
  mount --bind $disk/production "$production"
  dd if=/dev/zero of=$disk/filler bs=4k 2> /dev/null || true
  truncate -s -600k $disk/filler
  submit || true
  wait_until 90 sh -c "grep -rlF disk-full $production/attempts 2> /dev/null | grep -q ." || true
  local before; before=$(published)
  rm $disk/filler
  # A full disk may cut DAGMan's own log in the middle of an event; it then starts again and again, and never gets beyond it.
  wait_until 60 eval "if of_htcondor; then queue_is_empty; else slurm_is_empty; fi" || clear_queues
  rm -f "$production"/htcondor/production.dag.nodes.log "$production"/htcondor/production.dag.lock
  local full; full=$(attempts disk-full)
  finish
  umount "$production" || true
  [ "$before" -lt 24 ] || die "the disk was never full"
  figures "$before runs published before the disk was full, $full attempts recorded with 74; done once there was room"
}

# --- a slot, or a node, of another class
# The slot that plays it may be kept by the claim of a schedd that an earlier fault killed.
odd_slot_is_free() { [ "$engine" != htcondor ] || [ "$(condor_status -constraint 'Name == "slot1@localhost"' -af State)" = Unclaimed ]; }
odd() { # odd NAME [ORIGIN]: a fresh production, and one slot or node with other variants of libm
  wait_until 150 odd_slot_is_free || die "slot1 is not free"
  fresh "$1" "$slow" ${2+"$2"}
  [ -n "${2-}" ] || overlay "$production" check --pilot-showers 1 || die "check fails"  # on a node like the others
  echo glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4 | tee odd-slot > odd-node
}
fault_odd_slot() {
  odd odd-slot
  submit
  finish
  local refused; refused=$(attempts other-bits)
  [ "$refused" -ge 1 ] || die "no attempt ended with 69"
  figures "$refused attempts ended with 69, those runs were done elsewhere; $resubmits resubmissions"
}
fault_odd_slot_unchecked() {
  odd odd-slot-unchecked untouched-any
  submit
  finish unchecked
  [ "$(published)" = 24 ] || die "$(published) of 24 runs are published"
  local status=0
  overlay "$production" audit --run "$(seq -s, 101 124)" > audit.txt 2>&1 || status=$?
  [ $status = 1 ] || die "the audit finds nothing"
  grep -qE 'run [0-9]+ \(stock\), made on [a-z0-9]+, is not what' audit.txt || die "the audit does not name run and host"
  figures "the audit names $(grep -c 'is not what' audit.txt) of 24 runs, and their hosts"
}

# --- what was changed after publication
fault_changed() {
  begin changed "$count"
  finish
  local before; before=$(ran)
  chmod u+w "$production"/results/000/*
  python3 -c 'import sys; p = sys.argv[1]; b = bytearray(open(p, "rb").read()); b[len(b) // 2] ^= 4; open(p, "wb").write(b)' \
    "$production/results/000/000107.telescope.dat.zst"
  cp "$production/results/000/000108.json" "$production/results/000/000109.json"
  overlay "$production" verify > verify.txt 2>&1 && die "verify finds nothing"
  grep -q 000107 verify.txt || grep -q 'run 107' verify.txt || die "verify does not name run 107"
  grep -q 'run 108' verify.txt || die "verify does not name the copied manifest"
  if [ "$engine" = htcondor ]; then submit -force; else submit; fi
  wait_for_engine
  complete
  [ $(($(ran) - before)) = 2 ] || die "$(($(ran) - before)) runs were made again instead of 2"
  figures "verify named both; exactly 2 runs were made again"
}

# --- twice
fault_twice() {
  begin twice "$slow"
  case $engine in
    htcondor)
      ! submit_dag "$production" > second.txt 2>&1 || die "a second condor_submit_dag was not refused"
      as_physicist cp "$production/htcondor/production.dag" "$production/htcondor/second.dag"
      (cd "$production/htcondor" && as_physicist condor_submit_dag second.dag) ;;
    slurm) submit ;;
  esac
  finish
  figures "$(ran) runs were made for 24, none lost, none twice in results/"
}
fault_both_engines() {  # with the local engine beside them
  begin both "$slow"
  as_physicist "$production/bin/overlay" production start "$production" --jobs 2 > start.txt 2>&1 || true
  wait_for_engine
  complete
  [ ! -e "$production/quarantine" ] || die "attempts disagree"
  figures "$(ran) runs were made for 24 by HTCondor, Slurm and the local engine at once; all agree"
}

# --- stopped, and submitted again
fault_stopped() {
  # There are twelve tickets; a run without one waits until all may go on.
  fresh stopped "ticket=; for i in \$(seq 12); do if mkdir \$mark/ticket\$i 2> /dev/null; then ticket=\$i; break; fi; done
while [ -z \"\$ticket\" ] && [ ! -e \$mark/go ]; do sleep 0.2; done
$count"
  submit
  wait_until 120 at_least published 12 || die "twelve runs are not done"
  clear_queues
  [ "$(published)" = 12 ] && [ "$(ran)" = 12 ] || die "$(published) runs are published and $(ran) were made instead of 12"
  touch "$production.marks/go"
  submit
  wait_for_engine
  complete
  [ "$(ran)" = 24 ] || die "$(ran) runs were made in sum instead of 24"
  if [ "$engine" = htcondor ]; then
    [ -n "$(ls "$production"/htcondor/*.rescue* 2> /dev/null)" ] || die "there was no rescue DAG"
    submit -force
    wait_for_engine
  else
    submit
  fi
  [ "$(ran)" = 24 ] || die "$(ran) runs were made after the last submission instead of 24"
  figures "12 published when it was stopped, 12 more made by the second submission, 0 by a third"
}

# --- what no attempt can mend
fault_bad_digest() {
  fresh bad "$count"
  echo '# changed' >> "$production/bin/corsika/run/corsika-standin"
  submit
  wait_for_engine
  [ "$(published)" = 0 ] && [ "$(ran)" = 0 ] || die "something ran"
  [ "$(attempts refused)" = 24 ] || die "$(attempts refused) attempts ended with 65 instead of 24"
  [ "$(attempts)" = 24 ] || die "there were $(attempts) attempts at 24 runs"
  figures "24 attempts at 24 runs, all ended with 65"
}

# --- held
fault_held() {
  fresh held "mkdir \$mark/r\$run 2> /dev/null; while [ ! -e \$mark/go ]; do sleep 0.2; done; $count"
  # As written it is ten minutes; here ten seconds.
  grep -q 'EnteredCurrentStatus > 600' "$production/htcondor/run.sub" || die "run.sub does not remove held jobs"
  sed -i 's/EnteredCurrentStatus > 600/EnteredCurrentStatus > 10/' "$production/htcondor/run.sub"
  submit
  local job
  wait_until 60 sh -c "ls -d $production.marks/r* 2> /dev/null | grep -q ." || die "nothing runs"
  job=$(as_physicist condor_q -nobatch -constraint 'JobStatus == 2 && JobUniverse == 5' -af ClusterId | head -1)
  as_physicist condor_hold "$job" || die "no job can be held"
  touch "$production.marks/go"
  wait_for_engine
  complete
  figures "one job held, removed after 10 s, its run made by a retry"
}
fault_held_array() {
  fresh held "$slow"
  (cd "$production" && as_physicist slurm/submit --hold) || true
  sleep 1
  [ "$(published)" = 0 ] || die "held tasks ran"
  # A second submission is not held back by the first, which then finds all done.
  submit
  wait_until 120 at_least published 24 || die "the held array stalls another one"
  as_physicist scontrol release "$(as_physicist squeue -h -o %A | sort -u | paste -sd,)" || true
  wait_for_engine
  complete
  figures "a held array kept nobody up; released, it found all runs done"
}

# --- a pipe whose command fails
fault_pipe() {
  production=/mnt/work/runs/$engine-pipe
  retries=1 fresh pipe '' piped
  submit
  until_given_up 1 pipe-command
  [ "$(published)" = 0 ] || die "a run was published although its command failed"
  local named; named=$(attempts 'failed with exit status')
  [ "$named" -ge 1 ] || die "the failure is not named"
  touch /mnt/work/pipe-may-go
  submit
  wait_for_engine
  [ "$(published)" = 2 ] || die "$(published) of 2 runs are published"
  rm -f /mnt/work/pipe-may-go
  figures "$named attempts named the command's status; done once it succeeded"
}

# --- a large production: is it taken at all?
fault_accepts_3000() {
  production=/mnt/work/large
  chown -R physicist "$production"
  local began; began=$(date +%s%N)
  for kind in htcondor slurm; do overlay "$production" emit --for $kind --memory 100 --disk 10 --time 15; done
  local emitted; emitted=$((($(date +%s%N) - began) / 1000000))
  case $engine in
    htcondor)
      submit
      wait_until 60 grep -q 'Dag contains 3001 total jobs' "$production/htcondor/production.dag.dagman.out" || die "DAGMan does not read the DAG"
      wait_until 60 sh -c "setpriv --reuid=physicist --regid=physicist --init-groups condor_q -allusers -constraint 'JobUniverse == 5' -af ClusterId | grep -q ." || die "no job is queued"
      figures "both emitted in $emitted ms; DAGMan reads 3001 nodes and submits" ;;
    slurm)
      submit > submitted.txt || die "the arrays are refused"
      [ "$(grep -c '^array' submitted.txt)" = 3 ] && grep -q '^collector' submitted.txt || die "there are not three arrays and a collector"
      figures "both emitted in $emitted ms; three arrays and a collector are taken" ;;
  esac
}
