//===- Api.h - Functions of the loaded library ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_LIB_API_H
#define AVOCET_HAL_CAPI_LIB_API_H

#include "avocet/NeuralNetworksSupportLibrary.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <memory>
#include <string>
#include <string_view>

namespace avocet::hal::capi {

/// The table of the library, and the function that the table lacks.
struct Api {
  static Result<std::shared_ptr<const Api>> load(const std::string &library);

  const NnApiSLDriverImplFL7 *table = nullptr;
  decltype(&ANeuralNetworksExecution_startCompute) startCompute = nullptr;
};

using SharedApi = std::shared_ptr<const Api>;

/// Frees an object through the table.
template <typename T> using Owned = std::unique_ptr<T, void (*)(T *)>;
using OwnedModel = Owned<ANeuralNetworksModel>;
using OwnedCompilation = Owned<ANeuralNetworksCompilation>;
using OwnedMemory = Owned<ANeuralNetworksMemory>;
using OwnedExecution = Owned<ANeuralNetworksExecution>;
using OwnedEvent = Owned<ANeuralNetworksEvent>;

ErrorStatus statusOf(int code);

/// Success for NO_ERROR, else the error that `call` answered with this code.
Outcome check(int code, std::string_view call);

/// Calls a create function, which fills the pointer to the new object.
template <typename T, typename Create>
Result<Owned<T>> createObject(void (*free)(T *), std::string_view call, Create create) {
  T *made = nullptr;
  AVOCET_RETURN_IF_ERROR(check(create(&made), call));
  return Owned<T>(made, free);
}

/// `protection`: of an Ashmem, which has none of its own. InvalidArgument: a handle of a kind that the C interface
/// lacks.
Result<OwnedMemory> makeMemory(const Api &api, const Memory &memory, int protection);

/// Nanoseconds until `deadline`; MissedDeadlinePersistent if it has passed. 0, "no limit", without one.
Result<uint64_t> timeUntil(const OptionalTimePoint &deadline);

} // namespace avocet::hal::capi

#endif // AVOCET_HAL_CAPI_LIB_API_H
