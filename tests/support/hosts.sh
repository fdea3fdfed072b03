# hosts.sh - several hosts on one machine: network namespaces, joined by a switch, their NICs as
# slow as one likes. Sourced by tests and measurements; needs root, iproute2 and namespaces.
#
#     hosts_open 3 100mbit            # hosts h1 h2 h3, each with its own name and address
#     hosts_rate 20mbit               # from now on
#     on_host 1 convoy train --hostfile "$hosts_dir/hostfile" --mpirun "$hosts_mpirun" ...
#     hosts_close                     # also when the shell ends
#
# mpirun runs on a host and starts the others' ranks by an agent instead of ssh.

# hosts_possible: true where namespaces, links between them and rates may be made.
hosts_possible() {
	local probe=convoy-probe-$$ good=1
	command -v ip >/dev/null && command -v tc >/dev/null && command -v unshare >/dev/null ||
		return 1
	ip netns add "$probe" 2>/dev/null || return 1
	ip -n "$probe" link add hub type bridge 2>/dev/null &&
		ip -n "$probe" link add left type veth peer name right 2>/dev/null &&
		tc -n "$probe" qdisc add dev left root tbf rate 1mbit burst 64kb latency 50ms \
			2>/dev/null && ip netns exec "$probe" unshare -u true && good=0
	ip netns del "$probe"
	return $good
}

# hosts_need [CODE]: ends the script with CODE (0) where they may not be made.
hosts_need() {
	hosts_possible || {
		echo "skipped: no network namespaces here (they take root and Debian's iproute2)"
		exit "${1:-0}"
	}
}

# The namespace of host K; "hub" is the switch.
hosts_netns() {
	echo "convoy-$$-$1"
}

hosts_address() {
	echo "10.213.$hosts_subnet.$1"
}

# hosts_link K RATE: a cable between host K and the switch.
hosts_link() {
	local k=$1 hub host
	hub=$(hosts_netns hub) host=$(hosts_netns "$1")
	ip netns add "$host"
	ip -n "$hub" link add "port$k" type veth peer name eth0 netns "$host"
	ip -n "$hub" link set "port$k" master switch up
	ip -n "$host" addr add "$(hosts_address "$k")/24" dev eth0
	ip -n "$host" link set lo up
	ip -n "$host" link set eth0 up
}

# Both directions of every NIC.
hosts_rate() {
	local k
	for k in $(seq "$hosts_n"); do
		tc -n "$(hosts_netns "$k")" qdisc replace dev eth0 root tbf rate "$1" \
			burst 128kb latency 100ms
		tc -n "$(hosts_netns hub)" qdisc replace dev "port$k" root tbf rate "$1" \
			burst 128kb latency 100ms
	done
}

# What mpirun calls instead of ssh: AGENT HOST COMMAND...
hosts_agent() {
	cat <<-END
	#!/bin/sh
	host=\$1
	shift
	exec ip netns exec "convoy-$$-\${host#h}" unshare -u sh -c "
		hostname \$host
		mount --bind '$hosts_dir/names' /etc/hosts
		\$*"
	END
}

hosts_files() {
	local k
	echo "127.0.0.1 localhost" >"$hosts_dir/names"
	for k in $(seq "$hosts_n"); do
		echo "$(hosts_address "$k") h$k" >>"$hosts_dir/names"
		echo "h$k slots=1"
	done >"$hosts_dir/hostfile"
	hosts_agent >"$hosts_dir/agent"
	chmod +x "$hosts_dir/agent"
}

# hosts_options SUBNET: for the launcher of the MPI library: the agent, and the NICs of the hosts.
hosts_options() {
	if "${CONVOY:-convoy}" version | grep -q '^MPI  *Open MPI'; then
		echo "--mca plm_rsh_agent $hosts_dir/agent --mca pml ob1 --mca btl tcp,self" \
			"--mca btl_tcp_if_include $1 --mca oob_tcp_if_include $1"
	else
		echo "-launcher rsh -launcher-exec $hosts_dir/agent -iface eth0"
	fi
}

# hosts_open N RATE
hosts_open() {
	local k subnet
	hosts_n=$1 hosts_subnet=$(($$ % 250 + 1))
	hosts_dir=$(mktemp -d)
	subnet=$(hosts_address 0)/24
	hosts_mpirun=$(hosts_options "$subnet")
	[ -n "$(trap -p EXIT)" ] || trap hosts_close EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	ip netns add "$(hosts_netns hub)"
	ip -n "$(hosts_netns hub)" link add switch type bridge
	ip -n "$(hosts_netns hub)" link set switch up
	for k in $(seq "$hosts_n"); do
		hosts_link "$k"
	done
	hosts_files
	hosts_rate "$2"
}

# on_host K COMMAND...
on_host() {
	local k=$1 words
	shift
	printf -v words '%q ' "$@"
	"$hosts_dir/agent" "h$k" "exec $words"
}

hosts_close() {
	local k
	for k in $(seq "$hosts_n") hub; do
		ip netns pids "$(hosts_netns "$k")" 2>/dev/null | xargs -r kill -9
		ip netns del "$(hosts_netns "$k")" 2>/dev/null
	done
	rm -rf "$hosts_dir"
}
