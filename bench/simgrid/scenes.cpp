// scenes.cpp - in SimGrid's S4U, what bench/simgrid.sh and tests/engines/test_simgrid.sh compare with
// convoy. Not a part of convoy.
//
//     scenes asgd WORKERS GRADIENTS BYTES BANDWIDTH LATENCY FACTOR [CV [CORE]]
//     scenes ring WORKERS ROUNDS BYTES BANDWIDTH LATENCY FACTOR [0 [CORE [RACK UPLINK]]]
//     scenes ring-fabric | asgd-fabric WORKERS COUNT BYTES BANDWIDTH LATENCY FACTOR [KEY=VALUE ...]
//
// prints simulated and real seconds. A gradient takes 1 s, worker 0's FACTOR times as long; CV > 0:
// times a gamma variate. Every host has a NIC of BANDWIDTH bytes a second each way; CORE > 0: all
// messages share a line of so many; RACK > 0: each rack of so many hosts has a line of UPLINK, each
// way, to the others. A fabric has the keys node (workers of a node), nics (of a node), node_bw,
// node_latency, rack, uplink, background (other traffic on each uplink, each way), and
// slow=RANK,RANK with slow_bw and slow_latency (of these workers' links). --cfg=KEY:VALUE are SimGrid's own settings.
#include "platform.hpp"

#include <chrono>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

struct Scene {
	std::string kind;
	int workers;
	long count;                     // gradients of all workers, or rounds of the ring
	double bytes, bandwidth, latency, factor, cv, core;
	int rack;
	double uplink;
	bool shares = false;            // what is sent is under way at once
	sg4::Link *line = nullptr;      // that all messages cross; none: nullptr
	std::vector<sg4::Host *> hosts; // the server last
};

sg4::Host *add_star_host(sg4::NetZone *zone, const std::string &name, const Scene &s)
{
	auto *host = platform::add_host(zone, name);
	auto *up = platform::add_link(zone, name + "-up", s.bandwidth, s.latency);
	auto *down = platform::add_link(zone, name + "-down", s.bandwidth, 0);

	platform::Way out{sg4::LinkInRoute(up)};

	if (s.line)
		out.emplace_back(s.line);
	platform::add_route(zone, host, nullptr, out);
	platform::add_route(zone, nullptr, host, {sg4::LinkInRoute(down)});
	return host;
}

// Hosts of racks, every pair with a route of its own: NICs, and the racks' lines between racks.
void add_racks(Scene &s)
{
	auto *zone = platform::add_full_zone("racks");
	std::vector<sg4::Link *> up, down, out, in;

	for (int i = 0; i <= s.workers; i++) {
		const std::string name = std::to_string(i);

		s.hosts.push_back(platform::add_host(zone, "host" + name));
		up.push_back(platform::add_link(zone, "up" + name, s.bandwidth, s.latency));
		down.push_back(platform::add_link(zone, "down" + name, s.bandwidth, 0));
		if (i % s.rack == 0) {
			out.push_back(platform::add_link(zone, "out" + name, s.uplink, 0));
			in.push_back(platform::add_link(zone, "in" + name, s.uplink, 0));
		}
	}
	for (int i = 0; i <= s.workers; i++)
		for (int k = 0; k <= s.workers; k++) {
			platform::Way way{sg4::LinkInRoute(up[i])};

			if (i / s.rack != k / s.rack) {
				way.emplace_back(out[i / s.rack]);
				way.emplace_back(in[k / s.rack]);
			}
			way.emplace_back(down[k]);
			if (i != k)
				platform::add_route(zone, s.hosts[i], s.hosts[k], way);
		}
	zone->seal();
}

void add_hosts(Scene &s)
{
	auto *zone = platform::add_star_zone("cluster");

	if (s.core > 0)
		s.line = platform::add_link(zone, "core", s.core, 0);
	for (int i = 0; i <= s.workers; i++)
		s.hosts.push_back(add_star_host(zone, "host" + std::to_string(i), s));
	zone->seal();
}

// ---- nodes of several workers, racks, slow workers, other traffic ----

struct Fabric {
	std::map<std::string, double> key{{"node", 1}, {"nics", 1}, {"node_bw", 1e18}, {"node_latency", 0},
					  {"rack", 0}, {"uplink", 1e18}, {"background", 0}, {"slow_bw", 0},
					  {"slow_latency", 0}};
	std::set<int> slow;
	sg4::NetZone *zone = nullptr;
	std::map<std::string, sg4::Link *> link;

	int operator[](const char *name) { return static_cast<int>(key[name]); }

	sg4::Link *get(const std::string &name, double bandwidth, double latency)
	{
		auto *&l = link[name];

		if (!l)
			l = platform::add_link(zone, name, bandwidth, latency);
		return l;
	}
};

void read_fabric(Fabric &f, const std::string &text)
{
	const auto at = text.find('=');
	const std::string name = text.substr(0, at), value = text.substr(at + 1);
	std::istringstream ranks(value);

	if (name != "slow") {
		f.key.at(name) = std::stod(value);
		return;
	}
	for (std::string rank; std::getline(ranks, rank, ',');)
		f.slow.insert(std::stoi(rank));
}

// A worker's NIC, the server's own; each end's latency is half that of a message.
std::string nic_of(Fabric &f, const Scene &s, int i)
{
	const int node = f["node"];

	if (i == s.workers)
		return "server";
	return std::to_string(i / node) + "." + std::to_string(i % node * f["nics"] / node);
}

platform::Way fabric_way(Fabric &f, const Scene &s, int i, int k)
{
	const int node = f["node"], rack = f["rack"];
	platform::Way way;

	if (node > 1 && i < s.workers && k < s.workers && i / node == k / node) {
		way.emplace_back(f.get("lane-out" + std::to_string(i), f.key["node_bw"],
				       f.key["node_latency"]));
		way.emplace_back(f.get("lane-in" + std::to_string(k), f.key["node_bw"], 0));
		return way;
	}
	for (int end : {i, k}) {
		const bool slow = f.slow.count(end);
		const std::string nic = (end == i ? "out" : "in") + nic_of(f, s, end);

		way.emplace_back(f.get(nic, slow ? f.key["slow_bw"] : s.bandwidth, 0));
		way.emplace_back(f.get("way" + std::to_string(end), 1e18,
				       0.5 * (slow ? f.key["slow_latency"] : s.latency)));
	}
	if (rack && i / rack != k / rack) {
		way.emplace_back(f.get("up" + std::to_string(i / rack), f.key["uplink"], 0));
		way.emplace_back(f.get("down" + std::to_string(k / rack), f.key["uplink"], 0));
	}
	return way;
}

void other_traffic(sg4::Host *to)
{
	sg4::Comm::sendto(sg4::this_actor::get_host(), to, 1e15);
}

// For ever, at most that rate. SimGrid shares by latency, so it has that of the other flows.
void add_background(Fabric &f, const std::string &line, double latency)
{
	auto *from = platform::add_host(f.zone, "from-" + line);
	auto *to = platform::add_host(f.zone, "to-" + line);

	platform::add_route(f.zone, from, to,
			    {sg4::LinkInRoute(f.get(line, f.key["uplink"], 0)),
			     sg4::LinkInRoute(f.get("way-" + line, f.key["background"], latency))});
	platform::add_actor("other", from, [to] { other_traffic(to); })->daemonize();
}

void add_fabric(Scene &s, Fabric &f)
{
	f.zone = platform::add_full_zone("fabric");
	for (int i = 0; i <= s.workers; i++)
		s.hosts.push_back(platform::add_host(f.zone, "host" + std::to_string(i)));
	for (int i = 0; i <= s.workers; i++)
		for (int k = 0; k <= s.workers; k++)
			if (i != k)
				platform::add_route(f.zone, s.hosts[i], s.hosts[k],
						    fabric_way(f, s, i, k));
	for (int r = 0; f.key["background"] > 0 && r * f["rack"] <= s.workers; r++)
		for (const char *way : {"up", "down"})
			add_background(f, way + std::to_string(r), s.latency);
	f.zone->seal();
}

sg4::Mailbox *box(int rank)
{
	return sg4::Mailbox::by_name(std::to_string(rank));
}

// The caller's. Where lines are shared, what is sent to it is under way at once, asked for or not.
sg4::Mailbox *own_box(const Scene &s, int rank)
{
	if (s.line || s.rack || s.shares)
		box(rank)->set_receiver(sg4::Actor::self());
	return box(rank);
}

// ---- asynchronous SGD: the server receives one message at a time ----

void asgd_worker(const Scene &s, int rank)
{
	std::mt19937_64 engine(rank + 1);
	std::gamma_distribution<double> draw(s.cv > 0 ? 1 / (s.cv * s.cv) : 1, s.cv * s.cv);
	auto *server = box(s.workers), *mine = own_box(s, rank);
	const double base = rank == 0 ? s.factor : 1.0;

	for (;;) {
		sg4::this_actor::sleep_for(s.cv > 0 ? base * draw(engine) : base);
		server->put(&rank, s.bytes);
		mine->get<void>();
	}
}

// The model that follows the last gradient is not awaited.
void asgd_server(const Scene &s)
{
	auto *mine = own_box(s, s.workers);
	std::vector<sg4::Mailbox *> boxes;
	static char model;

	for (int i = 0; i < s.workers; i++)
		boxes.push_back(box(i));
	for (long i = 0; i < s.count; i++)
		boxes[*mine->get<int>()]->put_init(&model, s.bytes)->detach();
}

// ---- ring all-reduce: 2 (n - 1) steps of 1/n each, after a gradient ----

void ring_worker(const Scene &s, int rank)
{
	auto *mine = own_box(s, rank), *next = box((rank + 1) % s.workers);
	static char part;

	for (long round = 0; round < s.count; round++) {
		sg4::this_actor::sleep_for(rank == 0 ? s.factor : 1.0);
		for (int step = 0; step < 2 * (s.workers - 1); step++) {
			auto sent = next->put_async(&part, s.bytes / s.workers);

			mine->get<void>();
			sent->wait();
		}
	}
}

void add_actors(const Scene &s)
{
	const bool asgd = s.kind.rfind("asgd", 0) == 0;

	for (int i = 0; i < s.workers; i++) {
		auto actor = platform::add_actor("worker", s.hosts[i], [&s, asgd, i] {
			asgd ? asgd_worker(s, i) : ring_worker(s, i);
		});

		if (asgd)
			actor->daemonize();
	}
	if (asgd)
		platform::add_actor("server", s.hosts.back(), [&s] { asgd_server(s); });
}

} // namespace

int main(int argc, char **argv)
{
	sg4::Engine e(&argc, argv);

	if (argc < 8)
		return 2;
	const bool fabric = std::string(argv[1]).find("-fabric") != std::string::npos;
	const int plain = fabric ? 8 : argc;
	Scene s{argv[1], std::stoi(argv[2]), std::stol(argv[3]), std::stod(argv[4]), std::stod(argv[5]),
		std::stod(argv[6]), std::stod(argv[7]), plain > 8 ? std::stod(argv[8]) : 0,
		plain > 9 ? std::stod(argv[9]) : 0, plain > 11 ? std::stoi(argv[10]) : 0,
		plain > 11 ? std::stod(argv[11]) : 0};
	Fabric f;

	for (int i = 8; fabric && i < argc; i++)
		read_fabric(f, argv[i]);
	s.shares = fabric;
	if (fabric)
		add_fabric(s, f);
	else if (s.rack)
		add_racks(s);
	else
		add_hosts(s);
	add_actors(s);
	const auto began = std::chrono::steady_clock::now();
	e.run();
	const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
	std::printf("%.12g %.6f\n", sg4::Engine::get_clock(), took.count());
	return 0;
}
