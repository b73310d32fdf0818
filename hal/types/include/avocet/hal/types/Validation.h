//===- Validation.h - Rules of models, requests and options -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All input of a client is validated here first. Each function returns the lowest version whose devices accept the
// value, or InvalidArgument with a message that names the broken rule, the place (subgraph, operand, operation,
// argument) and the value. For any input, no function crashes, recurses without bound, or takes more than linear
// (sorting: n log n) time. Constant data is not read: the compiler refuses an axis out of range. Descriptors are not
// opened: mapping detects a pool that is shorter than stated.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_VALIDATION_H
#define AVOCET_HAL_TYPES_VALIDATION_H

#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"
#include "avocet/hal/types/Utils.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace avocet::hal {

/// The whole model, subgraphs included. Relaxed float is a permission that a device may ignore, so it requires no
/// version.
Result<Version> validate(const Model &model);

/// filePlaceOf() of each pool of a request; empty for driver buffers.
using PoolPlaces = std::vector<std::optional<FilePlace>>;
PoolPlaces placesOf(const Request &request);

/// The request by itself: pools and locations, outputs that overlap nothing else. Callers that have `places` already
/// pass them, since finding them needs system calls.
Result<Version> validate(const Request &request);
Result<Version> validate(const Request &request, const PoolPlaces &places);

/// The request for a model that is valid: also counts, shapes and lengths. Dimensions of arguments may only set extents
/// that the model leaves unknown. Without `allowUnspecifiedOutput` (fenced executions) the outputs must be fully
/// specified.
Result<Version> validateRequestForModel(const Request &request, const Model &model, bool allowUnspecifiedOutput = true);
Result<Version> validateRequestForModel(const Request &request, const Model &model, bool allowUnspecifiedOutput,
                                        const PoolPlaces &places);

/// A memory as a pool of a model or a request. With `mustBeMappable`, hardware buffers must be blobs.
Result<Version> validate(const SharedMemory &memory, bool mustBeMappable);

Result<Version> validate(OperandType type);
Result<Version> validate(Priority priority);
Result<Version> validate(ExecutionPreference preference);
Result<Version> validate(DeviceType type);
Result<Version> validate(DeviceStatus status);
Result<Version> validate(MeasureTiming measure);
Result<Version> validate(ErrorStatus status);

/// Not negative.
Result<Version> validate(const OptionalTimePoint &deadline);
Result<Version> validate(const OptionalDuration &duration);
/// Not negative, at most kMaximumLoopTimeout: the HAL refuses longer ones. (The C API above it shortens them instead.)
Result<Version> validateLoopTimeout(const OptionalDuration &timeout);

/// Any bytes; all zero is "no token".
Result<Version> validate(const CacheToken &token);

/// Not negative; on the device no longer than in the driver.
Result<Version> validate(const Timing &timing);

/// Positive figures; a sorted table without duplicates, without SUBGRAPH and without unknown types.
Result<Version> validate(const Capabilities &capabilities);

/// Valid and unique names, unique operand types with sizes.
Result<Version> validate(const std::vector<Extension> &extensions);

/// Valid and unique names; unique prefixes, none 0.
Result<Version> validate(const std::vector<ExtensionNameAndPrefix> &names);

/// Each token once.
Result<Version> validate(const std::vector<TokenValuePair> &hints);

/// The same with the prefixes of the tokens: a valid list, as in models, that has the prefix of each token.
Result<Version> validate(const std::vector<TokenValuePair> &hints, const std::vector<ExtensionNameAndPrefix> &names);

/// Identifiers of a burst's memories: one for each pool, each at least -1 (keep nothing).
Outcome validateMemoryIdentifiers(const Request &request, std::span<const int64_t> identifiers);
Outcome validateMemoryIdentifier(int64_t identifier);

/// At most kMaxNumberOfCacheFiles of each.
Result<Version> validate(const NumberOfCacheFiles &files);

/// Open descriptors for reading and writing, exactly as many as needed.
Outcome validateCacheFiles(const NumberOfCacheFiles &needed, std::span<const SharedHandle> modelCache,
                           std::span<const SharedHandle> dataCache);

/// Returns a model whose main subgraph has the inputs and outputs of a prepared model, always the same object for the
/// same prepared model; null for a prepared model that roles must not name.
using ModelInterface = std::function<const Model *(const IPreparedModel &)>;

/// The arguments of IDevice::allocate(): returns the operand that the buffer holds, with the extents known from all
/// roles and `dimensions` together. InvalidArgument names the role and the rule.
Result<Operand> validateBufferRoles(const std::vector<uint32_t> &dimensions, const std::vector<BufferRole> &inputRoles,
                                    const std::vector<BufferRole> &outputRoles, const ModelInterface &interfaceOf);

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_VALIDATION_H
