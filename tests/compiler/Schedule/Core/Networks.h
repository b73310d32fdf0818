//===- Networks.h - Small networks for scheduling tests ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_SCHEDULE_CORE_NETWORKS_H
#define AVOCET_TESTS_COMPILER_SCHEDULE_CORE_NETWORKS_H

#include "SequenceRunner.h"

#include "Schedule/Core/Plan.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <random>

namespace avocet::compiler::schedule {

/// Builds problems operation by operation, with random constants and inputs. Methods name values by index: results of
/// operations, and parts of these.
class Network {
public:
  explicit Network(const std::string &target);
  explicit Network(std::shared_ptr<const firmware::Target> target) { problem_.target = std::move(target); }

  uint32_t input(MapShape shape);
  uint32_t conv(uint32_t input, uint32_t channels, uint32_t kernel, uint32_t stride = 1);
  /// A convolution of stride 1 with the constants of the one that made the value `like`.
  uint32_t convLike(uint32_t input, uint32_t like);
  /// Products of the rows of an input, in equal parts, with the sets of weights that another value has as rows.
  uint32_t product(uint32_t input, uint32_t sets, uint32_t channels);
  uint32_t depthwise(uint32_t input, uint32_t kernel, uint32_t stride = 1);
  uint32_t add(uint32_t a, uint32_t b);
  /// A convolution with a residual addition.
  uint32_t convAdd(uint32_t input, uint32_t addend, uint32_t kernel, uint32_t stride = 1);
  uint32_t depthwiseAdd(uint32_t input, uint32_t addend, uint32_t kernel);
  uint32_t maxPool(uint32_t input, uint32_t kernel, uint32_t stride);
  uint32_t dspPool(uint32_t input, uint32_t kernel, uint32_t stride); ///< a maximum on the DSP, in rows
  /// A fully connected layer on the whole tensor as one pixel.
  uint32_t fullyConnected(uint32_t input, uint32_t channels);
  uint32_t softmax(uint32_t input);    ///< needs all rows at once
  uint32_t requantize(uint32_t input); ///< on the DSP, row by row
  void output(uint32_t value);         ///< a result, not a part of one

  /// The values side by side along rows (0), columns (1) or channels (2), in one tensor. They must be results that are
  /// not yet part of another one. From now on they are parts of it.
  uint32_t concatenate(const std::vector<uint32_t> &values, uint32_t axis);
  /// The values in turns along rows (0) or columns (1), otherwise as concatenate(). Each has as many positions as the
  /// one after it, or one more.
  uint32_t interleave(const std::vector<uint32_t> &values, uint32_t axis);
  /// The values one after the other in a tensor of one row; only dense readers may read them afterwards.
  uint32_t chain(const std::vector<uint32_t> &values);
  /// Rows, columns or channels [begin, end) of a value.
  uint32_t slice(uint32_t value, uint32_t axis, uint32_t begin, uint32_t end);
  /// Every step-th row (0) or column (1) of a value.
  uint32_t every(uint32_t value, uint32_t axis, uint32_t first, uint32_t step);
  /// Whether the value is a whole result of an operation.
  bool isResult(uint32_t value) const;

  const Problem &problem() const { return problem_; }
  const std::vector<Bytes> &inputs() const { return inputs_; }
  const std::vector<Bytes> &constants() const { return constants_; }
  MapShape shape(uint32_t value) const { return values_[value].shape; }

private:
  Bytes randomBytes(uint64_t count);
  Bytes randomElements(const MapShape &shape); ///< real numbers are small
  uint32_t constant(Bytes bytes);
  uint32_t addOperation(Operation op, MapShape output);
  Operand read(uint32_t value) const;
  uint32_t addTensor(MapShape shape);
  template <typename Move> void moveOperands(uint32_t tensor, Move move);
  uint32_t addJoined(const std::vector<uint32_t> &values, uint32_t axis);
  void moveInto(uint32_t joined, uint32_t value, uint64_t offset, uint32_t rowStep, uint32_t pixelStep);
  uint32_t withAddend(uint32_t result, uint32_t addend);
  void setWeights(Operation &op, const firmware::WeightLayout &layout);
  uint32_t records(uint32_t channels);
  uint32_t convolution(firmware::ConvKind kind, uint32_t input, MapShape seen, uint32_t channels, uint32_t kernel,
                       uint32_t stride);

  Problem problem_;
  std::vector<Operand> values_;
  std::vector<Bytes> inputs_, constants_;
  uint32_t outputs_ = 0;
  std::mt19937 random_{7};
};

/// A shipped target with another figure, such as "8K" for "sram.bytes" (TargetEdit.h).
std::shared_ptr<const firmware::Target> targetWith(const std::string &target, const std::string &key,
                                                   const std::string &value);

/// lowerPlan() with a chooser and a cutter of its own.
Sequence lowered(const Problem &problem, const Plan &plan);
/// Each operation as a separate cascade, not cut.
Plan layerByLayer(const Problem &problem);
/// The outputs of that plan, on addresses without a limit.
std::map<uint32_t, Bytes> outputsLayerByLayer(const Network &net);

} // namespace avocet::compiler::schedule

#endif // AVOCET_TESTS_COMPILER_SCHEDULE_CORE_NETWORKS_H
