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

std::optional<std::string> nameProblem(StringRef owner, StringRef name) {
  if (name.empty())
    return (owner + " has no name").str();
  const std::optional<std::string> problem = lengthProblem(name);
  return problem ? std::optional("a name " + *problem) : std::nullopt;
}

std::optional<int64_t> wrongExtent(ArrayRef<int64_t> extents, int64_t least, uint64_t most) {
  uint64_t elements = 1;
  for (const int64_t extent : extents) {
    if (extent < least || static_cast<uint64_t>(extent) > most / elements)
      return extent;
    elements *= static_cast<uint64_t>(std::max<int64_t>(extent, 1));
  }
  return std::nullopt;
}

bool areTruths(ArrayRef<char> bytes) {
  return llvm::all_of(bytes, [](char byte) { return byte == 0 || byte == 1; });
}

} // namespace avocet::compiler
