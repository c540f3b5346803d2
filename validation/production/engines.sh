# HTCondor and Slurm on one machine, for tests: sourced by `inside`, which runs as root in the folder of
# `engines-folder`, with a network and processes of its own. Writes below /run, /var and /etc of that folder, which
# `run` keeps in memory, and in /mnt/work.

as_physicist() { setpriv --reuid=physicist --regid=physicist --init-groups env HOME=/home/physicist PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@"; }
wait_until() { # wait_until SECONDS COMMAND...: until the command succeeds
  local end=$(($(date +%s) + $1)); shift
  until "$@" > /dev/null 2>&1; do [ "$(date +%s)" -lt $end ] || return 1; sleep 0.3; done
}

# --- HTCondor: a personal pool with four slots. A slot whose claim is of a schedd that was killed is free again after six times
# ALIVE_INTERVAL, which is half an hour by default. Jobs of slot1 get the variants of libm in /mnt/work/odd-slot, where it is there.
condor_up() { # condor_up [LINE...]: more lines of configuration
  mkdir -p /run/lock/condor /run/condor /var/log/condor /var/spool/condor /var/lib/condor/{execute,spool}
  chown condor:condor /run/lock/condor /run/condor /var/log/condor /var/spool/condor /var/lib/condor/{execute,spool}
  cat > /etc/condor/config.d/99-test.conf <<'TEXT'
use ROLE: Personal
CONDOR_HOST = 127.0.0.1
NETWORK_INTERFACE = 127.0.0.1
ENABLE_IPV6 = False
use POLICY: ALWAYS_RUN_JOBS
BASE_CGROUP =
CGROUP_MEMORY_LIMIT_POLICY = none
MOUNT_UNDER_SCRATCH =
MOUNT_PRIVATE_DEV_SHM = False
NUM_CPUS = 4
NUM_SLOTS = 4
NUM_SLOTS_TYPE_1 = 4
SLOT_TYPE_1 = cpus=1
SLOT_TYPE_1_PARTITIONABLE = False
MEMORY = 8192
NEGOTIATOR_INTERVAL = 2
NEGOTIATOR_CYCLE_DELAY = 1
NEGOTIATOR_MIN_INTERVAL = 1
SCHEDD_INTERVAL = 5
SCHEDD_MIN_INTERVAL = 1
PERIODIC_EXPR_INTERVAL = 5
SYSTEM_PERIODIC_REMOVE_INTERVAL = 5
DAGMAN_USER_LOG_SCAN_INTERVAL = 1
DAGMAN_SUBMIT_DELAY = 0
UPDATE_INTERVAL = 5
ALIVE_INTERVAL = 10
USER_JOB_WRAPPER = /mnt/work/job-wrapper
TEXT
  printf '%s\n' "$@" >> /etc/condor/config.d/99-test.conf
  cat > /mnt/work/job-wrapper <<'TEXT'
#!/bin/bash
# Plays a node of another class on one slot, and a small scratch disk on all.
if [ -e /mnt/work/odd-slot ] && [[ $_CONDOR_SLOT = slot1* ]]; then export GLIBC_TUNABLES=$(cat /mnt/work/odd-slot); fi
if [ -e /mnt/work/small-scratch ]; then export _CONDOR_SCRATCH_DIR=$(cat /mnt/work/small-scratch); fi
exec "$@"
TEXT
  chmod 755 /mnt/work/job-wrapper
  condor_master -f > /mnt/work/condor_master.log 2>&1 &
  master=$!
  wait_until 60 sh -c 'condor_status -af Name | grep -q slot4' || { tail -5 /var/log/condor/*Log >&2; return 1; }
  wait_until 30 as_physicist condor_q
}
condor_down() {
  kill -QUIT $master 2> /dev/null || true
  wait_until 30 sh -c "! kill -0 $master" || kill -9 $master
  wait $master 2> /dev/null || true
}
submit_dag() { # submit_dag PRODUCTION [OPTIONS...]
  local production=$1; shift
  (cd "$production/htcondor" && as_physicist condor_submit_dag "$@" production.dag)
}
# A schedd that does not answer has a queue that is not known.
queue_is_empty() { local jobs; jobs=$(as_physicist condor_q -allusers -af ClusterId) && [ -z "$jobs" ]; }
wait_for_condor() { # wait_for_condor SECONDS
  wait_until "$1" queue_is_empty || { as_physicist condor_q -nobatch >&2 || true; return 1; }
}

# --- Slurm: two nodes of two processors. Jobs of node1 get the variants of libm in /mnt/work/odd-node, where it is there.
slurm_up() {
  mkdir -p /run/munge /var/log/munge /var/lib/munge /etc/slurm /var/spool/slurm{ctld,d-node1,d-node2} /var/log/slurm
  chown munge:munge /run/munge /var/log/munge /var/lib/munge /etc/munge/munge.key
  chmod 755 /run/munge
  cat > /etc/slurm/slurm.conf <<TEXT
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
ReturnToService=2
AccountingStorageType=accounting_storage/none
MpiDefault=none
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd-%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd-%n.pid
SlurmctldLogFile=/var/log/slurm/slurmctld.log
SlurmdLogFile=/var/log/slurm/slurmd-%n.log
TaskProlog=/mnt/work/task-prolog
PropagateResourceLimits=NONE
SchedulerParameters=bf_interval=2,sched_min_interval=500000,batch_sched_delay=0
KillWait=2
BatchStartTimeout=5
MessageTimeout=10
SlurmdTimeout=20
NodeName=node1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=7001 CPUs=2 RealMemory=4096 TmpDisk=8000
NodeName=node2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=7002 CPUs=2 RealMemory=4096 TmpDisk=8000
PartitionName=main Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
TEXT
  printf 'CgroupPlugin=disabled\n' > /etc/slurm/cgroup.conf
  cat > /mnt/work/task-prolog <<'TEXT'
#!/bin/bash
if [ -e /mnt/work/odd-node ] && [ "$SLURMD_NODENAME" = node1 ]; then echo "export GLIBC_TUNABLES=$(cat /mnt/work/odd-node)"; fi
if [ -e /mnt/work/small-scratch ]; then echo "export SLURM_TMPDIR=$(cat /mnt/work/small-scratch)"; fi
TEXT
  chmod 755 /mnt/work/task-prolog
  setpriv --reuid=munge --regid=munge --init-groups munged --foreground > /mnt/work/munged.log 2>&1 &
  wait_until 20 munge -n || return 1
  slurmctld_up
  slurmd -D -N node1 > /mnt/work/slurmd1.log 2>&1 &
  slurmd -D -N node2 > /mnt/work/slurmd2.log 2>&1 &
  wait_until 60 sh -c '[ "$(sinfo -h -N -t idle -o %N | wc -l)" = 2 ]' || { sinfo -N >&2; tail -5 /mnt/work/slurm*.log >&2; return 1; }
}
slurmctld_up() {
  slurmctld -D >> /mnt/work/slurmctld.log 2>&1 &
  slurmctld=$!
}
# What an operator does after a daemon of Slurm was killed. A slurmstepd that was killed tells nobody, and a controller that
# was killed has saved its state up to five seconds before: tasks that have ended look running, and hold their processors,
# until their node registers again. That is at every twentieth ping, a ping each third of SlurmdTimeout: 133 s here, 33
# min with Slurm's default. A node that reads its configuration again registers. The controller must not read it again: to it
# all tasks then are as if just seen. It also may give numbers of jobs twice, and drains the node that sees one again.
until_empty_with_operator() { # until_empty_with_operator SECONDS
  local end=$(($(date +%s) + $1))
  until wait_until 25 slurm_is_empty; do  # longer than BatchStartTimeout and MessageTimeout: younger tasks are not asked for
    [ "$(date +%s)" -lt $end ] || { squeue >&2; sinfo -N -o '%N %T %E' >&2; return 1; }
    scontrol update nodename=node1,node2 state=resume 2> /dev/null || true
    pkill -HUP -x slurmd || true  # there are no others: processes of this test see none but its own
  done
}
slurm_is_empty() { [ -z "$(squeue -h)" ]; }
wait_for_slurm() { wait_until "$1" slurm_is_empty || { squeue >&2; return 1; }; }
