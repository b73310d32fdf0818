//===- Peer.cpp - The same layer on an optimized CPU library --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peer.h"
#include "avocet/base/StandardStreams.h"

#include <algorithm>

#if AVOCET_HAVE_XNNPACK

#include <xnnpack.h>

#include <cstdio>
#include <cstdlib>

namespace avocet::bench {
namespace {

void require(xnn_status status, const char *what) {
  if (status == xnn_status_success)
    return;
  printErr("XNNPACK: {} failed with status {}\n", what, static_cast<int>(status));
  std::exit(1);
}

class XnnpackLayer : public PeerLayer {
public:
  explicit XnnpackLayer(const ConvLayer &layer) {
    const ConvShape &s = layer.shape();
    bool depthwise = s.kind == firmware::ConvKind::Depthwise;
    uint32_t before = s.padBefore(),
             total = std::max<int64_t>(int64_t(s.outputSize() - 1) * s.stride + s.kernel - s.size, 0);
    // The library reads up to 16 bytes after the end of its inputs.
    input_.assign(layer.input(), layer.input() + size_t(s.size) * s.size * s.inputChannels);
    input_.resize(input_.size() + 16);
    output_.resize(size_t(s.outputSize()) * s.outputSize() * s.outputChannels);
    std::vector<float> scales(s.outputChannels, kWeightScale);
    std::vector<int32_t> biases(s.outputChannels, 0);
    require(xnn_create_convolution2d_nhwc_qc8(
                before, total - before, total - before, before, s.kernel, s.kernel, s.stride, s.stride, 1, 1,
                depthwise ? s.inputChannels : 1, depthwise ? 1 : s.inputChannels, depthwise ? 1 : s.outputChannels,
                s.inputChannels, s.outputChannels, -128, 1.0f, scales.data(), layer.plainWeights().data(),
                biases.data(), 0, 1.0f, -128, 127, depthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0, &operator_),
            "create");
    require(xnn_setup_convolution2d_nhwc_qc8(operator_, 1, s.size, s.size, input_.data(), output_.data(), nullptr),
            "setup");
  }
  ~XnnpackLayer() override { xnn_delete_operator(operator_); }

  void run() override { require(xnn_run_operator(operator_, nullptr), "run"); }
  const std::vector<int8_t> &output() const override { return output_; }

private:
  std::vector<int8_t> input_, output_;
  xnn_operator_t operator_ = nullptr;
};

} // namespace

std::unique_ptr<PeerLayer> makePeerLayer(const ConvLayer &layer) {
  require(xnn_initialize(nullptr), "initialize");
  return std::make_unique<XnnpackLayer>(layer);
}

} // namespace avocet::bench

#else

namespace avocet::bench {

std::unique_ptr<PeerLayer> makePeerLayer(const ConvLayer &) { return nullptr; }

} // namespace avocet::bench

#endif
