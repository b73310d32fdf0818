//===- Boxes.h - Boxes and decisions about them -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_DEFINITIONS_BOXES_H
#define AVOCET_VALIDATION_RANDOM_DEFINITIONS_BOXES_H

#include "../Definitions.h"

#include <functional>

namespace avocet::hal::conformance {

struct Box {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  double width() const { return x2 - x1; }
  double height() const { return y2 - y1; }
};

/// All boxes of a tensor, four elements each.
std::vector<Box> boxesAt(const OperationValues &operation, size_t position);

/// Appends the four corners.
void append(const Box &box, Reals &all);

/// A box after its center has moved by dx and dy of its size, and its size has grown by e to the power dw and dh:
/// four deltas.
Box transformed(const Box &box, const double *deltas);

struct Image {
  double height, width;
};

/// The size of the image `batch` in a tensor [batches, 2].
Image imageAt(const OperationValues &operation, size_t position, size_t batch);

Box clipped(const Box &box, const Image &image);

/// Comparisons of computed numbers. If any is too close, so that another order of operations could turn it, the result
/// is not defined.
class Decisions {
public:
  /// `type`: of the numbers, whose precision the margin depends on.
  explicit Decisions(OperandType type) : margin_(type == OperandType::TensorFloat16 ? 0x1p-8 : 0x1p-16) {}

  bool isAbove(double a, double b);
  bool areClear() const { return areClear_; }

private:
  double margin_;
  bool areClear_ = true;
};

/// A number of boxes; `given` below `least`: unlimited.
size_t limitOf(int32_t given, int32_t least);

/// A box that may be selected.
struct Candidate {
  size_t index = 0; ///< chosen by the caller
  double score = 0;
  Box box;
};

/// Selects up to `most` candidates by descending score. `keep(candidate, overlap)` decides about each of the others
/// after one is selected, and may lower its score; `overlap`: intersection over union.
std::vector<Candidate> suppress(std::vector<Candidate> pending, size_t most, Decisions &decisions,
                                const std::function<bool(Candidate &, double overlap)> &keep);

/// Drops those that overlap a selected one by `threshold` or more.
std::vector<Candidate> suppressHard(const std::vector<Candidate> &pending, size_t most, Decisions &decisions,
                                    double threshold);

/// The best `most` by descending score.
std::vector<Candidate> bestOf(std::vector<Candidate> candidates, size_t most, Decisions &decisions);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_DEFINITIONS_BOXES_H
