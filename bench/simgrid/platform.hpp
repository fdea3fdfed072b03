// platform.hpp - the functions that SimGrid 3, 4.0 and 4.1 name differently: zones, hosts, links,
// routes and actors. Tested with 3.32, 4.0 and 4.1.
#ifndef BENCH_SIMGRID_PLATFORM_HPP
#define BENCH_SIMGRID_PLATFORM_HPP

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <functional>
#include <string>
#include <vector>

namespace platform {

namespace sg4 = simgrid::s4u;

using Way = std::vector<sg4::LinkInRoute>;

#if SIMGRID_VERSION < 40000
inline sg4::NetZone *add_full_zone(const std::string &name)
{
	return sg4::create_full_zone(name);
}

inline sg4::NetZone *add_star_zone(const std::string &name)
{
	return sg4::create_star_zone(name);
}

inline sg4::Host *add_host(sg4::NetZone *zone, const std::string &name)
{
	return zone->create_host(name, 1.0)->seal();
}

inline sg4::Link *add_link(sg4::NetZone *zone, const std::string &name, double bandwidth,
			   double latency)
{
	return zone->create_link(name, bandwidth)->set_latency(latency)->seal();
}

// From one host to another; nullptr: any host of a star.
inline void add_route(sg4::NetZone *zone, const sg4::Host *from, const sg4::Host *to,
		      const Way &way)
{
	zone->add_route(from ? from->get_netpoint() : nullptr, to ? to->get_netpoint() : nullptr,
			nullptr, nullptr, way, false);
}
#else
inline sg4::NetZone *add_full_zone(const std::string &name)
{
	return sg4::Engine::get_instance()->get_netzone_root()->add_netzone_full(name);
}

inline sg4::NetZone *add_star_zone(const std::string &name)
{
	return sg4::Engine::get_instance()->get_netzone_root()->add_netzone_star(name);
}

inline sg4::Host *add_host(sg4::NetZone *zone, const std::string &name)
{
	return zone->add_host(name, 1.0)->seal();
}

inline sg4::Link *add_link(sg4::NetZone *zone, const std::string &name, double bandwidth,
			   double latency)
{
	return zone->add_link(name, bandwidth)->set_latency(latency)->seal();
}

inline void add_route(sg4::NetZone *zone, const sg4::Host *from, const sg4::Host *to,
		      const Way &way)
{
	zone->add_route(from, to, way, false);
}
#endif

inline sg4::ActorPtr add_actor(const std::string &name, sg4::Host *host,
			       const std::function<void()> &code)
{
#if SIMGRID_VERSION < 40000
	return sg4::Actor::create(name, host, code);
#elif SIMGRID_VERSION < 40100
	return sg4::Engine::add_actor(name, host, code);
#else
	return host->add_actor(name, code);
#endif
}

} // namespace platform

#endif
