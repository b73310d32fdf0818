//===- PlaceConcatenation.cpp - CONCATENATION --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of other operations are written in place, side by side, so that nothing is left to do. Elements that the
// array does not have are copied by the DSP if their operations cannot write them in place.
//
//===----------------------------------------------------------------------===//

#include "Rearrange.h"
#include "Views.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Each operation that writes a part is compared with all others.
constexpr size_t kMostInPlace = 256;

/// The axis of storage tensors that is the result's axis, if the result's rows allow that.
std::optional<unsigned> storageAxis(nn::ConcatenationOp op) {
  auto type = tensorOf(op.getOutput());
  const auto rank = static_cast<size_t>(type.getRank()), axis = static_cast<size_t>(op.getAxis());
  if (axis + 2 >= rank)
    return axis + 1 == rank ? 2 : 1;
  const bool isOutermost = llvm::all_of(type.getShape().take_front(axis), [](int64_t extent) { return extent == 1; });
  return isOutermost ? std::optional(0u) : std::nullopt;
}

/// Null if the parts cannot be written in place.
FailureOr<Value> concatenateInPlace(nn::ConcatenationOp op, Placement &placement) {
  const std::optional<unsigned> axis = storageAxis(op);
  if (!axis || op.getInputs().size() > kMostInPlace)
    return Value();
  SmallVector<Value> parts;
  for (Value input : op.getInputs())
    parts.push_back(placement.operand(input));
  return placeJoin(op, parts, *axis, placement);
}

/// A tensor that one command reads or writes.
struct Part {
  Value storage;
  SmallVector<int64_t> shape;
};

/// Concatenates the parts along the axis.
FailureOr<Part> join(nn::ConcatenationOp op, ArrayRef<Part> parts, Placement &placement) {
  Part whole{{}, parts.front().shape};
  whole.shape[op.getAxis()] = 0;
  for (const Part &part : parts)
    whole.shape[op.getAxis()] += part.shape[op.getAxis()];
  kernels::RearrangeParameters parameters;
  SmallVector<int64_t> position(whole.shape.size(), 0);
  SmallVector<Value> inputs;
  for (auto [number, part] : llvm::enumerate(parts)) {
    parameters.moves.push_back(placedAt(static_cast<uint32_t>(number), part.shape, whole.shape, position));
    position[op.getAxis()] += part.shape[op.getAxis()];
    inputs.push_back(part.storage);
  }
  FailureOr<Value> joined = placeRearrange(op, inputs, storageShape(whole.shape), parameters, placement);
  if (failed(joined))
    return failure();
  whole.storage = *joined;
  return whole;
}

/// Joins up to kMost parts per command: each is a box of two axes in ten words, and a command has limited words.
FailureOr<Value> concatenateOnDsp(nn::ConcatenationOp op, Placement &placement) {
  constexpr size_t kMost = 24;
  SmallVector<Part> parts;
  for (Value input : op.getInputs())
    parts.push_back({placement.operand(input), SmallVector<int64_t>(tensorOf(input).getShape())});
  while (parts.size() > 1) {
    SmallVector<Part> joined;
    for (ArrayRef<Part> rest = parts; !rest.empty(); rest = rest.drop_front(std::min(kMost, rest.size()))) {
      FailureOr<Part> part = join(op, rest.take_front(kMost), placement);
      if (failed(part))
        return failure();
      joined.push_back(*part);
    }
    parts = joined;
  }
  return parts.front().storage;
}

LogicalResult placeConcatenation(nn::ConcatenationOp op, Placement &placement) {
  FailureOr<Value> joined = concatenateInPlace(op, placement);
  if (succeeded(joined) && !*joined)
    joined = concatenateOnDsp(op, placement);
  return failed(joined) ? failure() : placement.finish(op, *joined);
}

} // namespace

void addConcatenationPlacers(PlacerTable &table) { table.add(placeConcatenation); }

} // namespace avocet::compiler
