//===- Detection.cpp - Boxes of detected objects --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "MapView.h"

#include <algorithm>
#include <cmath>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

size_t limitOf(int32_t given, int32_t least) { return given < least ? kUnlimited : static_cast<size_t>(given); }

/// A box after its centre has moved by dx and dy of its size, and its size has grown by e to the power dw and dh.
Box transformed(const Box &box, const double *deltas) {
  const double x = (box.x1 + box.x2) / 2 + deltas[0] * box.width();
  const double y = (box.y1 + box.y2) / 2 + deltas[1] * box.height();
  const double width = box.width() * std::exp(deltas[2]), height = box.height() * std::exp(deltas[3]);
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

struct Image {
  double height, width;
};

Image imageAt(const OperationValues &operation, size_t position, size_t batch) {
  const Reals sizes = operation.reals(position);
  return {sizes[2 * batch], sizes[2 * batch + 1]};
}

Box clipped(const Box &box, const Image &image) {
  return {std::clamp(box.x1, 0.0, image.width), std::clamp(box.y1, 0.0, image.height),
          std::clamp(box.x2, 0.0, image.width), std::clamp(box.y2, 0.0, image.height)};
}

void append(const Box &box, Reals &all) { all.insert(all.end(), {box.x1, box.y1, box.x2, box.y2}); }

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

  /// The index is the class, as it is labelled.
  void store(const Candidate &found, size_t place, Results &results) const {
    results[0]->at(place) = found.score;
    const double corners[] = {found.box.x1, found.box.y1, found.box.x2, found.box.y2};
    std::ranges::copy(corners, results[1]->begin() + static_cast<ptrdiff_t>(4 * place));
    results[2]->at(place) = static_cast<double>(found.index) - (operation_.boolean(13) ? 0 : 1);
  }

  /// Anchors are centre and size, in both directions y first.
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

  /// Large enough, with its centre in the image.
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

constexpr Definition kRows[] = {
    {AxisAlignedBboxTransform, boxTransform},
    {BoxWithNmsLimit, boxWithNmsLimit},
    {DetectionPostprocessing, postprocessing},
    {GenerateProposals, generateProposals},
};

} // namespace

std::span<const Definition> detectionDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
