//===- ModelChanges.cpp - Random changes of models ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelChanges.h"

#include <bit>
#include <string>

namespace avocet::hal::test {

void changeList(std::vector<uint32_t> &list, Reader &reader) {
  uint8_t what = reader.byte() % 3;
  if (what == 0 && list.size() < 64)
    list.push_back(static_cast<uint32_t>(reader.number()));
  else if (what == 1 && !list.empty())
    list.pop_back();
  else if (!list.empty())
    reader.pick(list) = static_cast<uint32_t>(reader.number());
}

namespace {

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

} // namespace

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

} // namespace avocet::hal::test
