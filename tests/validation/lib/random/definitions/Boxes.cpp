//===- Boxes.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::hal::conformance {
namespace {

double overlapOf(const Box &a, const Box &b) {
  const double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const double common = std::max(width, 0.0) * std::max(height, 0.0);
  return common / (a.width() * a.height() + b.width() * b.height() - common);
}

/// Removes the candidate with the highest score.
Candidate takeBest(std::vector<Candidate> &pending, Decisions &decisions) {
  size_t best = 0;
  for (size_t i = 1; i < pending.size(); ++i)
    if (pending[i].score > pending[best].score)
      best = i;
  for (size_t i = 0; i < pending.size(); ++i)
    if (i != best)
      decisions.isAbove(pending[best].score, pending[i].score);
  const Candidate taken = pending[best];
  pending.erase(pending.begin() + static_cast<ptrdiff_t>(best));
  return taken;
}

} // namespace

std::vector<Box> boxesAt(const OperationValues &operation, size_t position) {
  const Reals all = operation.reals(position);
  std::vector<Box> boxes;
  for (size_t i = 0; i + 3 < all.size(); i += 4)
    boxes.push_back({all[i], all[i + 1], all[i + 2], all[i + 3]});
  return boxes;
}

Box transformed(const Box &box, const double *deltas) {
  const double x = (box.x1 + box.x2) / 2 + deltas[0] * box.width();
  const double y = (box.y1 + box.y2) / 2 + deltas[1] * box.height();
  const double width = box.width() * std::exp(deltas[2]), height = box.height() * std::exp(deltas[3]);
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

Image imageAt(const OperationValues &operation, size_t position, size_t batch) {
  const Reals sizes = operation.reals(position);
  return {sizes[2 * batch], sizes[2 * batch + 1]};
}

Box clipped(const Box &box, const Image &image) {
  return {std::clamp(box.x1, 0.0, image.width), std::clamp(box.y1, 0.0, image.height),
          std::clamp(box.x2, 0.0, image.width), std::clamp(box.y2, 0.0, image.height)};
}

void append(const Box &box, Reals &all) { all.insert(all.end(), {box.x1, box.y1, box.x2, box.y2}); }

bool Decisions::isAbove(double a, double b) {
  if (!(std::fabs(a - b) > margin_ * std::max({std::fabs(a), std::fabs(b), 0x1p-10})))
    areClear_ = false;
  return a > b;
}

size_t limitOf(int32_t given, int32_t least) {
  return given < least ? std::numeric_limits<size_t>::max() : static_cast<size_t>(given);
}

std::vector<Candidate> suppress(std::vector<Candidate> pending, size_t most, Decisions &decisions,
                                const std::function<bool(Candidate &, double)> &keep) {
  std::vector<Candidate> selected;
  while (!pending.empty() && selected.size() < most) {
    selected.push_back(takeBest(pending, decisions));
    const Box &last = selected.back().box;
    std::vector<Candidate> kept;
    for (Candidate &candidate : pending)
      if (keep(candidate, overlapOf(last, candidate.box)))
        kept.push_back(candidate);
    pending = std::move(kept);
  }
  return selected;
}

std::vector<Candidate> suppressHard(const std::vector<Candidate> &pending, size_t most, Decisions &decisions,
                                    double threshold) {
  return suppress(pending, most, decisions,
                  [&](const Candidate &, double overlap) { return !decisions.isAbove(overlap, threshold); });
}

std::vector<Candidate> bestOf(std::vector<Candidate> candidates, size_t most, Decisions &decisions) {
  std::ranges::sort(candidates, std::greater<>(), &Candidate::score);
  for (size_t i = 1; i < candidates.size() && i <= most; ++i)
    decisions.isAbove(candidates[i - 1].score, candidates[i].score);
  candidates.resize(std::min(candidates.size(), most));
  return candidates;
}

} // namespace avocet::hal::conformance
