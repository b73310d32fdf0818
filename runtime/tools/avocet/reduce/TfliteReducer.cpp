//===- TfliteReducer.cpp - Reduction of a .tflite model -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteReducer.h"

#include <algorithm>
#include <utility>

namespace avocet::tool {

Status TfliteReducer::begin(const Bytes &file, const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(model_, analysis::parseTflite(file, name));
  std::optional<Bytes> rewritten = make(dropAnnotations);
  if (!rewritten)
    return invalidArgument(name + ": has no operator whose result is an output, so there is nothing to reduce");
  AVOCET_RETURN_IF_ERROR(tester_.requireInteresting(
      *rewritten, "the file as reduce writes it, without signatures, metadata and unused parts"));
  file_ = std::move(*rewritten);
  AVOCET_ASSIGN_OR_RETURN(model_, analysis::parseTflite(file_, name));
  return Status::ok();
}

Status TfliteReducer::run() {
  for (Bytes before; before != file_;) {
    before = file_;
    AVOCET_RETURN_IF_ERROR(shrinkOperators());
    AVOCET_RETURN_IF_ERROR(shrinkShapes());
    AVOCET_RETURN_IF_ERROR(shrinkConstants());
  }
  return Status::ok();
}

/// None: the edit does not apply, or changes nothing.
std::optional<Bytes> TfliteReducer::make(const Edit &edit) const {
  tflite::ModelT candidate = model_;
  if (!edit(candidate))
    return std::nullopt;
  std::optional<Bytes> bytes = analysis::serialize(std::move(candidate));
  return bytes && *bytes != file_ && accept_(*bytes) ? std::move(bytes) : std::nullopt;
}

/// Applies the first edit whose result is interesting.
Result<std::optional<size_t>> TfliteReducer::applyFirst(const std::vector<Edit> &edits) {
  AVOCET_ASSIGN_OR_RETURN(const std::optional<size_t> found,
                          tester_.firstInteresting(edits.size(), [&](size_t index) { return make(edits[index]); }));
  if (found) {
    file_ = make(edits[*found]).value();
    AVOCET_ASSIGN_OR_RETURN(model_, analysis::parseTflite(file_, "candidate"));
    if (onProgress)
      AVOCET_RETURN_IF_ERROR(onProgress());
  }
  return found;
}

/// Applies the edit to ranges of `chunk` elements, from the first to the last one, where the result is interesting.
Status TfliteReducer::sweep(const Count &count, const RangeEdit &edit, size_t &chunk) {
  for (size_t first = 0; first < count();) {
    std::vector<Edit> edits;
    for (size_t next = first; next < count(); next += chunk)
      edits.emplace_back([&edit, range = Range{next, chunk}](tflite::ModelT &model) { return edit(model, range); });
    AVOCET_ASSIGN_OR_RETURN(const std::optional<size_t> found, applyFirst(edits));
    if (!found)
      break;
    first += *found * chunk; // the elements after the range have moved there
    chunk = std::clamp<size_t>(count() / 2, 1, chunk);
  }
  return Status::ok();
}

/// Applies the edit to as much of a list as possible, in chunks of falling size.
Status TfliteReducer::shrink(std::string_view step, const Count &count, const RangeEdit &edit) {
  step_ = step;
  for (size_t chunk = std::max<size_t>(1, count() / 2);; chunk /= 2) {
    AVOCET_RETURN_IF_ERROR(sweep(count, edit, chunk));
    if (chunk == 1)
      return Status::ok();
  }
}

Status TfliteReducer::shrinkOperators() {
  const Count operators = [this] { return analysis::mainGraph(model_).operators.size(); };
  const Count outputs = [this] { return analysis::mainGraph(model_).outputs.size(); };
  AVOCET_RETURN_IF_ERROR(shrink("operators", operators, cutOperators));
  AVOCET_RETURN_IF_ERROR(shrink("operators", operators, bypassOperators));
  return shrink("outputs", outputs, dropOutputs);
}

Status TfliteReducer::shrinkConstants() {
  for (Filling filling : {Filling::Zero, Filling::FirstElement}) {
    const Count count = [this, filling] { return unfilledBuffers(model_, filling).size(); };
    AVOCET_RETURN_IF_ERROR(shrink("constants", count, [filling](tflite::ModelT &model, Range range) {
      return fillConstants(model, filling, range);
    }));
  }
  return Status::ok();
}

Status TfliteReducer::shrinkShapes() {
  step_ = "shapes";
  for (;;) {
    std::vector<Edit> edits;
    for (const ShapeChange &change : shapeChanges(model_))
      edits.emplace_back([change](tflite::ModelT &model) { return changeShapes(model, change); });
    AVOCET_ASSIGN_OR_RETURN(const std::optional<size_t> found, applyFirst(edits));
    if (!found)
      return Status::ok();
  }
}

} // namespace avocet::tool
