// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast devices talk to each other, as data.

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <vector>

namespace shardwise::planner {

/// A link: a message of b bytes takes `latencySeconds + b / bytesPerSecond`.
struct Link {
  double latencySeconds = 0;
  double bytesPerSecond = 1e10;

  double secondsPerByte() const { return 1 / bytesPerSecond; }
  bool operator==(const Link &) const = default;
};

/// Links by mesh axis, or hosts of so many devices.
///
/// The default has one link speed and no latency: modelled time is then the bytes of the slowest
/// device over 10 GB/s, and least time is least volume.
struct Topology {
  /// By axis of the source mesh; empty: `link` everywhere.
  std::vector<Link> axisLinks;
  Link link;
  /// Devices with ids in [h*n, (h+1)*n) form host h; 0: no hosts.
  int64_t devicesPerHost = 0;
  /// Between hosts.
  Link hostLink;

  /// One speed and no latency.
  bool isPlain() const;
  bool operator==(const Topology &) const = default;
};

/// Checks that links have positive bandwidth, latency is not negative, and axis links, if any, are
/// as many as the mesh has axes.
Result<void> check(const Topology &topology, const core::Mesh &mesh);

/// Returns the link along `axis`: the host link if positions along it lie on different hosts.
Link linkAlong(const Topology &topology, const core::Mesh &mesh, const core::Axis &axis);

/// Returns `axis`, or its two parts if some positions along it share a host and others do not: the
/// part between hosts, and the part within one. Example: an axis of 64 devices, 8 on a host, is 8
/// hosts by 8.
core::AxisList splitAtHosts(const Topology &topology, const core::Mesh &mesh,
                            const core::Axis &axis);

} // namespace shardwise::planner
