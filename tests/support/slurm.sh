# slurm.sh - a SLURM cluster of two nodes on this machine, in a folder of its own. Sourced by tests.
#
# Sockets of munge and PMIx lie below the folder, so its path must be short: at most 60 characters.
# Configuration, ports and keys are its own; nothing outside the folder is read or written.

# slurm_start FOLDER: starts munged, slurmctld and two slurmd; 1 when they do not come up. Then SLURM_CONF
# is set, and srun, sbatch, scontrol and squeue talk to this cluster.
slurm_start() {
	local try
	export SLURM_CONF=$1/slurm.conf
	mkdir -p "$1"/munge "$1"/state "$1"/spool.one "$1"/spool.two "$1"/tmp.one "$1"/tmp.two
	chmod 711 "$1" "$1/munge"
	(umask 077 && head -c 1024 /dev/urandom >"$1/munge.key")
	# Later versions want cgroups for no more than to look at them.
	case $(slurmd -V) in
	*' 2'[0-2].* | *' 1'*) ;;
	*) echo CgroupPlugin=disabled >"$1/cgroup.conf" ;;
	esac
	for try in 1 2; do
		slurm_configure "$1" $((20000 + RANDOM % 12000)) >"$SLURM_CONF"
		slurm_daemons "$1" && slurm_await && return
		slurm_stop "$1"
	done
	return 1
}

# slurm_configure FOLDER PORT: slurm.conf; uses three ports from that one on.
slurm_configure() {
	local host user
	host=$(hostname -s)
	user=$(id -un)
	cat <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$2
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$1/munge/socket,cred_expire=5
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool.%n
TmpFS=$1/tmp.%n
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.%n.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0
KillWait=20
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($2 + 1)) CPUs=8 State=UNKNOWN
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($2 + 2)) CPUs=8 State=UNKNOWN
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
END
}

slurm_daemons() {
	munged --force --socket="$1/munge/socket" --key-file="$1/munge.key" \
		--pid-file="$1/munge/pid" --log-file="$1/munge/log" --seed-file="$1/munge/seed" \
		--num-threads=2 2>>"$1/log" &&
		slurmctld -f "$SLURM_CONF" 2>>"$1/log" &&
		slurmd -f "$SLURM_CONF" -N one 2>>"$1/log" &&
		slurmd -f "$SLURM_CONF" -N two 2>>"$1/log"
}

# Waits until both nodes are idle.
slurm_await() {
	local k
	for k in $(seq 50); do
		[ "$(sinfo -h -o %D%t 2>/dev/null)" = 2idle ] && return
		sleep 0.2
	done
	return 1
}

# slurm_processes FOLDER: the daemons, their steps and tasks, by the configuration that they were started
# with. This shell was started before it named one.
slurm_processes() {
	grep -lzsx "SLURM_CONF=$1/slurm.conf" /proc/[0-9]*/environ | cut -d/ -f3
}

# slurm_stop FOLDER: kills what slurm_start() started, and what that started.
slurm_stop() {
	local pid k
	for k in $(seq 50); do
		for pid in $(slurm_processes "$1"); do
			kill -KILL "$pid" 2>/dev/null && k=0
		done
		[ "$k" = 0 ] || return 0
		sleep 0.1
	done
}
