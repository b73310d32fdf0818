//===- TfliteApplication.cpp - A network in TensorFlow Lite ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteApplication.h"

#include "avocet/base/File.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <span>

namespace avocet::application {

static std::string typeName(int32_t type) {
  static const std::map<int32_t, const char *> kNames = {
      {1, "float32"}, {2, "int32"},    {3, "uint8"},   {4, "int64"},   {6, "bool"},     {7, "int16"},
      {9, "int8"},    {10, "float16"}, {16, "uint32"}, {17, "uint16"}, {19, "bfloat16"}};
  const auto found = kNames.find(type);
  return found == kNames.end() ? fmt::format("TfLiteType {}", type) : found->second;
}

/// Fails never: an application that is not counted still runs.
static int countNodes(TfContext *context, TfDelegate *observer) {
  NodeCounts *&counts = reinterpret_cast<NodeCounts *&>(observer->data);
  TfPlan *plan = nullptr;
  if (counts == nullptr || context->getExecutionPlan(context, &plan) != 0)
    return 0;
  const std::span numbers(reinterpret_cast<const int32_t *>(plan + 1), static_cast<size_t>(plan->size));
  for (int32_t number : numbers) {
    void *node = nullptr;
    TfRegistration *registration = nullptr;
    if (context->getNode(context, number, &node, &registration) == 0)
      ++(registration->code == kDelegateOperator ? counts->delegated : counts->own);
  }
  counts = nullptr; // the other subgraphs
  return 0;
}

void TfliteApplication::addObserver() {
  observer_.data = &nodes_;
  observer_.prepare = countNodes;
  observer_.flags = 1;
  api_.addDelegate(options_, &observer_);
}

TfliteApplication::~TfliteApplication() {
  if (interpreter_ != nullptr)
    api_.interpreterDelete(interpreter_);
  if (delegate_ != nullptr)
    api_.externalDelete(delegate_);
  if (options_ != nullptr)
    api_.optionsDelete(options_);
  if (model_ != nullptr)
    api_.modelDelete(model_);
}

TfDelegate *TfliteApplication::createDelegate() const {
  ExternalOptions external = api_.externalDefaults(settings_.delegate.c_str());
  std::list<std::string> texts; // the delegate reads them while it is made
  for (const std::string &option : settings_.options) {
    const auto [key, value] = splitAt(option, option.find('='));
    const char *name = texts.emplace_back(key).c_str();
    external.insert(&external, name, texts.emplace_back(value).c_str());
  }
  return api_.externalCreate(&external);
}

Status TfliteApplication::create() {
  model_ = api_.modelCreateFromFile(settings_.model.c_str());
  if (model_ == nullptr)
    return unsupported("it cannot load the network");
  options_ = api_.optionsCreate();
  api_.setNumThreads(options_, 1);
  api_.setUseNnapi(options_, settings_.usesNnapi);
  if (!settings_.delegate.empty()) {
    delegate_ = createDelegate();
    if (delegate_ == nullptr)
      return unsupported(fmt::format("it cannot create the delegate {}", settings_.delegate));
    api_.addDelegate(options_, delegate_);
  }
  addObserver();
  interpreter_ = api_.interpreterCreate(model_, options_);
  if (interpreter_ == nullptr)
    return unsupported("it cannot create an interpreter for the network");
  if (api_.allocateTensors(interpreter_) != 0)
    return unsupported("it cannot allocate the tensors of the network");
  return Status::ok();
}

TensorFacts TfliteApplication::factsOf(const TfTensor *tensor) const {
  const char *name = api_.tensorName(tensor);
  TensorFacts facts{name == nullptr ? "" : name, typeName(api_.tensorType(tensor)), {}, api_.byteSize(tensor)};
  for (int32_t axis = 0; axis < api_.numAxes(tensor); ++axis)
    facts.shape.push_back(api_.extent(tensor, axis));
  return facts;
}

std::vector<TensorFacts> TfliteApplication::inputs() const {
  std::vector<TensorFacts> facts;
  for (int32_t i = 0; i < api_.inputCount(interpreter_); ++i)
    facts.push_back(factsOf(api_.inputTensor(interpreter_, i)));
  return facts;
}

std::vector<TensorFacts> TfliteApplication::outputs() const {
  std::vector<TensorFacts> facts;
  for (int32_t i = 0; i < api_.outputCount(interpreter_); ++i)
    facts.push_back(factsOf(api_.outputTensor(interpreter_, i)));
  return facts;
}

Status TfliteApplication::readInput(size_t index, const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  TfTensor *tensor = api_.inputTensor(interpreter_, static_cast<int32_t>(index));
  if (tensor == nullptr || bytes.size() != api_.byteSize(tensor))
    return invalidArgument(fmt::format("input {} does not have {} bytes", index, bytes.size()));
  auto *data = static_cast<uint8_t *>(api_.data(tensor));
  if (data == nullptr && !bytes.empty())
    return invalidArgument(fmt::format("input {} has no memory in TensorFlow Lite", index));
  std::ranges::copy(bytes, data);
  return Status::ok();
}

Status TfliteApplication::writeOutput(size_t index, const std::string &path) const {
  const TfTensor *tensor = api_.outputTensor(interpreter_, static_cast<int32_t>(index));
  if (tensor == nullptr)
    return invalidArgument(fmt::format("there is no output {}", index));
  const auto *data = static_cast<const char *>(api_.data(tensor));
  if (data == nullptr && api_.byteSize(tensor) != 0)
    return invalidArgument(fmt::format("output {} has no memory in TensorFlow Lite", index));
  return writeFile(path, std::string_view(data, data == nullptr ? 0 : api_.byteSize(tensor)));
}

Status TfliteApplication::reset() {
  return api_.resetVariables(interpreter_) == 0 ? Status::ok() : internalError("it cannot reset the variables");
}

Result<double> TfliteApplication::invoke() {
  int code = 0;
  const double time = timeOf([&] { code = api_.invoke(interpreter_); });
  if (code != 0)
    return Status(StatusCode::Aborted, "it cannot run the network");
  return time;
}

} // namespace avocet::application
