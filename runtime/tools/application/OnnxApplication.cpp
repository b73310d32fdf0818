//===- OnnxApplication.cpp - A network in ONNX Runtime --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxApplication.h"

#include "avocet/base/File.h"
#include "avocet/hal/onnxruntime/Library.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <span>
#include <sstream>

namespace avocet::application {
namespace {

namespace abi = ort::abi;

constexpr const char *kLibrary = "avocet"; ///< name of the provider's library in the environment

struct ElementType {
  std::string name;
  uint64_t bytes;
};

/// Types of ONNX with whole bytes.
ElementType elementOf(int32_t type) {
  static const std::map<int32_t, ElementType> kTypes = {
      {1, {"float32", 4}}, {2, {"uint8", 1}},   {3, {"int8", 1}},     {4, {"uint16", 2}},   {5, {"int16", 2}},
      {6, {"int32", 4}},   {7, {"int64", 8}},   {9, {"bool", 1}},     {10, {"float16", 2}}, {11, {"float64", 8}},
      {12, {"uint32", 4}}, {13, {"uint64", 8}}, {16, {"bfloat16", 2}}};
  const auto found = kTypes.find(type);
  return found == kTypes.end() ? ElementType{fmt::format("ONNX type {}", type), 0} : found->second;
}

/// 0: some extents are open.
uint64_t elementsOf(std::span<const int64_t> shape) {
  uint64_t elements = 1;
  for (const int64_t extent : shape)
    elements *= static_cast<uint64_t>(std::max<int64_t>(extent, 0));
  return elements;
}

std::vector<int64_t> extentsIn(const std::string &text) {
  std::vector<int64_t> extents;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, 'x');)
    extents.push_back(std::strtoll(part.c_str(), nullptr, 10));
  return extents;
}

} // namespace

Status OnnxApplication::load() {
  AVOCET_ASSIGN_OR_RETURN(api_, ort::loadLibrary(settings_.folder + "/libonnxruntime.so.1"));
  // Its reasons are in the statuses that it returns.
  AVOCET_ASSIGN_OR_RETURN(environment_,
                          (ort::make<abi::CreateEnv, ort::OwnedEnvironment>(*api_, abi::LogLevel::Fatal, kLibrary)));
  AVOCET_ASSIGN_OR_RETURN(memory_, (ort::make<abi::CreateCpuMemoryInfo, ort::OwnedMemoryInfo>(
                                       *api_, abi::AllocatorType::Arena, abi::MemoryType::Default)));
  return api_->call<abi::RegisterProviderLibrary>(environment_.get(), kLibrary, settings_.provider.c_str());
}

Result<ort::OwnedOptions> OnnxApplication::makeOptions() const {
  AVOCET_ASSIGN_OR_RETURN(ort::OwnedOptions options, (ort::make<abi::CreateSessionOptions, ort::OwnedOptions>(*api_)));
  AVOCET_RETURN_IF_ERROR(api_->call<abi::SetSessionLogSeverityLevel>(options.get(), abi::LogLevel::Fatal));
  AVOCET_RETURN_IF_ERROR(api_->call<abi::SetIntraOpNumThreads>(options.get(), 1));
  return options;
}

Result<ort::OwnedSession> OnnxApplication::makeSession(const ort::OwnedOptions &options) const {
  return ort::make<abi::CreateSession, ort::OwnedSession>(
      *api_, static_cast<const abi::Environment *>(environment_.get()), settings_.model.c_str(),
      static_cast<const abi::SessionOptions *>(options.get()));
}

Status OnnxApplication::addProvider(const ort::OwnedOptions &options) const {
  AVOCET_ASSIGN_OR_RETURN(const abi::EpDevice *device, ort::findDevice(*api_, environment_.get()));
  std::vector<std::string> texts;
  for (const std::string &option : settings_.options) {
    const auto [key, value] = splitAt(option, option.find('='));
    texts.insert(texts.end(), {key, value});
  }
  std::vector<const char *> keys, values;
  for (size_t i = 0; i < texts.size(); i += 2) {
    keys.push_back(texts[i].c_str());
    values.push_back(texts[i + 1].c_str());
  }
  return api_->call<abi::AppendProvider>(options.get(), environment_.get(), &device, size_t{1}, keys.data(),
                                         values.data(), keys.size());
}

Status OnnxApplication::readType(const abi::TypeInfo *type, Tensor &tensor) const {
  const abi::TensorInfo *info = nullptr;
  AVOCET_RETURN_IF_ERROR(api_->call<abi::CastTypeInfoToTensorInfo>(type, &info));
  if (info == nullptr)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(tensor.type, ort::TensorType::read(*api_, info));
  AVOCET_ASSIGN_OR_RETURN(tensor.extentNames, ort::readExtentNames(*api_, info, tensor.type.shape.size()));
  return Status::ok();
}

template <typename Count, typename Name, typename Type>
Result<std::vector<OnnxApplication::Tensor>> OnnxApplication::tensorsOf(const ort::OwnedSession &session) const {
  const abi::Session *handle = session.get();
  abi::DefaultAllocator *allocator = nullptr;
  size_t count = 0;
  AVOCET_RETURN_IF_ERROR(api_->call<abi::GetDefaultAllocator>(&allocator));
  AVOCET_RETURN_IF_ERROR(api_->call<Count>(handle, &count));
  std::vector<Tensor> tensors(count);
  for (size_t i = 0; i < count; ++i) {
    char *name = nullptr;
    AVOCET_RETURN_IF_ERROR(api_->call<Name>(handle, i, allocator, &name));
    tensors[i].name = name;
    AVOCET_RETURN_IF_ERROR(api_->call<abi::AllocatorFree>(allocator, static_cast<void *>(name)));
    abi::TypeInfo *type = nullptr;
    AVOCET_RETURN_IF_ERROR(api_->call<Type>(handle, i, &type));
    const ort::Owned<abi::TypeInfo, abi::ReleaseTypeInfo> owned(type, {&*api_});
    AVOCET_RETURN_IF_ERROR(readType(type, tensors[i]));
  }
  return tensors;
}

Result<std::vector<OnnxApplication::Tensor>> OnnxApplication::inputsOf(const ort::OwnedSession &session) const {
  return tensorsOf<abi::SessionGetInputCount, abi::SessionGetInputName, abi::SessionGetInputTypeInfo>(session);
}

Status OnnxApplication::giveShapes(std::vector<Tensor> &inputs) const {
  for (const std::string &text : settings_.shapes) {
    const auto [name, extents] = splitAt(text, text.rfind('='));
    const auto input = std::ranges::find(inputs, name, &Tensor::name);
    std::vector<std::string> names;
    for (const Tensor &each : inputs)
      names.push_back(each.name);
    if (input == inputs.end())
      return invalidArgument(
          fmt::format("--shape {}: there is no input '{}'; the inputs are {}", text, name, fmt::join(names, ", ")));
    const std::vector<int64_t> shape = extentsIn(extents);
    bool isPossible = shape.size() == input->type.shape.size();
    for (size_t i = 0; isPossible && i < shape.size(); ++i)
      isPossible = input->type.shape[i] < 0 || input->type.shape[i] == shape[i];
    if (!isPossible)
      return invalidArgument(
          fmt::format("--shape {}: the model has {} (-1: any extent)", text, fmt::join(input->type.shape, "x")));
    input->type.shape = shape;
  }
  return Status::ok();
}

Status OnnxApplication::fixExtents(const ort::OwnedOptions &options) const {
  if (settings_.extents.empty() && settings_.shapes.empty())
    return Status::ok();
  // Only a session tells the names of extents. It has neither the provider nor optimizations.
  AVOCET_ASSIGN_OR_RETURN(const ort::OwnedOptions plain, makeOptions());
  AVOCET_RETURN_IF_ERROR(api_->call<abi::SetSessionGraphOptimizationLevel>(plain.get(), abi::OptimizationLevel::None));
  AVOCET_ASSIGN_OR_RETURN(const ort::OwnedSession session, makeSession(plain));
  AVOCET_ASSIGN_OR_RETURN(std::vector<Tensor> inputs, inputsOf(session));
  AVOCET_RETURN_IF_ERROR(giveShapes(inputs));
  std::set<std::string> names;
  std::map<std::string, int64_t> extents;
  for (const Tensor &input : inputs)
    for (size_t i = 0; i < input.type.shape.size(); ++i) {
      const std::string &name = input.extentNames[i];
      names.insert(name);
      if (!name.empty() && input.type.shape[i] > 0)
        extents[name] = input.type.shape[i];
    }
  names.erase("");
  for (const std::string &text : settings_.extents) {
    const auto [name, extent] = splitAt(text, text.rfind('='));
    if (!names.contains(name))
      return invalidArgument(fmt::format("--dim {}: no input has an extent '{}'; the names are {}", text, name,
                                         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    extents[name] = std::strtoll(extent.c_str(), nullptr, 10);
  }
  for (const auto &[name, extent] : extents)
    AVOCET_RETURN_IF_ERROR(api_->call<abi::AddFreeDimensionOverrideByName>(options.get(), name.c_str(), extent));
  return Status::ok();
}

Status OnnxApplication::create() {
  AVOCET_RETURN_IF_ERROR(load());
  AVOCET_ASSIGN_OR_RETURN(const ort::OwnedOptions options, makeOptions());
  AVOCET_RETURN_IF_ERROR(fixExtents(options));
  AVOCET_RETURN_IF_ERROR(addProvider(options));
  AVOCET_ASSIGN_OR_RETURN(session_, makeSession(options));
  AVOCET_ASSIGN_OR_RETURN(inputs_, inputsOf(session_));
  AVOCET_RETURN_IF_ERROR(giveShapes(inputs_));
  AVOCET_ASSIGN_OR_RETURN(
      outputs_,
      (tensorsOf<abi::SessionGetOutputCount, abi::SessionGetOutputName, abi::SessionGetOutputTypeInfo>(session_)));
  for (Tensor &input : inputs_)
    input.bytes.resize(elementsOf(input.type.shape) * elementOf(input.type.element).bytes);
  return Status::ok();
}

std::vector<TensorFacts> OnnxApplication::factsOf(const std::vector<Tensor> &tensors) {
  std::vector<TensorFacts> facts;
  for (const Tensor &tensor : tensors) {
    const ElementType type = elementOf(tensor.type.element);
    facts.push_back({tensor.name, type.name, {}, elementsOf(tensor.type.shape) * type.bytes});
    for (const int64_t extent : tensor.type.shape)
      facts.back().shape.push_back(static_cast<int32_t>(extent));
  }
  return facts;
}

Status OnnxApplication::readInput(size_t index, const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  if (index >= inputs_.size() || bytes.size() != inputs_[index].bytes.size())
    return invalidArgument(fmt::format("input {} does not have {} bytes", index, bytes.size()));
  inputs_[index].bytes = std::move(bytes);
  return Status::ok();
}

Status OnnxApplication::writeOutput(size_t index, const std::string &path) const {
  if (index >= results_.size())
    return invalidArgument(fmt::format("there is no output {}", index));
  abi::Value *value = results_[index].get();
  size_t bytes = 0;
  void *data = nullptr;
  AVOCET_RETURN_IF_ERROR(api_->call<abi::GetTensorSizeInBytes>(static_cast<const abi::Value *>(value), &bytes));
  AVOCET_RETURN_IF_ERROR(api_->call<abi::GetTensorMutableData>(value, &data));
  return writeFile(path, std::string_view(static_cast<const char *>(data), bytes));
}

Result<ort::OwnedValue> OnnxApplication::valueOf(Tensor &input) const {
  abi::Value *value = nullptr;
  AVOCET_RETURN_IF_ERROR(api_->call<abi::CreateTensorWithData>(
      static_cast<const abi::MemoryInfo *>(memory_.get()), static_cast<void *>(input.bytes.data()), input.bytes.size(),
      input.type.shape.data(), input.type.shape.size(), input.type.element, &value));
  return ort::OwnedValue(value, {&*api_});
}

Result<double> OnnxApplication::invoke() {
  std::vector<ort::OwnedValue> owned;
  std::vector<const abi::Value *> values;
  std::vector<const char *> names, outputNames;
  for (Tensor &input : inputs_) {
    AVOCET_ASSIGN_OR_RETURN(ort::OwnedValue value, valueOf(input));
    values.push_back(value.get());
    owned.push_back(std::move(value));
    names.push_back(input.name.c_str());
  }
  for (const Tensor &output : outputs_)
    outputNames.push_back(output.name.c_str());
  std::vector<abi::Value *> results(outputs_.size());
  results_.clear();
  abi::Status *status = nullptr;
  const double time = timeOf([&] {
    status = api_->get<abi::Run>(session_.get(), nullptr, names.data(), values.data(), values.size(),
                                 outputNames.data(), outputNames.size(), results.data());
  });
  for (abi::Value *result : results)
    results_.emplace_back(result, ort::Releaser<abi::ReleaseValue>{&*api_});
  AVOCET_RETURN_IF_ERROR(api_->take(status));
  return time;
}

} // namespace avocet::application
