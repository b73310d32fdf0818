//===- CompiledModel.h - The result of a compilation ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of a compilation as plain data, from the compiler or from a file.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_COMPILEDMODEL_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_COMPILEDMODEL_H

#include "avocet/base/Checksum.h"
#include "avocet/cache/DataCache.h"
#include "avocet/cache/ModelCache.h"
#include "client/Quota.h"
#include "model/CompilerGate.h"
#include "model/ModelBytes.h"
#include "model/Signature.h"

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

/// A program that was compiled for the facts of an execution, as the caches keep it, so that the next process does not
/// compile it again. Copies share the bytes.
struct KeptProgram {
  Facts facts;
  std::shared_ptr<const std::vector<uint8_t>> program; ///< a model cache; not checked if it comes from a file
  std::shared_ptr<const cache::DataCache> data;        ///< null after deserialize(), until the file is read
  uint32_t optimize = 0;                               ///< level of the compiler
  DataPart part = {};                                  ///< only from deserialize()
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

/// At least one of `program` and `source` is set. Copies share them.
struct CompiledModel {
  Signature signature;
  Priority priority = Priority::Medium; ///< as the next one, of the preparation; compileModel() leaves them
  ExecutionPreference preference = ExecutionPreference::FastSingleAnswer;
  std::shared_ptr<const cache::ModelCache> program; ///< null: shapes or values are not known before execution
  std::shared_ptr<const cache::DataCache> data;     ///< of the program; null without one
  std::shared_ptr<ModelBytes> source;               ///< null unless a request may need another program
  std::vector<uint32_t> valueInputs;                ///< inputs whose values shape the program
  uint32_t optimize = 0;                            ///< the compiler's level of `program`
  compiler::InputFormat format = compiler::InputFormat::Nnapi; ///< of a whole network: its indices must be valid
  bool isSourceTemporary = false;           ///< it serves only to compile `program` at a higher level
  std::vector<KeptProgram> specializations; ///< for facts of requests; most recently used first
  Checksum dataChecksum = {};               ///< of the data that was saved; only from deserialize()
};

/// Levels of the compiler: of the first answer, and the one that was asked for.
struct Levels {
  uint32_t first = compiler::kDefaultOptimize;
  uint32_t asked = compiler::kDefaultOptimize;
  bool areStaged() const { return first < asked; }
};

/// compile() at the first level, or at the level asked for if the compiler refuses the first one: `compile(level)`
/// returns a compiler::CompileResult. `level`: of the result.
template <typename Compile>
Result<compiler::CompileResult> compileInStages(const Levels &levels, Compile &&compile, uint32_t &level) {
  level = levels.first;
  Result<compiler::CompileResult> result = compile(level);
  if (!result || result->status.isOk() || result->needsSpecialization || !levels.areStaged() ||
      result->status.code() == StatusCode::Aborted)
    return result;
  level = levels.asked;
  return compile(level);
}

/// The model must be valid, and `source` its modelBytesOf(). Errors are those of the compiler.
Result<CompiledModel> compileModel(CompilerGate &compiler, const Model &model, ModelBytes source,
                                   const CallLimit &limit, const Levels &levels = {});

/// A program and its constants from the compiler, checked.
struct LoadedProgram {
  std::shared_ptr<const cache::ModelCache> model;
  std::shared_ptr<const cache::DataCache> data;
};
Result<LoadedProgram> adoptProgram(const compiler::CompileResult &result);

/// The program that a successful compilation for facts made, unchecked.
Result<KeptProgram> keptProgramOf(const Facts &facts, const compiler::CompileResult &result, uint32_t optimize);

/// Rules between a model and its compiled program. The compiler's results satisfy them; results of a worker process or
/// a file must be checked. GeneralFailure names the broken rule. The program has this number of operands; inputs whose
/// values shape it are ascending positions below `numInputs`.
Outcome checkProgram(const cache::ModelCache &program, size_t numInputs, size_t numOutputs);
Outcome checkValueInputs(const std::vector<uint32_t> &valueInputs, size_t numInputs);

/// As a model cache file (schema/preparedModel.fbs), without the data. `parts`: the places of the constants of its
/// specializations in the data file. GeneralFailure: it would be too large.
Result<std::vector<uint8_t>> serialize(const CompiledModel &model, std::span<const DataPart> parts = {});

/// The inverse, from unchecked bytes; the caller still has to open the data of all programs, and to pass it to
/// setData(). GeneralFailure names the broken rule.
Result<CompiledModel> deserialize(std::span<const uint8_t> bytes);

/// GeneralFailure: the data is not what was saved.
Outcome setData(CompiledModel &model, std::shared_ptr<const cache::DataCache> data);
Outcome setData(KeptProgram &program, std::shared_ptr<const cache::DataCache> data);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_COMPILEDMODEL_H
