//===- Compiler.h - The compiler as one function ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that other folders see of the compiler: a request, a result, and compile() between them. Nothing of MLIR shows
// here, so that programs can include this header and load the compiler only when they need it (see Loader.h).
//
// The compiler works in phases, each of which leaves a complete module:
//   import    the model as it was read, in the nn dialect
//   nn        canonical and fused, in the nn dialect
//   place     operations of the device on tensors, in the npu dialect
//   schedule  tile operations and copies in one order, in the npu dialect
//   allocate  the same with addresses
//   cmd       one command stream per engine, in the cmd dialect
// A compilation may stop after any phase, which gives the module as text or bytecode, and start behind any phase from
// such a module. However it was cut, the artefacts are the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_COMPILER_H
#define AVOCET_COMPILER_COMPILER_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::compiler {

enum class InputFormat : uint32_t {
  Auto = 0,   ///< by content: a TFLite flatbuffer, MLIR bytecode, else MLIR text
  Tflite = 1, ///< enters the phase import
  Mlir = 2,   ///< text or bytecode of the phase that `startAt` names
  Nnapi = 3,  ///< an NNAPI model (compiler/nnapi/nnapiModel.fbs), enters the phase import
};

/// What is wrong with text is an error, also nesting beyond 256 levels (Support/TextLimits.h), for which a caller's
/// thread needs a stack of 1 MiB. Bytecode is for files of one's own only: MLIR's reader trusts the counts in it, and a
/// wrong count may end the process.
enum class IrFormat : uint32_t { Text = 0, Bytecode = 1 };

/// Most elements of a tensor in an execution of a model that leaves extents or values open. Such a model is judged
/// before its extents are known; the judgement holds up to this size.
inline constexpr uint64_t kMaxOpenElements = uint64_t{1} << 24;

/// Highest rank of a tensor. An operation on tensors of a higher rank is refused. For a model that leaves ranks open
/// the judgement holds up to this rank.
inline constexpr uint32_t kMaxRank = 8;

/// What to compile, and how far. All members are borrowed for the time of the call only.
struct CompileRequest {
  /// The model. With `modelBytes` empty the file is mapped, otherwise the path only names the model in messages.
  std::string modelPath;
  std::span<const uint8_t> modelBytes;
  InputFormat format = InputFormat::Auto;

  /// Pools that the constants of an NNAPI model refer to, by number. They stay unchanged until compile() returns.
  std::vector<std::span<const uint8_t>> pools;

  /// A shipped profile or the path of a target file.
  std::string target = "e256";

  /// Name of the last phase to run; empty: all phases and the artefacts.
  std::string stopAfter;
  /// Name of the phase that the input (MLIR) has been through; empty: the module says it itself.
  std::string startAt;

  /// Not a compilation but a question: which operations can the target not run? `refusals` are the answer, the status
  /// is Ok if there are none and Unsupported otherwise. Extents, ranks and values that the model leaves open may have
  /// any value that NNAPI admits, with at most kMaxOpenElements elements and kMaxRank axes in a tensor. No phase runs,
  /// and the bytes of weights are not read.
  bool supportOnly = false;
  /// The model is one that left extents or values open, filled in for an execution: ResourceExhausted if one of its
  /// tensors has more than kMaxOpenElements elements or kMaxRank axes.
  bool isSpecialised = false;

  /// Form of the module when `stopAfter` is set.
  IrFormat irFormat = IrFormat::Text;

  /// Called before each phase with its name, its index and the number of steps (the last is "emit" where artefacts are
  /// wanted). A compilation that starts behind a phase jumps over those before. From the calling thread.
  std::function<void(std::string_view phase, uint32_t index, uint32_t count)> progress;

  /// Asked often (every few milliseconds at the most) whether to give up; the status is Aborted then. From the calling
  /// thread. Empty: never.
  std::function<bool()> cancelled;
};

enum class Severity : uint32_t { Error = 0, Warning = 1, Remark = 2, Note = 3 };

/// One message of the compiler; notes follow the message that they belong to.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string location; ///< "model.tflite:conv1" or "file.mlir:3:5", empty if unknown
  std::string message;
};

/// Why one operation of the network cannot run on the target. All refusals of a model are reported at once.
struct Refusal {
  std::string location;  ///< name of the operation in the model
  std::string operation; ///< kind, for example "CONV_2D"
  std::string operand;   ///< which operand or attribute breaks the rule, empty: the operation itself
  std::string rule;      ///< stable name or sentence of the rule
  std::string value;     ///< what was found
  std::string limit;     ///< what is allowed, may be empty
  int64_t index = -1;    ///< number of the operation in the main subgraph of an NNAPI model, -1: no such operation
};

struct PhaseCost {
  std::string phase; ///< phase name, or "emit" for the artefacts
  double milliseconds = 0;
  uint64_t peakMemoryBytes = 0; ///< highest resident size of the process until the end of the phase
};

/// What came of it. `status` is Ok exactly if the wanted output is there: `ir` if the request stops after a phase, the
/// two caches otherwise. Diagnostics, refusals and costs are set in either case. The spans live as long as `storage`.
struct CompileResult {
  Status status;
  std::span<const uint8_t> modelCache;
  std::span<const uint8_t> dataCache;
  std::span<const uint8_t> ir;
  std::vector<Diagnostic> diagnostics;
  std::vector<Refusal> refusals;
  std::vector<PhaseCost> phases;

  /// An NNAPI model that cannot be compiled yet: extents of inputs are unknown, or values of the inputs `valueInputs`
  /// (positions in the main subgraph's input list, ascending) shape the program (paddings, axes, sizes). The status is
  /// FailedPrecondition then, and compiling again with these dimensions and `data` at these operands may succeed.
  bool needsSpecialisation = false;
  std::vector<uint32_t> valueInputs;

  /// The status is ResourceExhausted because a tensor has too many elements (CompileRequest::isSpecialised).
  bool isTooLarge = false;
  std::shared_ptr<const void> storage;
};

/// Names of the phases in their order.
std::span<const std::string_view> phaseNames();

/// Compiles. Callable from any thread, several at a time; the same request gives the same bytes.
/// Errors: NotFound (file, target), DataLoss (not a model), Unsupported (see `refusals`), InvalidArgument (phase names,
/// IR that breaks a rule), ResourceExhausted (see `isSpecialised`), Aborted (see `cancelled`), Internal.
CompileResult compile(const CompileRequest &request);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_COMPILER_H
