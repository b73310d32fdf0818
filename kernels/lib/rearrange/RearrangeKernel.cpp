//===- RearrangeKernel.cpp - Copies between tensors of any rank -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Rearrange.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/NdShape.h"
#include "rearrange/MoveWork.h"
#include "rearrange/PixelGaps.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Limit of the elements of a move and of a map, so that sums of a few products below stay within 64 bits.
constexpr uint64_t kMostElements = uint64_t(1) << 31;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Checks that the elements [offset - down, offset + up] of one side of a move lie in a map of `count` elements.
Status checkReach(std::string_view side, uint32_t offset, const Move &move, int32_t MoveAxis::*stride, uint64_t count) {
  uint64_t down = 0, up = 0;
  for (const MoveAxis &axis : move.axes) {
    int64_t reach = int64_t(axis.extent - 1) * (axis.*stride);
    (reach < 0 ? down : up) += static_cast<uint64_t>(std::abs(reach));
    if (down > offset || offset + up >= count)
      break;
  }
  if (offset >= count || down > offset || offset + up >= count)
    return ruleBroken(side, offset, "such that the move stays inside the map's " + std::to_string(count) + " elements");
  return Status::ok();
}

/// Elements of the part of a map that a move is about.
uint64_t elementsOf(const FeatureMap &map, bool isRow) { return elementCount(map) / (isRow ? map.height : 1); }

Status checkMove(const Move &move, const DspCommand &command, bool isOfRows) {
  if (move.input >= command.inputs.size())
    return ruleBroken("input of a move", move.input, "the number of an input");
  const uint64_t most = elementsOf(command.outputs[0], isOfRows);
  uint64_t elements = 1;
  for (const MoveAxis &axis : move.axes) {
    if (axis.extent == 0 || axis.extent > most / elements)
      return ruleBroken("extent of a move", axis.extent, "1 or more, all together not more than the output's elements");
    elements *= axis.extent;
  }
  AVOCET_RETURN_IF_ERROR(checkReach("inputOffset", move.inputOffset, move, &MoveAxis::inputStride,
                                    elementsOf(command.inputs[move.input], isOfRows)));
  return checkReach("outputOffset", move.outputOffset, move, &MoveAxis::outputStride, most);
}

Status checkRows(std::string_view name, const FeatureMap &map, uint32_t rows) {
  if (map.height != rows)
    return ruleBroken(std::string(name) + ": height", map.height, std::to_string(rows) + ", that of the output");
  return Status::ok();
}

/// Checks moves of rows whose pixels have gaps.
Status checkGaps(const RearrangeParameters &parameters, const DspCommand &command) {
  const FeatureMap &output = command.outputs[0];
  if (parameters.fill && hasPixelGaps(output))
    return ruleBroken("output0", output.pixelStride, "dense in each row, which a fill needs");
  for (const Move &move : parameters.moves)
    if (!overGaps(move, command.inputs[move.input], output))
      return ruleBroken("moves", static_cast<int64_t>(move.axes.size()),
                        "axes inside a pixel and axes from pixel to pixel, where pixels have gaps");
  return Status::ok();
}

Status checkMapOf(std::string_view name, const FeatureMap &map, DataType type) {
  if (elementCount(map) > kMostElements)
    return ruleBroken(name, static_cast<int64_t>(elementCount(map)), "at most 2^31 elements");
  return map.type == type ? Status::ok() : ruleBroken(name, static_cast<int64_t>(map.type), "of the output's type");
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

/// Elements that the pixels of a row take, with the gaps between them.
uint64_t rowOf(const FeatureMap &map) {
  return map.width * (hasPixelGaps(map) ? map.pixelStride / sizeOf(map.type) : map.channels);
}

std::vector<uint64_t> rowsOf(const std::vector<FeatureMap> &maps) {
  std::vector<uint64_t> elements;
  for (const FeatureMap &map : maps)
    elements.push_back(rowOf(map));
  return elements;
}

/// The parameters, whose moves of rows have the distances in memory.
RearrangeParameters inMemory(const DspCommand &command) {
  RearrangeParameters parameters = *unpackRearrange(command.parameters);
  if (parameters.areOfRows)
    for (Move &move : parameters.moves)
      move = *overGaps(move, command.inputs[move.input], command.outputs[0]);
  return parameters;
}

/// One move of elements of type T, copied as bits.
template <typename T> class Mover {
public:
  Mover(const Move &move, const T *input, T *output) : axes_(move.axes), input_(input), output_(output) {}

  void run(size_t axis, int64_t from, int64_t to) const {
    if (axis + 1 >= axes_.size())
      return runInner(from, to);
    for (uint32_t i = 0; i < axes_[axis].extent; ++i, from += axes_[axis].inputStride, to += axes_[axis].outputStride)
      run(axis + 1, from, to);
  }

private:
  void runInner(int64_t from, int64_t to) const {
    const MoveAxis inner = axes_.empty() ? MoveAxis() : axes_.back();
    if (inner.inputStride == 1 && inner.outputStride == 1) {
      std::copy_n(input_ + from, inner.extent, output_ + to);
      return;
    }
    for (uint32_t i = 0; i < inner.extent; ++i, from += inner.inputStride, to += inner.outputStride)
      output_[to] = input_[from];
  }

  const std::vector<MoveAxis> &axes_;
  const T *input_;
  T *output_;
};

template <typename T> void rearrange(const DspCommand &command, std::span<uint8_t> sram) {
  const RearrangeParameters parameters = inMemory(command);
  const FeatureMap &result = command.outputs[0];
  for (uint32_t row = 0; row < (parameters.areOfRows ? result.height : 1); ++row) {
    T *output = FeatureMapView<T>(result, sram).row(row);
    if (parameters.fill)
      std::fill_n(output, elementsOf(result, parameters.areOfRows), static_cast<T>(parameters.fillBits));
    for (const Move &move : parameters.moves)
      Mover<T>(move, FeatureMapView<T>(command.inputs[move.input], sram).row(row), output)
          .run(0, move.inputOffset, move.outputOffset);
  }
}

class RearrangeKernel : public DspKernel {
public:
  KernelId id() const override { return kRearrangeKernel; }

protected:
  OperandCount inputCount() const override { return {1, DspCommand::kMaxDspOperands}; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(RearrangeParameters parameters, unpackRearrange(command.parameters));
    const FeatureMap &output = command.outputs[0];
    const auto checkMap = [&](std::string_view name, const FeatureMap &map) {
      AVOCET_RETURN_IF_ERROR(parameters.areOfRows ? checkRows(name, map, output.height) : checkDense(name, map));
      return checkMapOf(name, map, output.type);
    };
    AVOCET_RETURN_IF_ERROR(checkMap("output0", output));
    for (const FeatureMap &input : command.inputs)
      AVOCET_RETURN_IF_ERROR(checkMap("input", input));
    for (const Move &move : parameters.moves)
      AVOCET_RETURN_IF_ERROR(checkMove(move, command, parameters.areOfRows));
    return parameters.areOfRows ? checkGaps(parameters, command) : Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    switch (sizeOf(command.outputs[0].type)) {
    case 1:
      return rearrange<uint8_t>(command, sram);
    case 2:
      return rearrange<uint16_t>(command, sram);
    case 4:
      return rearrange<uint32_t>(command, sram);
    default:
      return rearrange<uint64_t>(command, sram);
    }
  }

  DspWork work(const DspCommand &command) const override {
    const RearrangeParameters parameters = inMemory(command);
    const FeatureMap &output = command.outputs[0];
    const uint64_t size = sizeOf(output.type);
    std::vector<Move> moves = wholeMoves(parameters, output.height, rowsOf(command.inputs), rowOf(output));
    if (parameters.areOfRows) // rows that follow each other are one axis with what they continue
      std::ranges::transform(moves, moves.begin(), simplified);
    return moveWork(moves, size, parameters.fill ? elementCount(output) * size : 0);
  }

  /// Rows; the fill and the moves; for a fill alone its elements, for a move alone the positions on its outermost axis.
  /// A single row that is filled has no parts.
  uint32_t partsOf(const DspCommand &command) const override {
    const RearrangeParameters parameters = *unpackRearrange(command.parameters);
    if (isInRows(parameters, command))
      return command.outputs[0].height;
    if (const size_t jobs = parameters.moves.size() + (parameters.fill ? 1 : 0); jobs != 1)
      return static_cast<uint32_t>(std::max<size_t>(jobs, 1));
    if (parameters.fill)
      return static_cast<uint32_t>(elementCount(command.outputs[0]));
    const std::vector<MoveAxis> &axes = parameters.moves[0].axes;
    const auto axis = outermostOf(axes);
    return axis == axes.end() ? 1 : axis->extent;
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    RearrangeParameters parameters = *unpackRearrange(command.parameters);
    DspCommand part = command;
    if (isInRows(parameters, command)) {
      for (std::vector<FeatureMap> *maps : {&part.inputs, &part.outputs})
        for (FeatureMap &map : *maps)
          map = sliceOf(map, MapAxis::Rows, first, count);
      return part;
    }
    if (parameters.fill && parameters.moves.empty())
      part.outputs[0] = denseSlices(part.outputs[0], 1, first, count);
    else if (!parameters.fill && parameters.moves.size() == 1)
      selectPositions(parameters.moves[0], first, count);
    else if (!parameters.moves.empty())
      selectJobs(parameters, first, count);
    if (parameters.moves.empty()) // a fill reads nothing
      part.inputs.assign(1, denseSlices(part.inputs[0], 1, 0, 1));
    part.parameters = packRearrange(parameters);
    return part;
  }

private:
  static bool isInRows(const RearrangeParameters &parameters, const DspCommand &command) {
    return parameters.areOfRows && (parameters.fill || command.outputs[0].height > 1);
  }

  static std::vector<MoveAxis>::const_iterator outermostOf(const std::vector<MoveAxis> &axes) {
    return std::find_if(axes.begin(), axes.end(), [](const MoveAxis &axis) { return axis.extent > 1; });
  }

  static void selectPositions(Move &move, uint32_t first, uint32_t count) {
    const auto axis = outermostOf(move.axes);
    if (axis == move.axes.end())
      return;
    // Unsigned arithmetic wraps to the same result as signed strides.
    move.inputOffset += first * static_cast<uint32_t>(axis->inputStride);
    move.outputOffset += first * static_cast<uint32_t>(axis->outputStride);
    move.axes[static_cast<size_t>(axis - move.axes.begin())].extent = count;
  }

  /// The fill counts as the first job.
  static void selectJobs(RearrangeParameters &parameters, uint32_t first, uint32_t count) {
    const uint32_t fills = parameters.fill ? 1 : 0;
    const auto begin = parameters.moves.begin() + (first - std::min(first, fills));
    const auto end = parameters.moves.begin() + (first + count - fills);
    parameters.moves = std::vector<Move>(begin, end);
    parameters.fill = first < fills;
  }
};

} // namespace

const Kernel &rearrangeKernel() {
  static const RearrangeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
