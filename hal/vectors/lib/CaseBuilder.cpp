//===- CaseBuilder.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseBuilder.h"

#include "avocet/hal/vectors/SharedArea.h"

#include <algorithm>

namespace avocet::hal::conformance {
namespace {

template <typename T> std::vector<T> copyOf(const flatbuffers::Vector<T> *list) {
  return list ? std::vector<T>(list->begin(), list->end()) : std::vector<T>();
}

/// Converts bytes of an unsigned operand to signed ones, 128 less: only the top bit changes.
void makeSigned(Bytes &bytes) {
  for (uint8_t &byte : bytes)
    byte ^= 0x80;
}

class CaseBuilder {
public:
  explicit CaseBuilder(Form form) : form_(form) {}

  Subgraph graph(const vectors::Subgraph &source);
  /// One pool with the constants of lifetime ConstantReference; empty if there are none.
  avocet::Result<std::vector<SharedMemory>> pools() const;
  Bytes takeOperandValues() { return std::move(copied_); }

  OperandType typeOf(int32_t code) const { return isCoupled(code) ? kSigned : static_cast<OperandType>(code); }
  Bytes dataOf(const flatbuffers::Vector<uint8_t> *data, int32_t type) const;

private:
  static constexpr OperandType kUnsigned = OperandType::TensorQuant8Asymm;
  static constexpr OperandType kSigned = OperandType::TensorQuant8AsymmSigned;

  bool isCoupled(int32_t code) const { return form_ == Form::Signed && static_cast<OperandType>(code) == kUnsigned; }
  Operand operand(const vectors::Operand &source);
  DataLocation place(Bytes &area, const Bytes &data);

  Form form_;
  Bytes copied_;
  Bytes referenced_;
};

Bytes CaseBuilder::dataOf(const flatbuffers::Vector<uint8_t> *data, int32_t type) const {
  Bytes bytes = copyOf(data);
  if (isCoupled(type))
    makeSigned(bytes);
  return bytes;
}

DataLocation CaseBuilder::place(Bytes &area, const Bytes &data) {
  const uint64_t offset = alignRegion(area.size());
  area.resize(offset);
  area.insert(area.end(), data.begin(), data.end());
  return {.poolIndex = 0, .offset = offset, .length = data.size()};
}

constexpr bool same(vectors::Lifetime a, OperandLifeTime b) {
  return static_cast<int32_t>(a) == static_cast<int32_t>(b);
}
static_assert(same(vectors::Lifetime::Temporary, OperandLifeTime::TemporaryVariable) &&
              same(vectors::Lifetime::SubgraphInput, OperandLifeTime::SubgraphInput) &&
              same(vectors::Lifetime::SubgraphOutput, OperandLifeTime::SubgraphOutput) &&
              same(vectors::Lifetime::ConstantCopy, OperandLifeTime::ConstantCopy) &&
              same(vectors::Lifetime::ConstantReference, OperandLifeTime::ConstantReference) &&
              same(vectors::Lifetime::NoValue, OperandLifeTime::NoValue) &&
              same(vectors::Lifetime::Subgraph, OperandLifeTime::Subgraph) &&
              vectors::Lifetime::MAX == vectors::Lifetime::Subgraph);

Operand CaseBuilder::operand(const vectors::Operand &source) {
  Operand made;
  made.type = typeOf(source.type());
  made.dimensions = copyOf(source.dimensions());
  made.scale = source.scale();
  made.zeroPoint = isCoupled(source.type()) ? source.zero_point() - 128 : source.zero_point();
  made.lifetime = static_cast<OperandLifeTime>(source.lifetime());
  if (made.type == OperandType::TensorQuant8SymmPerChannel)
    made.extraParams = SymmPerChannelQuantParams{copyOf(source.channel_scales()), source.channel_dim()};
  if (source.extension_data())
    made.extraParams = copyOf(source.extension_data());
  if (made.lifetime == OperandLifeTime::ConstantCopy)
    made.location = place(copied_, dataOf(source.data(), source.type()));
  if (made.lifetime == OperandLifeTime::ConstantReference)
    made.location = place(referenced_, dataOf(source.data(), source.type()));
  if (made.lifetime == OperandLifeTime::Subgraph)
    made.location.offset = static_cast<uint32_t>(source.subgraph());
  return made;
}

Subgraph CaseBuilder::graph(const vectors::Subgraph &source) {
  Subgraph made;
  if (source.operands())
    for (const vectors::Operand *entry : *source.operands())
      made.operands.push_back(operand(*entry));
  if (source.operations())
    for (const vectors::Operation *entry : *source.operations())
      made.operations.push_back(
          {static_cast<OperationType>(entry->type()), copyOf(entry->inputs()), copyOf(entry->outputs())});
  made.inputIndexes = copyOf(source.inputs());
  made.outputIndexes = copyOf(source.outputs());
  return made;
}

avocet::Result<std::vector<SharedMemory>> CaseBuilder::pools() const {
  if (referenced_.empty())
    return std::vector<SharedMemory>();
  AVOCET_ASSIGN_OR_RETURN(SharedArea area, SharedArea::make(alignRegion(referenced_.size())));
  std::ranges::copy(referenced_, area.bytes().begin());
  return std::vector<SharedMemory>{area.memory()};
}

OutputRule ruleOf(vectors::Tolerance tolerance) {
  if (tolerance == vectors::Tolerance::Ignored)
    return OutputRule::Ignored;
  return tolerance == vectors::Tolerance::Multinomial ? OutputRule::Multinomial : OutputRule::Close;
}

/// Integers are compared exactly: no operation of the vectors may be off by one in an index or a count.
double absoluteOf(const vectors::ExpectedOutput &source) {
  return source.tolerance() == vectors::Tolerance::Int32 ? 0 : static_cast<double>(source.atol());
}

/// A buffer for an output without expected values, so that a device cannot refuse the request for its size.
Bytes roomFor(const Operand &operand) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 26;
  uint64_t size = elementBytes(operand.type);
  for (uint32_t extent : operand.dimensions)
    size = std::min(size * std::max(extent, 1u), kMaxBytes);
  return Bytes(size);
}

void addValues(const vectors::Case &test, const CaseBuilder &builder, TestCase &made) {
  const vectors::Subgraph &main = *test.main();
  const vectors::Example &example = *test.examples()->Get(0);
  for (size_t i = 0; i < made.model.main.inputIndexes.size(); ++i) {
    const auto *data = example.inputs()->Get(static_cast<flatbuffers::uoffset_t>(i))->data();
    const int32_t type = main.operands()->Get(made.model.main.inputIndexes[i])->type();
    Bytes bytes = builder.dataOf(data, type);
    made.inputs.push_back(bytes.empty() ? std::nullopt : std::optional(std::move(bytes)));
  }
  for (size_t i = 0; i < made.model.main.outputIndexes.size(); ++i) {
    const vectors::ExpectedOutput &source = *example.outputs()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const int32_t type = main.operands()->Get(made.model.main.outputIndexes[i])->type();
    made.outputs.push_back({builder.typeOf(type), copyOf(source.dimensions()), builder.dataOf(source.data(), type),
                            ruleOf(source.tolerance()), absoluteOf(source), static_cast<double>(source.rtol())});
    if (source.tolerance() == vectors::Tolerance::None)
      made.outputs.back().bytes = roomFor(made.model.main.operands[made.model.main.outputIndexes[i]]);
  }
}

void forgetOutputExtents(Subgraph &main) {
  for (uint32_t index : main.outputIndexes)
    std::ranges::fill(main.operands[index].dimensions, 0u);
}

} // namespace

Status buildCase(const vectors::Case &test, Form form, TestCase &made) {
  CaseBuilder builder(form);
  made.model.main = builder.graph(*test.main());
  if (test.referenced())
    for (const vectors::Subgraph *graph : *test.referenced())
      made.model.referenced.push_back(builder.graph(*graph));
  if (test.extensions())
    for (const vectors::ExtensionPrefix *extension : *test.extensions())
      made.model.extensionNameToPrefix.push_back({extension->name()->str(), extension->prefix()});
  AVOCET_ASSIGN_OR_RETURN(made.model.pools, builder.pools());
  made.model.operandValues = builder.takeOperandValues();
  made.model.relaxComputationFloat32toFloat16 = test.relaxed();
  made.multinomialTolerance = static_cast<double>(test.multinomial_tolerance());
  addValues(test, builder, made);
  if (form == Form::UnknownOutputs)
    forgetOutputExtents(made.model.main);
  return Status::ok();
}

} // namespace avocet::hal::conformance
