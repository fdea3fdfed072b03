# ranks.sh - the ranks of a run in the background, as processes. Sourced by tests and measurements;
# needs pgrep.

# mpirun_of PROCESS: it, or the launcher that it started, itself or through another.
mpirun_of() {
	local child
	case $(cat "/proc/$1/comm" 2>/dev/null) in
	mpirun* | mpiexec* | prterun*)
		echo "$1"
		return ;;
	esac
	for child in $(pgrep -P "$1"); do
		mpirun_of "$child" && return
	done
	return 1
}

# convoys_below PROCESS: those of convoy that it started, itself or through daemons of MPI.
convoys_below() {
	local child
	for child in $(pgrep -P "$1"); do
		if [ "$(cat "/proc/$child/comm" 2>/dev/null)" = convoy ]; then
			echo "$child"
		else
			convoys_below "$child"
		fi
	done
}

# number_of PROCESS: of a rank, as its launcher has told it.
number_of() {
	tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" |
		sed -nE 's/^(OMPI_COMM_WORLD_RANK|PMIX_RANK|PMI_RANK)=//p' | head -n 1
}

# ranks_of PROCESS: the ranks of the run that it started, in their order; none before they are there.
# Open MPI 6 starts them in any order.
ranks_of() {
	local mpirun rank
	mpirun=$(mpirun_of "$1") || return
	for rank in $(convoys_below "$mpirun"); do
		echo "$(number_of "$rank") $rank"
	done | sort -n | sed 's/.* //'
}

# rank_of PROCESS K: the K-th of them, from 0.
rank_of() {
	ranks_of "$1" | sed -n "$(($2 + 1))p"
}

# runs PROCESS: true unless it has ended, or ends within a second.
runs() {
	local k
	for k in $(seq 10); do
		grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null || return 1
		sleep 0.1
	done
}
