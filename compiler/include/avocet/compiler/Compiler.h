//===- Compiler.h - The compiler as three functions -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's public interface: compile(), judge() and divide(), each with its request. This header includes nothing
// of MLIR, so that programs can include it and load the compiler only when they need it (see Loader.h).
//
// To add a member to one of the structs below, declare it here and list it in Fields.h. The interface of the shared
// library and the messages to compile workers (hal/worker) are made from that list.
//
// The compiler works in phases. After each phase the module is complete:
//   import    the model as it was read, in the nn dialect
//   nn        canonical and fused, in the nn dialect
//   place     operations of the device on tensors, in the npu dialect
//   schedule  tile operations and copies in one order, in the npu dialect
//   allocate  the same with addresses
//   cmd       one command stream per engine, in the cmd dialect
// A compilation may stop after any phase, which returns the module as text or bytecode, and resume after that phase
// from such a module. The artefacts are the same bytes however the compilation is divided.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_COMPILER_H
#define AVOCET_COMPILER_COMPILER_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::compiler {

enum class InputFormat : uint32_t {
  Auto = 0,     ///< by content: a flatbuffer of TFLite, TOSA or an NNAPI model, ONNX, else MLIR text
  Tflite = 1,   ///< enters the phase import
  Mlir = 2,     ///< text of the phase that `startAt` names
  Nnapi = 3,    ///< an NNAPI model (compiler/nnapi/nnapiModel.fbs), enters the phase import
  Bytecode = 4, ///< MLIR bytecode of the phase that `startAt` names; only if the request names it (see IrFormat)
  Tosa = 5,     ///< a TOSA flatbuffer, enters the phase import
  Onnx = 6,     ///< an ONNX model, enters the phase import
};

/// CompileRequest::stopAfter: only read MLIR and check it against the contract of its phase.
inline constexpr std::string_view kParseStep = "parse";

/// Invalid text is an error, and so is nesting beyond 256 levels (Support/TextLimits.h), for which the calling thread
/// needs a stack of 1 MiB. Bytecode must come from a trusted source, or is read in a process with limits
/// (hal/worker): MLIR's reader trusts the counts in it, and a wrong count may end the process.
enum class IrFormat : uint32_t { Text = 0, Bytecode = 1 };

/// Text for people, from which no compilation can go on: constants above kMostShownElements elements are left out.
inline constexpr IrFormat kReadableText{2};
/// The same with locations, which hold the names of layers.
inline constexpr IrFormat kReadableTextWithLocations{3};

inline constexpr int64_t kMostShownElements = 16;

/// Maximum number of elements of a tensor in an execution of a model with open extents or values. Support for such a
/// model is decided before its extents are known, for tensors up to this size.
inline constexpr uint64_t kMaxOpenElements = uint64_t{1} << 24;

/// Highest rank of a tensor in a model that leaves ranks, extents or values open. In other models, operations on
/// tensors of higher ranks run if adjacent axes can be merged, and are refused otherwise.
inline constexpr uint32_t kMaxRank = 8;

/// Extents of one input, by its name.
struct InputShape {
  std::string name;
  std::vector<int64_t> extents;
};

/// An extent that shapes of an ONNX model call by name, such as "batch".
struct NamedExtent {
  std::string name;
  int64_t extent = 0;
};

/// The value of an input of an ONNX model, for which the program is made: its elements as the model stores them,
/// row-major and little-endian. Runs bind the input still, and their results are those of this value.
struct InputValue {
  std::string name;
  std::vector<uint8_t> bytes;
};

/// In which order an input or output has its axes: NCHW, NHWC, NCW, NWC, NCDHW or NDHWC.
struct TensorLayout {
  std::string name; ///< empty: of all inputs and outputs with so many axes
  std::string layout;
};

/// A file that the caller may write.
struct NamedFile {
  std::string name;
  std::span<const uint8_t> bytes;
};

/// A schedule that a compilation has considered (CompileRequest::optimize).
struct Alternative {
  std::string_view what; ///< how it differs: settings of the planner, or a change of the best schedule so far
  uint64_t predictedCycles = 0;
  std::optional<uint64_t> simulatedCycles; ///< none: its prediction was not good enough
  bool isKept = false;                     ///< the best so far
};

/// The module after a pass (CompileRequest::afterPass).
struct PassResult {
  std::string_view phase;      ///< to which the pass belongs
  std::string_view pass;       ///< its name on the command line of avocet-opt; "import" or "parse": the first module
  bool isFailed = false;       ///< the pass failed, and `ir` is the module before it
  std::span<const uint8_t> ir; ///< text; valid during the call
};

/// A transformation, or one rewrite of it, without which the network computes the same (CompileRequest::runsStep).
struct OptionalStep {
  enum class Kind : uint32_t {
    Transform = 0, ///< a pass on a function or module, or a part of a pass
    Rewrite = 1,   ///< the attempt of the transform to apply one pattern to one operation
  };
  struct Subject {
    std::string location;  ///< operators of the user's file: "7 CONV_2D model.tflite:conv1"; else as in diagnostics
    std::string operation; ///< as text, on one line; a function without its body
  };
  Kind kind = Kind::Transform;
  std::string_view phase;
  std::string_view transform; ///< its name on the command line of avocet-opt, if it is a pass
  std::string_view pattern;   ///< of a rewrite
  /// The operation on which the step runs, as it is before. During the call only.
  std::function<Subject()> subject;
};

/// What became of a choice that the compiler had: it was taken; it was possible but not taken; it was not possible. The
/// names are those of MLIR's optimization remarks.
enum class RemarkKind : uint32_t { Passed = 0, Missed = 1, Failed = 2, Analysis = 3 };

/// A decision of the compiler, or an alternative to one (CompileRequest::remark). The remarks of one decision have the
/// same location and name. Valid during the call.
struct Remark {
  struct Argument {
    std::string_view key, value;
  };
  RemarkKind kind = RemarkKind::Analysis;
  std::string_view category; ///< "fusion", "placement", "compression" or "schedule"
  std::string_view name;     ///< what was decided, for example "cascade"
  std::string_view location; ///< as Diagnostic::location
  /// "Choice", "Reason", "Cycles" and others (compiler/docs/Remarks.md); numbers are decimal.
  std::vector<Argument> arguments;
};

/// Levels of CompileRequest::optimize.
inline constexpr uint32_t kDefaultOptimize = 1, kMostOptimize = 3;
inline constexpr double kMostOptimizeSeconds = 86400;

/// What every request has: a model, its target, and what its caller wants to hear. All members of requests are borrowed
/// for the time of the call only.
struct ModelRequest {
  /// The model. If `modelBytes` is empty the file is mapped, otherwise the path only names the model in messages.
  std::string modelPath;
  std::span<const uint8_t> modelBytes;
  InputFormat format = InputFormat::Auto;
  /// Key of the entry point of a TFLite model; empty: its first subgraph. No other format has entry points.
  std::string signature;
  /// New shapes of inputs of a TFLite or ONNX model, which may leave extents open. Inputs that are not listed keep the
  /// shape that the file records.
  std::vector<InputShape> shapes;
  /// Of an ONNX model. `shapes` count first.
  std::vector<NamedExtent> extents;
  std::vector<InputValue> values;
  /// Of inputs and outputs of a TFLite, TOSA or ONNX model; others have that of the file, which has the channels last,
  /// or in ONNX second. The compiled network takes and gives tensors of these layouts.
  std::vector<TensorLayout> layouts;

  /// Pools that the constants of an NNAPI or ONNX model refer to, by number: a tensor of an ONNX model with the entry
  /// "pool" in its external data. They must not change until the call returns.
  std::vector<std::span<const uint8_t>> pools;

  /// Name of a shipped profile, or path of a target file.
  std::string target = "e256";
  /// A module that names its target, as those of the phases schedule and allocate do, is compiled for that one; other
  /// models for `target`.
  bool prefersTargetOfModule = false;

  /// Called on the calling thread before each phase with its name, its index and the number of steps (the last is
  /// "emit" if artefacts are requested). A compilation that resumes after a phase skips the indices of earlier phases.
  /// judge() and divide() have one step, the import.
  std::function<void(std::string_view phase, uint32_t index, uint32_t count)> progress;

  /// Polled on the calling thread, at least every few milliseconds; true cancels, and the status is Aborted. Empty:
  /// never cancelled.
  std::function<bool()> cancelled;
};

/// What to compile, and how far.
struct CompileRequest : ModelRequest {
  /// Name of the last phase to run, or kParseStep; empty: run all phases and emit the artefacts.
  std::string stopAfter;
  /// Name of the last phase that the input (MLIR) has passed; empty: read from the module's attribute.
  std::string startAt;

  /// The model is one that left extents or values open, filled in for an execution: ResourceExhausted if one of its
  /// tensors has more than kMaxOpenElements elements or kMaxRank axes.
  bool isSpecialized = false;

  /// Record where each command, transfer and buffer comes from: the artefacts get a source map, and the locations of
  /// modules say it. The other bytes of the artefacts do not change. A compilation that resumes from a module records
  /// what it adds itself, and keeps what the module has.
  bool sourceMap = false;

  /// What the schedule must have: the text of a hint file (compiler/docs/Hints.md). Empty: nothing. They become an
  /// attribute of the module after the import, or are added to those that a module has; artefacts of equal modules are
  /// equal. InvalidArgument, with a diagnostic, if they are malformed, name no operator, or no schedule follows them.
  std::string hints;

  /// Format of the module if `stopAfter` is set.
  IrFormat irFormat = IrFormat::Text;

  /// Effort for the schedule. 0: one plan. 1: the best of a few plans, by predicted cycles. 2: of more plans; the best
  /// ones are simulated, and the fastest with other blocks. 3: level 2, then changes of the best schedule. The result
  /// of a level above 1 is the schedule with the fewest simulated cycles; it is never slower than that of level 1.
  /// Equal levels give equal bytes.
  uint32_t optimize = kDefaultOptimize;
  /// Not 0: level 3 goes on until this much time has passed since the schedule was begun. `optimize` is then ignored,
  /// and the bytes depend on the speed of the host.
  double optimizeSeconds = 0;
  /// Threads that the compilation may use, its caller's among them. The result does not depend on the number. With 1 it
  /// starts no thread, which sandboxes may forbid.
  uint32_t threads = 1;
  /// Cycles of one inference with these artefacts. Called on the calling thread, required above level 1. An error ends
  /// the compilation with its code.
  std::function<Result<uint64_t>(std::span<const uint8_t> modelCache, std::span<const uint8_t> dataCache)> simulate;
  /// Called on the calling thread for each schedule that was considered, in order.
  std::function<void(const Alternative &)> alternative;

  /// For those who debug the compiler; costs the time to print the module many times. Called on the calling thread
  /// after each pass that has changed the module, and after one that has failed.
  std::function<void(const PassResult &)> afterPass;
  /// `afterPass` gets text without the elements of large constants, which cannot be compiled.
  bool elidesConstants = false;

  /// Finds the step that makes a result wrong. The compiler calls it on the calling thread before each optional step;
  /// false leaves the step out. Rewrites come after the transform that they belong to. The compiler refuses an
  /// operation that fits the target only after a step that was left out.
  std::function<bool(const OptionalStep &)> runsStep;

  /// Called on the calling thread for each decision and each alternative to it, in order. Does not change the
  /// artefacts.
  std::function<void(const Remark &)> remark;
};

/// Which operations can the target not run?
struct JudgeRequest : ModelRequest {};

/// Which networks between the operators of a model that cannot be compiled can be?
struct DivideRequest : ModelRequest {
  /// Format of the networks, which are modules of phase import.
  IrFormat irFormat = IrFormat::Text;
  /// As CompileRequest::remark, for the placement of the networks.
  std::function<void(const Remark &)> remark;
};

enum class Severity : uint32_t { Error = 0, Warning = 1, Remark = 2, Note = 3 };

/// One message of the compiler; notes follow the message to which they belong.
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

/// What every answer has.
struct Verdict {
  Status status;
  std::vector<Diagnostic> diagnostics;
  std::vector<Refusal> refusals;
  /// The status is ResourceExhausted because the model is too large: a tensor has too many elements
  /// (CompileRequest::isSpecialized), or there are too many inputs and outputs.
  bool isTooLarge = false;
  std::shared_ptr<const void> storage; ///< spans of the answer are valid while it exists
};

/// Result of a compilation. `status` is Ok exactly if the requested output is set: `ir` if the request stops after a
/// phase, the two caches otherwise. Diagnostics, refusals and costs are always set.
struct CompileResult : Verdict {
  std::span<const uint8_t> modelCache;
  std::span<const uint8_t> dataCache;
  std::span<const uint8_t> ir;
  std::vector<PhaseCost> phases;

  /// An NNAPI model that cannot be compiled yet: extents of inputs are unknown, or values of inputs determine the
  /// program (paddings, axes, sizes). `valueInputs` lists these inputs by position in the main subgraph's input list,
  /// ascending. The status is FailedPrecondition; compiling again with these dimensions and `data` at these operands
  /// may succeed.
  bool needsSpecialization = false;
  std::vector<uint32_t> valueInputs;
  /// The same of an ONNX model, by name; compiling again with `values` of these inputs may succeed. The refusals say
  /// which nodes need them.
  std::vector<std::string> valueNames;
};

/// DivideResult: the file that describes how the others are connected (compiler/docs/Partition.md).
inline constexpr std::string_view kPartitionFile = "partition.json";

/// Result of a division. `status` is Ok exactly if there are files: networks, constants, and kPartitionFile. Refusals
/// are warnings.
struct DivideResult : Verdict {
  std::vector<NamedFile> files;
};

/// An answer that is only an error.
template <typename Answer> Answer failedAnswer(Status status) {
  Answer failed;
  failed.status = std::move(status);
  return failed;
}

/// Names of the phases in execution order.
std::span<const std::string_view> phaseNames();

/// All three are callable from any thread, also concurrently; equal requests give equal bytes.
/// Errors: NotFound (file, target), DataLoss (not a model), Unsupported (see `refusals`), InvalidArgument (phase names,
/// IR that breaks a rule of its phase, a level), ResourceExhausted (see `isSpecialized`), Aborted (see `cancelled`),
/// Internal (an error of the compiler: a later phase fails without refusing an operation). The message of Internal
/// names the operation; no message holds a module.
CompileResult compile(const CompileRequest &request);

/// The refusals are the answer: the status is Ok if there are none and Unsupported otherwise. Extents, ranks and values
/// that the model leaves open may have any value that NNAPI admits, with at most kMaxOpenElements elements and kMaxRank
/// axes in a tensor. Places all operations and checks that each fits on chip; makes no schedule, and does not read the
/// bytes of weights. MLIR must be of the phase import.
Verdict judge(const JudgeRequest &request);

/// Divides a TFLite, ONNX or TOSA model, or MLIR of the phase import.
DivideResult divide(const DivideRequest &request);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_COMPILER_H
