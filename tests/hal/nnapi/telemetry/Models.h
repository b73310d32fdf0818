//===- Models.h - Small models through the C library ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_NNAPI_TELEMETRY_MODELS_H
#define AVOCET_TESTS_HAL_NNAPI_TELEMETRY_MODELS_H

#include "avocet/NeuralNetworks.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace avocet::nnapi::test {

/// Frees a handle of the C library.
struct Free {
  void operator()(ANeuralNetworksModel *model) const { ANeuralNetworksModel_free(model); }
  void operator()(ANeuralNetworksCompilation *compilation) const { ANeuralNetworksCompilation_free(compilation); }
  void operator()(ANeuralNetworksExecution *execution) const { ANeuralNetworksExecution_free(execution); }
  void operator()(ANeuralNetworksBurst *burst) const { ANeuralNetworksBurst_free(burst); }
  void operator()(ANeuralNetworksEvent *event) const { ANeuralNetworksEvent_free(event); }
};
template <typename Handle> using Owned = std::unique_ptr<Handle, Free>;

/// A folder for the tests of a process, removed at its end. Selects the embedded device, with its records there.
const std::string &useEmbeddedDevice();

/// The device of this number; the last one is the CPU.
ANeuralNetworksDevice *deviceAt(uint32_t index);
ANeuralNetworksDevice *cpuDevice();

/// y = x * factor, for x of these extents. Finished.
Owned<ANeuralNetworksModel> multiplication(const std::vector<uint32_t> &extents, float factor,
                                           int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32);
/// y = condition ? x * 2 : x * 3, for an x of 4 elements.
Owned<ANeuralNetworksModel> branching();

/// Not finished; null: it was refused.
Owned<ANeuralNetworksCompilation> compilationFor(const Owned<ANeuralNetworksModel> &model,
                                                 ANeuralNetworksDevice *device);
Owned<ANeuralNetworksCompilation> compiled(const Owned<ANeuralNetworksModel> &model, ANeuralNetworksDevice *device);

/// Four numbers and the place of four products.
struct Numbers {
  std::array<float, 4> x = {1, 2, 3, 4};
  std::array<float, 4> y = {};
};
/// An execution of a multiplication on these numbers, which must outlive it.
Owned<ANeuralNetworksExecution> executionOf(const Owned<ANeuralNetworksCompilation> &compilation, Numbers &numbers);

} // namespace avocet::nnapi::test

#endif // AVOCET_TESTS_HAL_NNAPI_TELEMETRY_MODELS_H
