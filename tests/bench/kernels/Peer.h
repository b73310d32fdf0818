//===- Peer.h - The same layer on an optimized CPU library ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_KERNELS_PEER_H
#define AVOCET_TESTS_BENCH_KERNELS_PEER_H

#include "ConvLayer.h"

#include <memory>

namespace avocet::bench {

/// One layer on XNNPACK, one thread, weights packed beforehand. Its rounding differs from ours: outputs may differ by
/// one.
class PeerLayer {
public:
  virtual ~PeerLayer() = default;
  virtual void run() = 0;
  virtual const std::vector<int8_t> &output() const = 0;
};

/// Null if this build has no peer.
std::unique_ptr<PeerLayer> makePeerLayer(const ConvLayer &layer);

} // namespace avocet::bench

#endif // AVOCET_TESTS_BENCH_KERNELS_PEER_H
