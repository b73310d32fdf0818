//===- WarmUp.cpp - Loads and warms up the compiler -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarmUp.h"

#include "avocet/nnapi/Codes.h"
#include "nnapiModel_generated.h"

namespace avocet::hal {
namespace {

namespace fb = nnapi;

std::unique_ptr<fb::OperandT> tensor(fb::Lifetime lifetime) {
  auto operand = std::make_unique<fb::OperandT>();
  operand->type = static_cast<int32_t>(nnapi::OperandType::TensorFloat32);
  operand->dimensions = {4};
  operand->lifetime = lifetime;
  return operand;
}

} // namespace

std::vector<uint8_t> warmUpModel() {
  fb::ModelT model;
  model.main = std::make_unique<fb::SubgraphT>();
  auto activation = std::make_unique<fb::OperandT>();
  activation->type = static_cast<int32_t>(nnapi::OperandType::Int32);
  activation->lifetime = fb::Lifetime::ConstantCopy;
  activation->data = {0, 0, 0, 0};
  model.main->operands.push_back(tensor(fb::Lifetime::SubgraphInput));
  model.main->operands.push_back(tensor(fb::Lifetime::SubgraphInput));
  model.main->operands.push_back(std::move(activation));
  model.main->operands.push_back(tensor(fb::Lifetime::SubgraphOutput));
  auto &add = model.main->operations.emplace_back(std::make_unique<fb::OperationT>());
  add->type = static_cast<int32_t>(nnapi::OperationType::Add);
  add->inputs = {0, 1, 2};
  add->outputs = {3};
  model.main->inputs = {0, 1};
  model.main->outputs = {3};
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Model::Pack(builder, &model), fb::ModelIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

avocet::Result<compiler::LoadedCompiler> warmCompiler(const std::string &library,
                                                      const std::vector<std::string> &targets) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load(library));
  const std::vector<uint8_t> model = warmUpModel();
  for (const std::string &target : targets) {
    compiler::CompileRequest request;
    request.modelPath = "warm-up";
    request.modelBytes = model;
    request.format = compiler::InputFormat::Nnapi;
    request.target = target;
    (void)compiler.compile(request);
    (void)compiler.judge({request}); // makes a context that a worker's support query uses
  }
  return compiler;
}

} // namespace avocet::hal
