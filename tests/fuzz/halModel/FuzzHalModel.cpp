//===- FuzzHalModel.cpp - Models and requests of the HAL ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "avocet/hal/types/Capabilities.h"
#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/GraphDump.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VersionReport.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace avocet::hal::test {
namespace {

/// Reads numbers from the input; zeros after its end.
class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool isAtEnd() const { return bytes_.empty(); }

  uint8_t byte() {
    if (bytes_.empty())
      return 0;
    uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }

  /// A number below 248 is one byte. A first byte of 248 to 251 precedes four bytes of any value; others precede eight.
  uint64_t number() {
    uint8_t first = byte();
    if (first < 248)
      return first;
    uint64_t value = 0;
    for (int i = 0; i < (first < 252 ? 4 : 8); ++i)
      value = value << 8 | byte();
    return value;
  }

  /// An element of a list that is not empty.
  template <typename T> T &pick(std::vector<T> &list) { return list[byte() % list.size()]; }

private:
  std::span<const uint8_t> bytes_;
};

void changeList(std::vector<uint32_t> &list, Reader &reader) {
  uint8_t what = reader.byte() % 3;
  if (what == 0 && list.size() < 64)
    list.push_back(static_cast<uint32_t>(reader.number()));
  else if (what == 1 && !list.empty())
    list.pop_back();
  else if (!list.empty())
    reader.pick(list) = static_cast<uint32_t>(reader.number());
}

void changeExtraParams(ExtraParams &params, Reader &reader) {
  switch (reader.byte() % 3) {
  case 0:
    params = std::monostate();
    return;
  case 1:
    params = SymmPerChannelQuantParams{
        std::vector<float>(reader.byte() % 8, std::bit_cast<float>(static_cast<uint32_t>(reader.number()))),
        static_cast<uint32_t>(reader.number())};
    return;
  default:
    params = std::vector<uint8_t>(reader.byte() % 8);
  }
}

void changeOperand(Operand &operand, Reader &reader) {
  switch (reader.byte() % 10) {
  case 0:
    operand.type = static_cast<OperandType>(static_cast<uint32_t>(reader.number()));
    return;
  case 1:
    changeList(operand.dimensions, reader);
    return;
  case 2:
    operand.scale = std::bit_cast<float>(static_cast<uint32_t>(reader.number()));
    return;
  case 3:
    operand.zeroPoint = static_cast<int32_t>(reader.number());
    return;
  case 4:
    operand.lifetime = static_cast<OperandLifeTime>(static_cast<int32_t>(reader.number()));
    return;
  case 5:
    operand.location.offset = reader.number();
    return;
  case 6:
    operand.location.length = reader.number();
    return;
  case 7:
    operand.location.poolIndex = static_cast<uint32_t>(reader.number());
    return;
  case 8:
    operand.location.padding = reader.number();
    return;
  default:
    changeExtraParams(operand.extraParams, reader);
  }
}

void changeSubgraph(Subgraph &subgraph, Reader &reader) {
  switch (reader.byte() % 8) {
  case 0:
    if (subgraph.operands.size() < 64)
      subgraph.operands.emplace_back();
    return;
  case 1:
    if (subgraph.operations.size() < 64)
      subgraph.operations.push_back({static_cast<OperationType>(reader.number()), {}, {}});
    return;
  case 2:
    changeList(subgraph.inputIndexes, reader);
    return;
  case 3:
    changeList(subgraph.outputIndexes, reader);
    return;
  case 4:
    if (!subgraph.operations.empty()) {
      Operation &operation = reader.pick(subgraph.operations);
      changeList((reader.byte() & 1) != 0 ? operation.inputs : operation.outputs, reader);
    }
    return;
  case 5:
    if (!subgraph.operations.empty())
      reader.pick(subgraph.operations).type = static_cast<OperationType>(reader.number());
    return;
  default:
    if (!subgraph.operands.empty())
      changeOperand(reader.pick(subgraph.operands), reader);
  }
}

void changeModel(Model &model, Reader &reader) {
  switch (reader.byte() % 8) {
  case 0:
    model.extensionNameToPrefix.push_back({std::string(1 + reader.byte() % 3, static_cast<char>(reader.byte())) + ".x",
                                           static_cast<uint16_t>(reader.number())});
    return;
  case 1:
    if (model.referenced.size() < 16)
      model.referenced.push_back(Subgraph(model.main));
    return;
  case 2:
    model.operandValues.resize(reader.byte());
    return;
  case 3:
    if (!model.referenced.empty())
      changeSubgraph(reader.pick(model.referenced), reader);
    return;
  default:
    changeSubgraph(model.main, reader);
  }
}

void changeRequest(Request &request, Reader &reader) {
  std::vector<RequestArgument> &arguments = (reader.byte() & 1) != 0 ? request.inputs : request.outputs;
  uint8_t what = reader.byte() % 8;
  if (what == 0 && arguments.size() < 64)
    arguments.emplace_back();
  if (what == 1)
    request.pools.emplace_back(BufferToken(static_cast<uint32_t>(reader.number())));
  if (arguments.empty())
    return;
  RequestArgument &argument = reader.pick(arguments);
  if (what == 2)
    argument.hasNoValue = !argument.hasNoValue;
  if (what == 3)
    changeList(argument.dimensions, reader);
  if (what >= 4)
    argument.location = {static_cast<uint32_t>(reader.byte() % 3), reader.number(), reader.number(), reader.number()};
}

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// A valid model has a cost, and each of its operations a version up to `needed`. What it converts to must be valid.
void useValidModel(const Model &model, Version needed) {
  Capabilities capabilities{{1, 1}, {1, 1}, nonExtensionPerformance({1, 1}), {1, 1}, {1, 1}};
  require(CostModel(capabilities, model).of(model.main).execTime > 0);
  Result<std::vector<Version>> versions = versionsOfOperations(model);
  require(versions.isOk() && versions->size() == model.main.operations.size());
  for (Version version : *versions)
    require(version <= needed);
  require(answerFor(model, needed).isExpressible);
  for (uint32_t version = 0; version <= static_cast<uint32_t>(kLatestVersion); ++version) {
    Result<Converted<Model>> converted = convertTo(model, static_cast<Version>(version));
    require(!converted.isOk() || *validate(converted->value) <= static_cast<Version>(version));
  }
}

struct Base {
  Model model;
  Request request; ///< empty if shapes are unknown
};

std::vector<Base> makeBases() {
  std::vector<Base> bases;
  for (const NamedModel &base : baseModels())
    bases.push_back({base.model, base.name == "unknownShapes" ? Request() : requestFor(base.model)});
  return bases;
}

void run(Reader reader) {
  static const std::vector<Base> kBases = makeBases();
  const Base &base = kBases[reader.byte() % kBases.size()];
  Model model = base.model;
  Request request = base.request;
  uint8_t numRequestChanges = reader.byte() % 8;
  for (uint8_t i = 0; i < numRequestChanges; ++i)
    changeRequest(request, reader);
  for (int i = 0; i < 32 && !reader.isAtEnd(); ++i)
    changeModel(model, reader);
  require(!graphDump("fuzz", model).empty());
  Result<Version> version = validate(model);
  require(version.isOk() || (version.code() == ErrorStatus::InvalidArgument && !version.error().message.empty()));
  if (!version.isOk())
    return;
  useValidModel(model, *version);
  Result<Version> forRequest = validateRequestForModel(request, model);
  require(forRequest.isOk() || forRequest.code() == ErrorStatus::InvalidArgument);
}

} // namespace
} // namespace avocet::hal::test

/// Changes a base model and a request for it by the bytes of the input, and validates both.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  avocet::hal::test::run(avocet::hal::test::Reader(std::span(data, size)));
  return 0;
}
