//===- Proposals.cpp - Boxes from anchors at the pixels of a map ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "MapView.h"

namespace avocet::hal::conformance {
namespace {

/// GENERATE_PROPOSALS: the anchors at each pixel of a map of scores.
class Proposals {
public:
  explicit Proposals(const OperationValues &operation)
      : operation_(operation), scores_(operation, 0, operation.flag(10)), deltas_(operation, 1, operation.flag(10)),
        anchors_(boxesAt(operation, 2)), decisions_(operation.input(0).type) {}

  std::optional<Results> select() {
    Results results(3, Reals());
    for (uint32_t batch = 0; batch < operation_.input(0).dimensions[0]; ++batch)
      for (const Candidate &selected : selectOf(batch)) {
        results[0]->push_back(selected.score);
        append(selected.box, *results[1]);
        results[2]->push_back(batch);
      }
    return decisions_.areClear() ? std::optional(results) : std::nullopt;
  }

private:
  std::vector<Candidate> selectOf(uint32_t batch) {
    const Image image = imageAt(operation_, 3, batch);
    std::vector<Candidate> all, likely;
    for (int32_t y = 0; y < scores_.height(); ++y)
      for (int32_t x = 0; x < scores_.width(); ++x)
        for (uint32_t anchor = 0; anchor < anchors_.size(); ++anchor)
          all.push_back({all.size(), scores_.at(batch, y, x, anchor), boxOf({batch, y, x, anchor}, image)});
    if (const size_t most = limitOf(operation_.integer(6), 1); most < all.size())
      all = bestOf(std::move(all), most, decisions_);
    for (const Candidate &candidate : all)
      if (isUsable(candidate.box, image))
        likely.push_back(candidate);
    return suppressHard(likely, limitOf(operation_.integer(7), 1), decisions_, operation_.real(8));
  }

  Box boxOf(const Place &place, const Image &image) const {
    const double left = place.x * operation_.real(5), top = place.y * operation_.real(4);
    Box box = anchors_[place.channel];
    box = {box.x1 + left, box.y1 + top, box.x2 + left, box.y2 + top};
    double deltas[4];
    for (uint32_t i = 0; i < 4; ++i)
      deltas[i] = deltas_.at(place.batch, place.y, place.x, 4 * place.channel + i);
    return clipped(transformed(box, deltas), image);
  }

  /// Large enough, with its center in the image.
  bool isUsable(const Box &box, const Image &image) {
    const double least = operation_.real(9);
    return decisions_.isAbove(box.width(), least) && decisions_.isAbove(box.height(), least) &&
           decisions_.isAbove(image.width, box.x1 + box.width() / 2) &&
           decisions_.isAbove(image.height, box.y1 + box.height() / 2);
  }

  const OperationValues &operation_;
  MapView scores_, deltas_;
  std::vector<Box> anchors_;
  Decisions decisions_;
};

std::optional<Results> generateProposals(const OperationValues &operation) { return Proposals(operation).select(); }

constexpr Definition kRows[] = {{OperationType::GenerateProposals, generateProposals}};

} // namespace

std::span<const Definition> proposalDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
