//===- OpenNetworks.cpp - Networks for extents of runs ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/OpenNetworks.h"

#include "abi/Tensors.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::ort {

Result<Shapes> OpenNetworks::shapesOf(abi::KernelContext &context) const {
  Shapes shapes(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const abi::Value *value = nullptr;
    AVOCET_RETURN_IF_ERROR(runtime_.call<abi::KernelContextGetInput>(&context, i, &value));
    if (value == nullptr)
      return invalidArgument(fmt::format("input '{}' is missing", inputs_[i].operand.name));
    AVOCET_ASSIGN_OR_RETURN(TensorType type, typeOf(runtime_, *value));
    shapes[inputs_[i].place] = std::move(type.shape);
  }
  return shapes;
}

/// Operands with the shapes that the network gives them.
static std::vector<KernelOperand> withShapes(std::vector<KernelOperand> operands,
                                             const std::vector<NetworkOperand> &shaped) {
  for (KernelOperand &each : operands)
    each.operand = shaped[each.place];
  return operands;
}

static std::vector<NetworkOperand> inOrderOfNetwork(const std::vector<KernelOperand> &operands) {
  std::vector<NetworkOperand> ordered(operands.size());
  for (const KernelOperand &each : operands)
    ordered[each.place] = each.operand;
  return ordered;
}

Result<std::shared_ptr<Network>> OpenNetworks::compile(const Shapes &shapes) const {
  PlannedNetwork planned{nullptr, inOrderOfNetwork(inputs_), inOrderOfNetwork(outputs_), "", nullptr};
  for (size_t i = 0; i < shapes.size(); ++i)
    planned.inputs[i].setShape(shapes[i]);
  AVOCET_ASSIGN_OR_RETURN(plugin::Network network, open_->at(shapes));
  AVOCET_RETURN_IF_ERROR(planned.prepare(*shared_->engine, std::move(network), /*asksShapes=*/true));
  return std::make_shared<Network>(planned.prepared, withShapes(inputs_, planned.inputs),
                                   withShapes(outputs_, planned.outputs));
}

static bool hasElements(const Shapes &shapes) {
  return std::ranges::none_of(shapes, [](const std::vector<int64_t> &shape) {
    return std::ranges::any_of(shape, [](int64_t extent) { return extent < 1 || extent > INT32_MAX; });
  });
}

Result<std::shared_ptr<Network>> OpenNetworks::find(abi::KernelContext &context) {
  AVOCET_ASSIGN_OR_RETURN(const Shapes shapes, shapesOf(context));
  std::lock_guard lock(mutex_);
  if (const auto known = networks_.find(shapes); known != networks_.end())
    return known->second;
  if (!hasElements(shapes) || networks_.size() >= kMost)
    return std::shared_ptr<Network>();
  Result<std::shared_ptr<Network>> compiled = compile(shapes);
  if (!compiled)
    runtime_.log(
        nullptr, abi::LogLevel::Info,
        fmt::format("a network stays with ONNX Runtime for the extents of a run: {}", compiled.status().message()));
  return networks_[shapes] = compiled ? std::move(*compiled) : nullptr;
}

Result<const PlainSession *> OpenNetworks::plain() {
  std::lock_guard lock(mutex_);
  if (plain_ == nullptr) {
    const auto namesOf = [](const std::vector<KernelOperand> &operands) {
      std::vector<std::string> names;
      for (const KernelOperand &each : operands)
        names.push_back(each.operand.name);
      return names;
    };
    AVOCET_ASSIGN_OR_RETURN(plain_, PlainSession::open(runtime_, open_->file, namesOf(inputs_), namesOf(outputs_)));
  }
  return plain_.get();
}

} // namespace avocet::ort
