//===- HostOperator.h - Operators that an application computes --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_HOSTOPERATOR_H
#define AVOCET_SESSION_HOSTOPERATOR_H

#include "avocet/base/Status.h"
#include "avocet/cache/ModelCache.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace avocet::session {

/// A tensor of a call. Its memory is the session's or the caller's, and fixed before the call.
struct CallTensor {
  cache::OperandView view;
  std::span<uint8_t> bytes;
};

/// One call of an operator. All members are valid during the call only.
struct HostCall {
  std::string_view name;               ///< of the operator, as registered
  std::span<const uint8_t> attributes; ///< as the file has them (compiler/docs/Partition.md)
  std::span<const CallTensor> inputs;  ///< must not be written
  std::span<const CallTensor> outputs;
  std::shared_ptr<const void> owner; ///< of names and shapes, but not of bytes
};

/// Computes all outputs. An error ends the run with its code and message. On the thread that runs the network; several
/// sessions may call it at the same time.
using HostOperator = std::function<Status(const HostCall &call)>;

/// By the names of the operators: the custom code of a .tflite file, "domain::kind" of an ONNX file.
using HostOperators = std::map<std::string, HostOperator, std::less<>>;

} // namespace avocet::session

#endif // AVOCET_SESSION_HOSTOPERATOR_H
