//===- Verify.h - The rules of the model cache ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of meaning, for files whose structure is valid. Each returns the first broken rule with its place
// ("regions[2].index is 7, there are 1 inputs").
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_CACHE_LIB_VERIFY_H
#define AVOCET_CACHE_LIB_VERIFY_H

#include "avocet/base/Status.h"

#include "Text.h"
#include "modelCache_generated.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace avocet::cache {

/// All checks below, after the versions.
Status verifyMeaning(const fb::Model &model);

/// Inputs and outputs.
Status verifyOperands(const fb::Model &model);

/// Region table, against operands and data size.
Status verifyRegions(const fb::Model &model);

/// Memory plan, layers, source map.
Status verifyReports(const fb::Model &model);

/// That `operation` is kNoSource or the index of a source operation.
Status verifySourceOperation(const fb::Model &model, std::string_view place, uint32_t operation);

/// The table of source operations.
Status verifySourceOperations(const fb::Model &model);

/// The source map of a stream of `commands` commands. Requires verifySourceOperations.
Status verifySourceCommands(const fb::Model &model, const fb::Stream &stream, size_t commands);

/// Streams, command by command. Requires verifyRegions and verifySourceOperations.
Status verifyStreams(const fb::Model &model);

/// The control program, if there is one. Requires verifyRegions and verifyStreams.
Status verifyControl(const fb::Model &model);

/// That a text (null: absent, fine) is printable.
Status verifyText(std::string_view place, const flatbuffers::String *text);

/// That the number is a firmware::EngineKind.
Status verifyEngineKind(std::string_view place, uint32_t kind);

/// Calls verify("list[i]", entry) for each entry until one fails.
template <typename Entries, typename Function>
Status verifyEach(std::string_view list, const Entries &entries, Function &&verify) {
  for (uint32_t i = 0; i < entries.size(); ++i)
    AVOCET_RETURN_IF_ERROR(verify(fmt::format("{}[{}]", list, i), *entries.Get(i)));
  return Status::ok();
}

} // namespace avocet::cache

#endif // AVOCET_CACHE_LIB_VERIFY_H
