//===- Detection.cpp - Boxes of detected objects --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"

#include <algorithm>
#include <cmath>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

std::optional<Reals> boxTransform(const OperationValues &operation) {
  const std::vector<Box> boxes = boxesAt(operation, 0);
  const Reals deltas = operation.reals(1);
  const std::vector<int32_t> batches = operation.integers(2);
  const size_t classes = operation.input(1).dimensions[1] / 4;
  Reals result;
  for (size_t i = 0; i < boxes.size() * classes; ++i) {
    const size_t box = i / classes;
    const Image image = imageAt(operation, 3, static_cast<size_t>(batches[box]));
    append(clipped(transformed(boxes[box], &deltas[4 * i]), image), result);
  }
  return result;
}

/// The rows of one image, which are consecutive.
struct ImageRows {
  size_t begin, end;
};

std::vector<ImageRows> imagesOf(const std::vector<int32_t> &batches) {
  std::vector<ImageRows> images;
  for (size_t row = 0; row < batches.size(); ++row)
    if (row == 0 || batches[row] != batches[row - 1])
      images.push_back({row, row + 1});
    else
      images.back().end = row + 1;
  return images;
}

/// BOX_WITH_NMS_LIMIT. The index of a candidate is its row times the classes plus its class; class 0 is the background.
class LimitedBoxes {
public:
  explicit LimitedBoxes(const OperationValues &operation)
      : operation_(operation), scores_(operation.reals(0)), boxes_(boxesAt(operation, 1)),
        classes_(operation.input(0).dimensions[1]), most_(limitOf(operation.integer(4), 0)),
        decisions_(operation.input(0).type) {}

  std::optional<Results> select() {
    const std::vector<int32_t> batches = operation_.integers(2);
    Results results(4, Reals());
    for (const ImageRows &image : imagesOf(batches))
      for (const Candidate &selected : selectOf(image)) {
        results[0]->push_back(selected.score);
        append(selected.box, *results[1]);
        results[2]->push_back(static_cast<double>(selected.index % classes_));
        results[3]->push_back(batches[image.begin]);
      }
    return decisions_.areClear() ? std::optional(results) : std::nullopt;
  }

private:
  /// By class, then by descending score.
  std::vector<Candidate> selectOf(const ImageRows &image) {
    std::vector<Candidate> all;
    for (size_t number = 1; number < classes_; ++number) {
      const std::vector<Candidate> selected =
          suppress(candidatesOf(image, number), most_, decisions_,
                   [this](Candidate &other, double overlap) { return lower(other, overlap); });
      all.insert(all.end(), selected.begin(), selected.end());
    }
    if (all.size() > most_)
      all = bestOf(std::move(all), most_, decisions_);
    std::ranges::sort(all, {}, [this](const Candidate &one) { return std::pair(one.index % classes_, -one.score); });
    return all;
  }

  std::vector<Candidate> candidatesOf(const ImageRows &image, size_t number) {
    std::vector<Candidate> candidates;
    for (size_t row = image.begin; row < image.end; ++row) {
      const size_t index = row * classes_ + number;
      if (decisions_.isAbove(scores_[index], operation_.real(3)))
        candidates.push_back({index, scores_[index], boxes_[index]});
    }
    return candidates;
  }

  /// False: the score is now too low.
  bool lower(Candidate &other, double overlap) {
    const int32_t kernel = operation_.integer(5);
    if (kernel == 2)
      other.score *= std::exp(-overlap * overlap / operation_.real(7));
    else if (decisions_.isAbove(overlap, operation_.real(6)))
      other.score *= kernel == 1 ? 1 - overlap : 0;
    return decisions_.isAbove(other.score, operation_.real(8));
  }

  const OperationValues &operation_;
  Reals scores_;
  std::vector<Box> boxes_;
  size_t classes_, most_;
  Decisions decisions_;
};

std::optional<Results> boxWithNmsLimit(const OperationValues &operation) { return LimitedBoxes(operation).select(); }

/// DETECTION_POSTPROCESSING. Boxes are y1, x1, y2, x2: the names of a Box's members are exchanged.
class Postprocessing {
public:
  explicit Postprocessing(const OperationValues &operation)
      : operation_(operation), scores_(operation.reals(0)), anchors_(operation.input(0).dimensions[1]),
        classes_(operation.input(0).dimensions[2]), decisions_(operation.input(0).type) {}

  std::optional<Results> run() {
    const size_t batches = operation_.input(0).dimensions[0], room = operation_.output(0).dimensions[1];
    Results results{Reals(batches * room), Reals(batches * room * 4), Reals(batches * room), Reals(batches)};
    for (size_t batch = 0; batch < batches; ++batch) {
      const std::vector<Candidate> found = operation_.boolean(7) ? selectByClass(batch) : selectOnce(batch);
      for (size_t i = 0; i < found.size(); ++i)
        store(found[i], batch * room + i, results);
      results[3]->at(batch) = static_cast<double>(found.size());
    }
    return decisions_.areClear() ? std::optional(results) : std::nullopt;
  }

private:
  size_t limit(size_t position) const { return static_cast<size_t>(operation_.integer(position)); }
  double scoreOf(size_t batch, size_t anchor, size_t number) const {
    return scores_[(batch * anchors_ + anchor) * classes_ + number];
  }

  /// The index is the class, as it is labeled.
  void store(const Candidate &found, size_t place, Results &results) const {
    results[0]->at(place) = found.score;
    const double corners[] = {found.box.x1, found.box.y1, found.box.x2, found.box.y2};
    std::ranges::copy(corners, results[1]->begin() + static_cast<ptrdiff_t>(4 * place));
    results[2]->at(place) = static_cast<double>(found.index) - (operation_.boolean(13) ? 0 : 1);
  }

  /// Anchors are center and size, in both directions y first.
  Box boxOf(size_t batch, size_t anchor) const {
    const Reals anchors = operation_.reals(2), deltas = operation_.reals(1);
    const double *own = &anchors[4 * anchor];
    const double *delta = &deltas[(batch * anchors_ + anchor) * operation_.input(1).dimensions[2]];
    const Box box{own[0] - own[2] / 2, own[1] - own[3] / 2, own[0] + own[2] / 2, own[1] + own[3] / 2};
    double scaled[4];
    for (size_t i = 0; i < 4; ++i)
      scaled[i] = delta[i] / operation_.real(3 + i);
    return transformed(box, scaled);
  }

  void addIfLikely(Candidate candidate, std::vector<Candidate> &all) {
    if (decisions_.isAbove(candidate.score, operation_.real(11)))
      all.push_back(candidate);
  }

  /// Each class suppresses its own boxes.
  std::vector<Candidate> selectByClass(size_t batch) {
    std::vector<Candidate> all;
    for (size_t number = 1; number < classes_; ++number) {
      std::vector<Candidate> likely;
      for (size_t anchor = 0; anchor < anchors_; ++anchor)
        addIfLikely({number, scoreOf(batch, anchor, number), boxOf(batch, anchor)}, likely);
      const auto selected = suppressHard(likely, limit(10), decisions_, operation_.real(12));
      all.insert(all.end(), selected.begin(), selected.end());
    }
    return bestOf(std::move(all), limit(8), decisions_);
  }

  /// The classes of an anchor by descending score.
  std::vector<Candidate> classesOf(size_t batch, size_t anchor, size_t most) {
    std::vector<Candidate> all;
    for (size_t number = 1; number < classes_; ++number)
      all.push_back({number, scoreOf(batch, anchor, number), boxOf(batch, anchor)});
    return bestOf(std::move(all), most, decisions_);
  }

  /// Boxes with their best class suppress each other; each that is selected has its best classes.
  std::vector<Candidate> selectOnce(size_t batch) {
    std::vector<Candidate> likely, all;
    for (size_t anchor = 0; anchor < anchors_; ++anchor) {
      double best = scoreOf(batch, anchor, 1);
      for (size_t number = 2; number < classes_; ++number)
        best = std::max(best, scoreOf(batch, anchor, number));
      addIfLikely({anchor, best, boxOf(batch, anchor)}, likely);
    }
    for (const Candidate &selected : suppressHard(likely, limit(8), decisions_, operation_.real(12))) {
      const auto classes = classesOf(batch, selected.index, limit(9));
      all.insert(all.end(), classes.begin(), classes.end());
    }
    return all;
  }

  const OperationValues &operation_;
  Reals scores_;
  size_t anchors_, classes_;
  Decisions decisions_;
};

std::optional<Results> postprocessing(const OperationValues &operation) { return Postprocessing(operation).run(); }

constexpr Definition kRows[] = {
    {AxisAlignedBboxTransform, boxTransform},
    {BoxWithNmsLimit, boxWithNmsLimit},
    {DetectionPostprocessing, postprocessing},
};

} // namespace

std::span<const Definition> detectionDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
