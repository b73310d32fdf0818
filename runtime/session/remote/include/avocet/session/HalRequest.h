//===- HalRequest.h - Inputs and outputs of one network ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_HALREQUEST_H
#define AVOCET_SESSION_HALREQUEST_H

#include "avocet/base/File.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/hal/driver/CarriedNetwork.h"
#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Types.h"

#include <optional>
#include <span>

namespace avocet::session {

/// A request of the HAL with the inputs and outputs of a network that are no states, in one shared memory, which is
/// pool 0. One thread at a time.
class HalRequest {
public:
  static Result<HalRequest> make(const cache::ModelCache &model);

  const hal::Request &request() const { return request_; }
  std::span<uint8_t> input(size_t index) { return bytesOf(request_.inputs[index]); }
  std::span<const uint8_t> output(size_t index) const { return bytesOf(request_.outputs[index]); }

private:
  std::span<uint8_t> bytesOf(const hal::RequestArgument &argument) const;

  hal::Request request_;
  mutable Mapping pool_;
};

/// 0 for a time that is not known.
double milliseconds(const hal::OptionalDuration &time);

/// A file that devices of the HAL compile themselves. The bytes are borrowed.
struct NetworkFile {
  hal::CarriedFormat format;
  std::span<const uint8_t> bytes;
};

/// Nothing: the HAL carries no file of this format. ONNX files cannot be told by their bytes.
std::optional<NetworkFile> servedNetwork(std::span<const uint8_t> file, bool isOnnx);

/// The network as a model of the HAL, with the inputs and outputs of `compiled`.
hal::Model carriedModel(const NetworkFile &network, const cache::ModelCache &compiled);

} // namespace avocet::session

#endif // AVOCET_SESSION_HALREQUEST_H
