//===- Matrix.h - Matrices in SRAM as rows of floats ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CELLS_MATRIX_H
#define AVOCET_KERNELS_LIB_CELLS_MATRIX_H

#include "avocet/kernels/dsp/Cells.h"
#include "common/CellWork.h"
#include "common/DynamicScale.h"
#include "common/MapParts.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace avocet::kernels {

/// How 8-bit weights multiply: see HybridCells.h.
struct HybridScale {
  float scale = 0; ///< 0: the weights are floats
  bool asymmetric = false;
};

/// A copy of the elements of a matrix, or of the pixels of a sequence as rows; f16 and i8 become f32.
class Matrix {
public:
  Matrix(const firmware::FeatureMap &map, std::span<uint8_t> sram, HybridScale hybrid = {});

  uint32_t rows() const { return rows_; }
  uint32_t columns() const { return columns_; }
  std::span<const float> row(uint32_t r) const {
    return std::span(elements_).subspan(uint64_t(r) * columns_, columns_);
  }

  const HybridScale &hybrid() const { return hybrid_; }

private:
  uint32_t rows_, columns_;
  HybridScale hybrid_;
  std::vector<float> elements_;
};

/// Extents of a sequence, and where its rows are.
struct SequenceShape {
  SequenceShape(const firmware::FeatureMap &map, StepOrder order)
      : order(order), steps(order == StepOrder::TimeMajor ? map.height : map.width),
        batch(order == StepOrder::TimeMajor ? map.width : map.height) {}

  /// Number of the pixel.
  uint32_t row(uint32_t step, uint32_t element) const {
    return order == StepOrder::TimeMajor ? step * batch + element : element * steps + step;
  }

  StepOrder order;
  uint32_t steps, batch;
};

/// Rounds a row to the type of the map.
void storeRow(const firmware::FeatureMap &map, std::span<uint8_t> sram, uint32_t row, std::span<const float> values);

/// Ok if the map is a matrix of this type and shape.
Status checkMatrix(std::string_view name, const firmware::FeatureMap &map, firmware::DataType type, uint64_t rows,
                   uint64_t columns);

/// Ok if the order is valid, input and output have equal types, steps and batches, and the output has `outputs`
/// channels.
Status checkSequences(StepOrder order, const firmware::FeatureMap &input, const firmware::FeatureMap &output,
                      uint64_t outputs);

/// Number of batch elements; for one element the number of its steps, if memory holds the states between them exactly:
/// those of f16 kernels are rounded when they are stored.
inline uint32_t sequenceParts(const firmware::FeatureMap &input, StepOrder order) {
  const SequenceShape sequence(input, order);
  if (sequence.batch > 1)
    return sequence.batch;
  return input.type == firmware::DataType::Float16 ? 1 : sequence.steps;
}

/// Which operands of a cell's command are the sequences, and which pairs of an input and an output are states.
struct SequenceOperands {
  size_t input, output;
  std::vector<std::pair<size_t, size_t>> states;
};

/// Part [first, first + count) of a command of sequenceParts(): of its batch, or of its steps, which continue from the
/// previous ones. Operands that are not named stay unchanged.
firmware::DspCommand sequencePart(const firmware::DspCommand &command, StepOrder order,
                                  const SequenceOperands &operands, uint32_t first, uint32_t count);

Status checkActivation(CellActivation activation);
float activated(CellActivation activation, float x);
float sigmoid(float x);

/// Adds the work of the products of a matrix with vectors that follow each other: a loop for each row of the matrix,
/// and weights that are read for each vector (once in `work` before). Bytes are multiplied in lanes of bytes.
void addProducts(const firmware::FeatureMap &matrix, uint64_t vectors, DspWork &work);

float dot(std::span<const float> a, std::span<const float> b);

/// sums += weights * x
void multiplyAdd(const Matrix &weights, std::span<const float> x, std::span<float> sums);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CELLS_MATRIX_H
