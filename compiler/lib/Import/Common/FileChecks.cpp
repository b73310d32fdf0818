//===- FileChecks.cpp - Checks of all model files --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileChecks.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace avocet::compiler {

LogicalResult verifyFlatbuffer(Location location, llvm::MemoryBufferRef bytes,
                               llvm::function_ref<bool(flatbuffers::Verifier &)> verify, StringRef problem) {
  // Real files are far below these limits.
  constexpr flatbuffers::uoffset_t kMaxDepth = 64;
  constexpr flatbuffers::uoffset_t kMaxTables = 4'000'000;
  if (bytes.getBufferSize() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return emitError(location) << "file has " << bytes.getBufferSize() << " bytes, a flatbuffer has less than 2 GiB";
  auto *data = reinterpret_cast<const uint8_t *>(bytes.getBufferStart());
  flatbuffers::Verifier verifier(data, bytes.getBufferSize(), kMaxDepth, kMaxTables);
  return verify(verifier) ? success() : LogicalResult(emitError(location, problem));
}

std::optional<std::string> lengthProblem(StringRef name) {
  constexpr size_t kMostBytes = size_t{1} << 14;
  constexpr size_t kShown = 32;
  if (name.size() <= kMostBytes)
    return std::nullopt;
  return ("begins with '" + name.take_front(kShown) + "' and has " + Twine(name.size()) + " bytes, at most " +
          Twine(kMostBytes) + " are accepted; shorten it")
      .str();
}

} // namespace avocet::compiler
