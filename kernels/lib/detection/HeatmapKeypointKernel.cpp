//===- HeatmapKeypointKernel.cpp - Largest values of heat maps ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Detection.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/SlicedKernel.h"
#include "detection/Reals.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Value and position of a maximum, the position relative to a pixel.
struct Peak {
  float x = 0, y = 0;
  float value;
};

/// The extreme of the quadratic function through a pixel and its eight neighbors, at most 1.5 pixels away; the pixel
/// itself if the second derivatives are nearly singular.
Peak refine(const float (&grid)[3][3], float tolerance) {
  Peak peak{.value = grid[1][1]};
  // The negative gradient and the matrix of second derivatives.
  const float bx = -(grid[1][2] - grid[1][0]) / 2, by = -(grid[2][1] - grid[0][1]) / 2;
  const float xx = grid[1][0] - 2 * grid[1][1] + grid[1][2], yy = grid[0][1] - 2 * grid[1][1] + grid[2][1];
  const float xy = (grid[2][2] - grid[2][0] - grid[0][2] + grid[0][0]) / 4;
  const float product = xx * yy, determinant = product - xy * xy;
  if (!(std::abs(determinant) >= tolerance + tolerance * product))
    return peak;
  peak.x = (yy * bx - xy * by) / determinant;
  peak.y = (xx * by - xy * bx) / determinant;
  if (const float far = std::max(std::abs(peak.x), std::abs(peak.y)); far > 1.5f) {
    peak.x *= 1.5f / far;
    peak.y *= 1.5f / far;
  }
  peak.value = grid[1][1] - bx * peak.x - by * peak.y +
               ((xx * peak.x + xy * peak.y) * peak.x + (xy * peak.x + yy * peak.y) * peak.y) / 2;
  return peak;
}

/// One channel of one heat map.
class HeatMap {
public:
  HeatMap(const float *first, uint32_t size, uint32_t points) : first_(first), size_(size), points_(points) {}

  /// The refined position relative to the map, [0, 1] in both axes, and its value.
  Peak peak(float tolerance) const {
    const uint32_t best = largest(), row = best / size_, column = best % size_;
    float grid[3][3];
    for (uint32_t y = 0; y < 3; ++y)
      for (uint32_t x = 0; x < 3; ++x)
        grid[y][x] = at(mirrored(row + y) * size_ + mirrored(column + x));
    Peak peak = refine(grid, tolerance);
    peak.x = (static_cast<float>(column) + peak.x + 0.5f) / static_cast<float>(size_);
    peak.y = (static_cast<float>(row) + peak.y + 0.5f) / static_cast<float>(size_);
    return peak;
  }

private:
  float at(size_t pixel) const { return first_[pixel * points_]; }

  uint32_t largest() const {
    uint32_t best = 0;
    for (uint32_t i = 1; i < size_ * size_; ++i)
      if (at(best) < at(i) || std::isnan(at(best)))
        best = i;
    return best;
  }

  /// The pixel before `next`, which is 0 to size + 1, mirrored at the ends.
  size_t mirrored(uint32_t next) const { return next == 0 ? 1 : next > size_ ? size_ - 2 : next - 1; }

  const float *first_;
  uint32_t size_, points_;
};

class HeatmapKeypointKernel : public SlicedKernel<HeatmapKeypointParameters, &HeatmapKeypointParameters::boxes> {
public:
  KernelId id() const override { return kHeatmapKeypointKernel; }

protected:
  OperandCount inputCount() const override { return 2; }
  OperandCount outputCount() const override { return 2; }

  Status checkOperands(const DspCommand &command) const override {
    const auto &in = command.inputs, &out = command.outputs;
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<HeatmapKeypointParameters>(command.parameters));
    if (p.size < 2)
      return ruleBroken("size", p.size, "2 or more");
    AVOCET_RETURN_IF_ERROR(checkReals("input0", in[0], p.heatScale, {p.boxes, p.size, p.size, p.points}));
    AVOCET_RETURN_IF_ERROR(checkReals("input1", in[1], p.boxScale, {p.boxes, 4}));
    AVOCET_RETURN_IF_ERROR(checkReals("output0", out[0], p.scoreScale, {p.boxes, p.points}));
    return checkReals("output1", out[1], p.positionScale, {p.boxes, p.points, 2});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto p = parametersOf<HeatmapKeypointParameters>(command);
    const float tolerance = command.inputs[0].type == DataType::Float16 ? 1e-3f : 1e-5f;
    const std::vector<float> heat = readReals(command.inputs[0], p.heatScale, sram),
                             boxes = readReals(command.inputs[1], p.boxScale, sram);
    std::vector<float> scores, positions;
    for (size_t i = 0; i < p.boxes; ++i) {
      const float *box = boxes.data() + 4 * i;
      for (size_t point = 0; point < p.points; ++point) {
        const float *map = heat.data() + i * p.size * p.size * p.points + point;
        const Peak peak = HeatMap(map, p.size, p.points).peak(tolerance);
        scores.push_back(peak.value);
        positions.push_back(peak.x * (box[2] - box[0]) + box[0]);
        positions.push_back(peak.y * (box[3] - box[1]) + box[1]);
      }
    }
    writeReals(command.outputs[0], p.scoreScale, scores, sram);
    writeReals(command.outputs[1], p.positionScale, positions, sram);
  }

  /// A comparison for each pixel and 60 operations for each result.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<HeatmapKeypointParameters>(command);
    DspWork work = elementWork(command, 3, DataType::Float32);
    work.elementOps += 60ull * p.boxes * p.points;
    work.rows = uint64_t(p.boxes) * p.points;
    return work;
  }
};

} // namespace

const Kernel &heatmapKeypointKernel() {
  static const HeatmapKeypointKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
