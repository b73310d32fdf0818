//===- Comparison.cpp - Where two sets of tensors differ --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"

#include "avocet/analysis/SourceMap.h"
#include "avocet/firmware_iface/Output.h"
#include "avocet/session/Tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace avocet::tool {

/// The place of a floating-point number in the order of its format, from its bits: neighbors differ by 1.
template <typename Bits> static int64_t placeOf(std::span<const uint8_t> bytes, uint64_t index) {
  Bits bits;
  std::memcpy(&bits, &bytes[index * sizeof(bits)], sizeof(bits));
  constexpr Bits kSign = Bits(1) << (8 * sizeof(Bits) - 1);
  return bits & kSign ? -int64_t(bits & ~kSign) : int64_t(bits);
}

/// Steps between two elements whose real values are `distance` apart.
static double stepsBetween(const ExpectedTensor &expected, std::span<const uint8_t> found, uint64_t index,
                           double distance) {
  if (std::isnan(distance)) // of two infinities, or a NaN has no place in the order
    return INFINITY;
  if (expected.type == firmware::DataType::Float32)
    return std::abs(double(placeOf<uint32_t>(expected.bytes, index) - placeOf<uint32_t>(found, index)));
  if (isFloat(expected.type)) // of 16 bits
    return std::abs(double(placeOf<uint16_t>(expected.bytes, index) - placeOf<uint16_t>(found, index)));
  return std::round(distance / expected.scale);
}

Difference differenceOf(const ExpectedTensor &expected, std::span<const uint8_t> found, const Tolerance &tolerance) {
  const size_t size = sizeOf(expected.type);
  const float scale = static_cast<float>(expected.scale);
  const cache::OperandView operand{"", expected.type, {}, expected.bytes.size(), {&scale, 1}, {&expected.zeroPoint, 1},
                                   -1};
  Difference difference;
  difference.elements = expected.bytes.size() / size;
  double signal = 0, noise = 0;
  for (uint64_t i = 0; i < difference.elements; ++i) {
    const double wanted = session::realValue(operand, expected.bytes, i);
    signal += wanted * wanted;
    if (std::memcmp(&expected.bytes[i * size], &found[i * size], size) == 0)
      continue;
    const double value = session::realValue(operand, found, i);
    const double distance = std::abs(value - wanted);
    if (distance <= tolerance.real || stepsBetween(expected, found, i, distance) <= double(tolerance.steps))
      continue;
    if (difference.differing++ == 0) {
      difference.first = i;
      difference.expected = wanted;
      difference.found = value;
    }
    difference.largest = std::max(difference.largest, distance);
    noise += distance * distance;
  }
  if (noise > 0)
    difference.sqnr = 10 * std::log10(signal / noise);
  return difference;
}

namespace {

using Outcome = ComparedTensor::Outcome;

bool isByte(firmware::DataType type) { return type == firmware::DataType::Int8 || type == firmware::DataType::UInt8; }

/// The same real values in the other signedness: the compiler changes it only together with the zero point.
ExpectedTensor withOtherSign(ExpectedTensor tensor) {
  const bool toSigned = tensor.type == firmware::DataType::UInt8;
  tensor.type = toSigned ? firmware::DataType::Int8 : firmware::DataType::UInt8;
  tensor.zeroPoint += toSigned ? -128 : 128;
  for (uint8_t &byte : tensor.bytes)
    byte ^= 0x80;
  return tensor;
}

/// Sets outcome and difference.
void compare(const ExpectedTensor &expected, firmware::DataType type, std::span<const uint8_t> found,
             const Tolerance &tolerance, ComparedTensor &tensor) {
  if (expected.bytes.size() != found.size() || (expected.type != type && !(isByte(expected.type) && isByte(type)))) {
    tensor.outcome = Outcome::OtherForm;
    return;
  }
  tensor.difference = differenceOf(expected.type == type ? expected : withOtherSign(expected), found, tolerance);
  tensor.outcome = tensor.difference.differing == 0 ? Outcome::Equal : Outcome::Differs;
}

bool isCompared(const ComparedTensor &tensor) {
  return tensor.outcome == Outcome::Equal || tensor.outcome == Outcome::Differs;
}

/// Results after the first of an operation, if the first one has the form of the operator's first output: otherwise the
/// operation may have its results in another order.
void addFurther(const TensorTrace &trace, const ExpectedTensors &expected, const Tolerance &tolerance,
                std::vector<ComparedTensor> &compared) {
  for (const FurtherResult &result : trace.further()) {
    const auto wanted = expected.find(result.name);
    const auto first = std::ranges::find(compared, size_t{result.operation}, &ComparedTensor::operation);
    if (wanted == expected.end() || first == compared.end() || !isCompared(*first) || !result.isComplete())
      continue;
    ComparedTensor tensor;
    tensor.operation = result.operation;
    tensor.name = result.name;
    tensor.isFurther = true;
    compare(wanted->second, result.type, result.bytes, tolerance, tensor);
    compared.push_back(std::move(tensor));
  }
}

/// Outputs of the network whose names have no comparison yet.
void addOutputs(const analysis::SourceMap &map, const TensorTrace &trace, const ExpectedTensors &expected,
                const Tolerance &tolerance, std::vector<ComparedTensor> &compared) {
  for (size_t i = 0; i < trace.outputs().size(); ++i) {
    const cache::OperandView output = map.model().output(i);
    const auto wanted = expected.find(output.name);
    const auto known = std::ranges::find_if(
        compared, [&](const ComparedTensor &tensor) { return !tensor.output && tensor.name == output.name; });
    const bool isDone = known != compared.end() && isCompared(*known) && !known->part;
    if (wanted == expected.end() || isDone)
      continue;
    if (known != compared.end() && !known->part)
      compared.erase(known);
    ComparedTensor &tensor = compared.emplace_back();
    tensor.output = i;
    tensor.name = output.name;
    compare(wanted->second, output.type, trace.outputs()[i], tolerance, tensor);
  }
}

/// The expected bytes of a part.
ExpectedTensor expectedPart(const ExpectedTensor &whole, const JoinedPart &part,
                            const cache::SourceOperationView &operation) {
  return {whole.type, whole.scale, whole.zeroPoint, bytesOfPart(part, operation, whole.bytes)};
}

ComparedTensor compareFirst(const analysis::SourceMap &map, const TensorTrace &trace, size_t operation,
                            const ExpectedTensors &expected, const Tolerance &tolerance) {
  const cache::SourceOperationView view = map.model().sourceOperation(operation);
  ComparedTensor tensor;
  tensor.operation = operation;
  tensor.name = view.name;
  const auto found = expected.find(view.name);
  if (found == expected.end()) {
    tensor.outcome = Outcome::Unknown;
    return tensor;
  }
  if (found->second.bytes.size() > trace[operation].bytes.size() && sizeOf(found->second.type) == sizeOf(view.type))
    tensor.part = joinedPartOf(map, static_cast<uint32_t>(operation), found->second.bytes.size());
  if (tensor.part)
    compare(expectedPart(found->second, *tensor.part, view), view.type, trace[operation].bytes, tolerance, tensor);
  else
    compare(found->second, view.type, trace[operation].bytes, tolerance, tensor);
  if (isCompared(tensor) && !trace.isComplete(map, operation)) {
    tensor.outcome = Outcome::NotSeen;
    tensor.difference = {};
  }
  return tensor;
}

} // namespace

std::vector<ComparedTensor> compareTensors(const analysis::SourceMap &map, const TensorTrace &trace,
                                           const ExpectedTensors &expected, const Tolerance &tolerance) {
  std::map<std::string_view, size_t> lastOf;
  for (size_t i = 0; i < trace.size(); ++i)
    lastOf[map.model().sourceOperation(i).name] = i;
  std::vector<ComparedTensor> compared;
  for (size_t i = 0; i < trace.size(); ++i) {
    ComparedTensor tensor = compareFirst(map, trace, i, expected, tolerance);
    if (lastOf[map.model().sourceOperation(i).name] == i || (tensor.part && isCompared(tensor)))
      compared.push_back(std::move(tensor));
  }
  addFurther(trace, expected, tolerance, compared);
  addOutputs(map, trace, expected, tolerance, compared);
  return compared;
}

ExpectedTensors observedTensors(const analysis::SourceMap &map, const TensorTrace &trace) {
  ExpectedTensors tensors;
  for (size_t i = 0; i < trace.size(); ++i)
    if (const auto operation = map.model().sourceOperation(i); trace.isComplete(map, i))
      tensors[std::string(operation.name)] = {operation.type, 1, 0, trace[i].bytes};
  for (const FurtherResult &result : trace.further())
    if (result.isComplete())
      tensors.try_emplace(result.name, ExpectedTensor{result.type, 1, 0, result.bytes});
  for (size_t i = 0; i < trace.outputs().size(); ++i)
    if (const cache::OperandView output = map.model().output(i); !output.name.empty())
      tensors.try_emplace(std::string(output.name), ExpectedTensor{output.type, 1, 0, trace.outputs()[i]});
  return tensors;
}

std::vector<analysis::CommandPlace> writersOf(const analysis::SourceMap &map, uint32_t operation,
                                              const analysis::ElementPlace &element) {
  std::vector<analysis::CommandPlace> writers;
  const auto covers = [](uint32_t begin, uint32_t count, uint32_t index) {
    return begin <= index && index - begin < count;
  };
  for (size_t stream = 0; stream < map.numStreams(); ++stream)
    for (uint32_t i = 0; i < map.commands(stream).size(); ++i) {
      const cache::SourceCommand &source = map.source({stream, i});
      if (source.operation != operation || !map.isTile({stream, i}) || !isBoxOfResult(map, {stream, i}))
        continue;
      const firmware::FeatureMap &tile = *firstOutput(map.commands(stream)[i].body);
      if (covers(source.row, tile.height, element.row) && covers(source.column, tile.width, element.column) &&
          covers(source.channel, tile.channels, element.channel))
        writers.push_back({stream, i});
    }
  return writers;
}

analysis::ElementPlace placeOfElement(const cache::SourceOperationView &operation, uint64_t element) {
  const uint64_t pixel = element / operation.channels;
  return {static_cast<uint32_t>(pixel / operation.width), static_cast<uint32_t>(pixel % operation.width),
          static_cast<uint32_t>(element % operation.channels)};
}

} // namespace avocet::tool
