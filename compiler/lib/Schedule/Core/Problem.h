//===- Problem.h - What the scheduler has to schedule -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network of the placed level without MLIR: tensors, constants and operations in one order. Each operation has a
// device command whose shapes, addresses and block are not yet set. check() tests whether the problem is well formed;
// every algorithm of this folder requires that.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PROBLEM_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PROBLEM_H

#include "Schedule/Core/Pins.h"
#include "avocet/base/Rounding.h"
#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/firmware_iface/WeightIndex.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace avocet::compiler::schedule {

/// Size and place of the weights of output channels in the constant of a convolution. Compressed weights can be cut at
/// multiples of their granule only. Immutable; copies share the index.
class StoredWeights {
public:
  StoredWeights() = default; ///< none

  static StoredWeights packed(uint64_t bytesPerChannel);
  static StoredWeights compressed(firmware::WeightIndex index, uint32_t channelsPerGranule);

  bool areCompressed() const { return index_ != nullptr; }

  /// Bytes that the weights of channels [begin, end) take in SRAM.
  uint64_t bytesOf(uint32_t begin, uint32_t end) const;
  /// Ranges of the constant that make up these bytes, in this order.
  std::vector<firmware::WeightIndex::Range> rangesOf(uint32_t begin, uint32_t end) const;

  /// Sets format and size of the weights of channels [begin, end), which are in SRAM alone.
  void describe(firmware::ConvCommand &command, uint32_t begin, uint32_t end) const;

private:
  uint32_t granulesTo(uint32_t channel) const { return divideUp(channel, channelsPerGranule_); }

  uint64_t bytesPerChannel_ = 0;
  uint32_t channelsPerGranule_ = 1;
  std::shared_ptr<const firmware::WeightIndex> index_; ///< null: packed
};

inline constexpr uint32_t kNone = UINT32_MAX;

struct MapShape {
  uint32_t height = 0, width = 0, channels = 0;
  firmware::DataType type = firmware::DataType::Int8;

  uint32_t pixelBytes() const { return channels * firmware::sizeOf(type); }
  uint32_t rowBytes() const { return width * pixelBytes(); }
  uint64_t bytes() const { return uint64_t(height) * rowBytes(); }
  bool operator==(const MapShape &) const = default;
};

/// Storage of an intermediate result, a network input or a network output; dense rows. Several operations may write
/// disjoint parts, which together are the whole tensor.
struct Tensor {
  MapShape shape;
  uint32_t networkInput = kNone;        ///< number of the network input that this tensor is
  std::vector<uint32_t> networkOutputs; ///< numbers of the network outputs that this tensor is
};

struct Constant {
  uint64_t bytes = 0;
};

/// A feature map that an operation reads or writes: the whole tensor, possibly in another shape, or a part of it.
/// Constants are read only, and whole.
struct Operand {
  bool isConstant = false;
  uint32_t id = kNone; ///< index of a tensor, or of a constant
  MapShape shape;
  int32_t zeroPoint = 0;
  int32_t fill = -1;        ///< outputs: byte with which the whole tensor is filled before the operation, or -1
  uint64_t offset = 0;      ///< bytes of the tensor before the operand's first element
  uint32_t rowStride = 0;   ///< bytes between rows; 0: rows are dense
  uint32_t pixelStride = 0; ///< bytes between pixels; 0: pixels are dense

  uint32_t pixelStep() const { return pixelStride ? pixelStride : shape.pixelBytes(); }
  uint32_t rowStep() const { return rowStride ? rowStride : shape.width * pixelStep(); }
  /// Bytes from the first to the last byte of a row, or of the operand.
  uint64_t rowSpan() const { return uint64_t(shape.width - 1) * pixelStep() + shape.pixelBytes(); }
  uint64_t span() const { return uint64_t(shape.height - 1) * rowStep() + rowSpan(); }
  bool isDense() const { return span() == shape.bytes(); }
};

/// Bytes of the operand that follow each other without a gap.
uint64_t runBytes(const Operand &operand);
/// Bytes that the off-chip port moves for the operand: whole bursts for each run.
uint64_t portBytes(const firmware::Target &target, const Operand &operand);

/// Rows [begin, end).
struct Rows {
  uint32_t begin = 0, end = 0;
  uint32_t count() const { return end - begin; }
};

/// Rows of an operand in its tensor: row y is row first + y * step.
struct RowPlaces {
  uint32_t first = 0, step = 1;

  /// From the first to the last of the operand's rows, those between them included.
  Rows of(Rows rows) const {
    const uint32_t begin = first + rows.begin * step;
    return {begin, rows.count() ? first + (rows.end - 1) * step + 1 : begin};
  }
  /// Number of the operand's rows before row `end` of the tensor.
  uint32_t countBefore(uint32_t end) const { return end > first ? divideUp(end - first, step) : 0; }
};

/// The places of the operand's rows if each is in one row of its tensor.
std::optional<RowPlaces> rowPlacesIn(const MapShape &tensor, const Operand &operand);

/// Whether two operands have the same shape and place.
bool isSamePlace(const Operand &a, const Operand &b);

/// Whether two operands of one tensor may have common bytes.
bool mayOverlap(const MapShape &tensor, const Operand &a, const Operand &b);

/// Rows of input 0 that output rows need: row y needs [y * stride - padTop, y * stride - padTop + reach).
struct RowWindow {
  uint32_t stride = 1, reach = 1, padTop = 0;
};

struct Operation {
  firmware::CommandBody command;
  uint32_t layer = firmware::kNoLayer;
  std::vector<Operand> inputs;  ///< feature maps in the order of the command's fields
  std::vector<Operand> outputs; ///< one, except for DSP kernels
  RowWindow window;
  bool rowWise = true; ///< false: every output row depends on all rows of all inputs
  // Convolutions only. If other operations compute the weights, `weights` is kNone, and input 1 has the sets of weights
  // as rows: set n applies to the n-th equal part of the output's rows.
  uint32_t weights = kNone, records = kNone;
  uint32_t dynamicScale = kNone; ///< a tensor of 8 bytes
  StoredWeights storedWeights;   ///< of `weights`, or of one set of computed ones
  uint32_t channelGranule = 0;   ///< output channels can be split at multiples of it; 0: cannot be split
  uint32_t table = kNone;        ///< constant, convolutions and look-ups

  static constexpr uint32_t kWeightsInput = 1;
  bool hasWeightsInput() const { return hasSecondInput() && weights == kNone; }
  bool readsWeights(uint32_t input) const { return input == kWeightsInput && hasWeightsInput(); }
  /// Convolutions with constant weights: input 1 is the addend of a residual addition.
  static constexpr uint32_t kAddendInput = 1;
  bool hasAddend() const { return hasSecondInput() && weights != kNone; }
  /// Bytes of all feature maps that the operation reads and writes.
  uint64_t operandBytes() const;
  bool isOnDsp() const { return std::holds_alternative<firmware::DspCommand>(command); }
  /// Output rows with the same weights.
  uint32_t rowsPerSet() const {
    const uint32_t height = outputs[0].shape.height;
    return hasWeightsInput() ? height / inputs[kWeightsInput].shape.height : height;
  }

private:
  bool hasSecondInput() const { return inputs.size() > 1 && std::holds_alternative<firmware::ConvCommand>(command); }
};

struct Problem {
  std::shared_ptr<const firmware::Target> target;
  std::vector<Tensor> tensors;
  std::vector<Constant> constants;
  std::vector<Operation> operations; ///< in an order in which they can run
  Pins pins;                         ///< what a plan must have; checked by checkPins()

  /// InvalidArgument with the index of the operation if an operand has no valid index, exceeds its tensor, or is read
  /// before it is written; if bytes of a tensor are written twice or never.
  Status check() const;
};

/// Whether operations [first, end) run on the MAC array and on the DSP.
bool usesBothEngines(const Problem &problem, uint32_t first, uint32_t end);

/// Why a network does not fit, as data; `operation` indexes Problem::operations.
struct Misfit {
  uint32_t operation = 0;
  uint64_t needed = 0; ///< bytes of SRAM, more than `limit`
  uint64_t limit = 0;  ///< bytes of SRAM that one operation may use
};

/// Bytes of SRAM that one cascade may use; the rest is reserved for the alignment of its neighbors.
uint64_t cascadeBudget(const firmware::Target &target);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PROBLEM_H
