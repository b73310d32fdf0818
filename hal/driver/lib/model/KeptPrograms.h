//===- KeptPrograms.h - Programs of executions, for caches ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that was compiled for the facts of an execution, as the caches keep it, so that the next process does not
// compile it again.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_KEPTPROGRAMS_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_KEPTPROGRAMS_H

#include "avocet/base/Checksum.h"
#include "avocet/cache/DataCache.h"
#include "client/Quota.h"
#include "model/ModelBytes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace avocet::hal {

/// Where a data cache file has the constants of a program.
struct DataPart {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  Checksum checksum = {};
  bool operator==(const DataPart &) const = default;
};

/// Copies share the bytes.
struct KeptProgram {
  Facts facts;
  std::shared_ptr<const std::vector<uint8_t>> program; ///< a model cache; not checked if it comes from a file
  std::shared_ptr<const cache::DataCache> data;        ///< null after deserialise(), until the file is read
  uint32_t optimise = 0;                               ///< level of the compiler
  DataPart part = {};                                  ///< only from deserialise()
  std::shared_ptr<const Charge> charge = nullptr;      ///< of the client's memory, for both
};

/// Most recently used first; one program for equal facts. Not thread-safe.
class KeptPrograms {
public:
  explicit KeptPrograms(size_t most) : most_(most) {}

  /// Adds the program, or replaces the one of its facts, and evicts the least recently used. Programs with equal
  /// constants share one copy of them.
  void put(KeptProgram program);

  /// Makes the program the most recently used.
  std::optional<KeptProgram> find(const Facts &facts);

  const std::vector<KeptProgram> &all() const { return programs_; }

private:
  size_t most_;
  std::vector<KeptProgram> programs_;
};

/// Bytes of the programs and their distinct constants.
uint64_t bytesOf(std::span<const KeptProgram> programs);

/// The data cache file of a model whose own program has the constants `first`, and the place of each program's
/// constants in it.
struct DataLayout {
  std::vector<uint8_t> bytes;
  std::vector<DataPart> parts;
};
DataLayout layOut(std::span<const uint8_t> first, std::span<const KeptProgram> programs);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_KEPTPROGRAMS_H
