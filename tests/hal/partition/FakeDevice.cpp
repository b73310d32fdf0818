//===- FakeDevice.cpp - A device as the test wants it ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"

#include "Models.h"
#include "avocet/hal/types/Capabilities.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace avocet::hal::test {
namespace {

using Values = std::vector<float>;

struct Tensor {
  std::vector<uint32_t> dimensions;
  Values values; ///< a boolean is 0 or 1
};

uint64_t count(const std::vector<uint32_t> &dimensions) {
  uint64_t result = 1;
  for (uint32_t extent : dimensions)
    result *= extent;
  return result;
}

/// Of memory from the start of a file.
Result<Mapping> mapPool(const Memory &memory) {
  const auto *file = std::get_if<MappableFile>(&memory.handle);
  const FileDescriptor &descriptor = file != nullptr ? *file->fd : *std::get<Ashmem>(memory.handle).fd;
  auto mapping = Mapping::map(descriptor.get(), sizeOf(memory), Mapping::Access::ReadWrite);
  return mapping ? Result<Mapping>(std::move(mapping).value()) : Result<Mapping>(fromStatus(mapping.status()));
}

/// Bytes of a tensor, which are one byte for each boolean.
std::vector<uint8_t> encode(const Tensor &tensor, OperandType type) {
  std::vector<uint8_t> bytes;
  if (type == OperandType::TensorBool8)
    for (float value : tensor.values)
      bytes.push_back(value != 0 ? 1 : 0);
  if (type == OperandType::TensorFloat32) {
    bytes.resize(tensor.values.size() * sizeof(float));
    std::memcpy(bytes.data(), tensor.values.data(), bytes.size());
  }
  return bytes;
}

Tensor decode(const uint8_t *bytes, OperandType type, const std::vector<uint32_t> &dimensions) {
  Tensor tensor{dimensions, Values(count(dimensions))};
  for (size_t i = 0; i < tensor.values.size(); ++i)
    if (type == OperandType::TensorFloat32)
      std::memcpy(&tensor.values[i], bytes + i * sizeof(float), sizeof(float));
    else
      tensor.values[i] = bytes[i];
  return tensor;
}

Tensor compute(OperationType type, const Tensor &a, const Tensor *b) {
  Tensor result = a;
  for (size_t i = 0; i < a.values.size(); ++i) {
    const float second = b != nullptr && !b->values.empty() ? b->values[i % b->values.size()] : 0;
    float &value = result.values[i];
    if (type == OperationType::Add)
      value += second;
    else if (type == OperationType::Mul)
      value *= second;
    else if (type == OperationType::Relu)
      value = std::max(value, 0.0F);
    else
      value = value < second ? 1 : 0;
  }
  return result;
}

/// The device outlives its models.
class FakeModel final : public IPreparedModel, public std::enable_shared_from_this<FakeModel> {
public:
  FakeModel(FakeDevice &device, Model model) : device_(device), model_(std::move(model)) {}

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override {
    ++device_.executions;
    device_.noteExecution(model_.main.operations.size(), request);
    std::this_thread::sleep_for(device_.delay);
    if (auto valid = validateRequestForModel(request, model_); !valid)
      return {valid.code(), valid.error().message, {}, {}};
    if (device_.executeError != ErrorStatus::None && device_.failures != 0) {
      --device_.failures;
      return {device_.executeError, "as the test asks", {}, {}};
    }
    Request mapped = request;
    if (!mapBuffers(mapped))
      return {ErrorStatus::GeneralFailure, "the fake has no memory", {}, {}};
    return run(mapped, options);
  }

  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override {
    const ExecutionOutcome outcome = execute(request, options);
    callback(outcome);
    return outcome.status;
  }

  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &, const ExecutionOptions &) override {
    return generalFailure("not needed");
  }

  Result<std::shared_ptr<IBurst>> configureBurst() override;

  const Operand &roleOperand(const BufferRole &role, bool isInput) const {
    const Subgraph &main = model_.main;
    return main.operands[(isInput ? main.inputIndexes : main.outputIndexes)[role.ioIndex]];
  }

private:
  /// Replaces buffers by their memory.
  bool mapBuffers(Request &request) const {
    for (uint32_t pool = 0; pool < request.pools.size(); ++pool) {
      const auto *token = std::get_if<BufferToken>(&request.pools[pool]);
      if (token == nullptr)
        continue;
      const SharedMemory memory = device_.memoryOf(*token);
      if (memory == nullptr)
        return false;
      request.pools[pool] = memory;
      for (auto *arguments : {&request.inputs, &request.outputs})
        for (RequestArgument &argument : *arguments)
          if (argument.location.poolIndex == pool)
            argument.location.length = sizeOf(*memory);
    }
    return true;
  }

  Tensor operand(uint32_t index, const std::vector<Tensor> &tensors) const {
    const Operand &operand = model_.main.operands[index];
    if (operand.lifetime != OperandLifeTime::ConstantCopy || !isTensor(operand.type))
      return tensors[index];
    return decode(model_.operandValues.data() + operand.location.offset, operand.type, operand.dimensions);
  }

  ExecutionOutcome run(const Request &request, const ExecutionOptions &options) const {
    std::vector<Mapping> pools;
    for (const RequestPool &pool : request.pools)
      if (auto mapping = mapPool(*std::get<SharedMemory>(pool)))
        pools.push_back(std::move(mapping).value());
    std::vector<Tensor> tensors(model_.main.operands.size());
    for (size_t i = 0; i < request.inputs.size(); ++i) {
      const Operand &input = model_.main.operands[model_.main.inputIndexes[i]];
      const RequestArgument &argument = request.inputs[i];
      tensors[model_.main.inputIndexes[i]] =
          decode(pools[argument.location.poolIndex].bytes().data() + argument.location.offset, input.type,
                 argument.dimensions.empty() ? input.dimensions : argument.dimensions);
    }
    for (const Operation &operation : model_.main.operations) {
      const Tensor first = operand(operation.inputs[0], tensors);
      const Tensor second = operation.inputs.size() > 1 ? operand(operation.inputs[1], tensors) : Tensor();
      tensors[operation.outputs[0]] = compute(operation.type, first, &second);
    }
    return write(request, options, tensors, pools);
  }

  ExecutionOutcome write(const Request &request, const ExecutionOptions &options, const std::vector<Tensor> &tensors,
                         std::vector<Mapping> &pools) const {
    ExecutionOutcome outcome;
    for (size_t i = 0; i < request.outputs.size(); ++i) {
      const uint32_t index = model_.main.outputIndexes[i];
      const std::vector<uint8_t> bytes = encode(tensors[index], model_.main.operands[index].type);
      const DataLocation &location = request.outputs[i].location;
      const bool fits = bytes.size() <= location.length;
      outcome.outputShapes.push_back({tensors[index].dimensions, fits});
      if (fits)
        std::ranges::copy(bytes, pools[location.poolIndex].bytes().begin() + static_cast<ptrdiff_t>(location.offset));
      else
        outcome.status = ErrorStatus::OutputInsufficientSize;
    }
    if (outcome.isOk() && options.measure == MeasureTiming::Yes)
      outcome.timing = device_.timing;
    return outcome;
  }

  FakeDevice &device_;
  const Model model_;
};

class FakeBurst final : public IBurst {
public:
  FakeBurst(FakeDevice &device, std::shared_ptr<IPreparedModel> model) : device_(device), model_(std::move(model)) {}
  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override {
    ++device_.burstExecutions;
    if (Outcome valid = validateMemoryIdentifiers(request, memoryIdentifiers); !valid)
      return {valid.code(), valid.error().message, {}, {}};
    return model_->execute(request, options);
  }
  Outcome releaseMemoryResource(int64_t identifier) override {
    device_.noteRelease(identifier);
    return validateMemoryIdentifier(identifier);
  }

private:
  FakeDevice &device_;
  const std::shared_ptr<IPreparedModel> model_;
};

Result<std::shared_ptr<IBurst>> FakeModel::configureBurst() {
  return std::shared_ptr<IBurst>(std::make_shared<FakeBurst>(device_, shared_from_this()));
}

/// A buffer that is always initialized.
class FakeBuffer final : public IBuffer {
public:
  FakeBuffer(BufferToken token, SharedMemory memory) : token_(token), memory_(std::move(memory)) {}
  BufferToken token() const override { return token_; }
  Outcome copyTo(const SharedMemory &memory) override { return copy(*memory_, *memory); }
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &) override {
    return copy(*memory, *memory_);
  }

private:
  static Outcome copy(const Memory &from, const Memory &to) {
    if (sizeOf(from) != sizeOf(to))
      return invalidArgument("the memory has another size");
    AVOCET_ASSIGN_OR_RETURN(Mapping source, mapPool(from));
    AVOCET_ASSIGN_OR_RETURN(Mapping target, mapPool(to));
    std::ranges::copy(source.bytes().first(sizeOf(from)), target.bytes().begin());
    return success();
  }

  const BufferToken token_;
  const SharedMemory memory_;
};

} // namespace

SharedMemory FakeDevice::memoryOf(BufferToken token) {
  std::scoped_lock lock(mutex_);
  const auto number = static_cast<uint32_t>(token);
  return number >= 1 && number <= memories_.size() ? memories_[number - 1] : nullptr;
}

void FakeDevice::noteExecution(size_t numOperations, const Request &request) {
  std::scoped_lock lock(mutex_);
  executed.push_back(numOperations);
  lastRequest = request;
}

void FakeDevice::noteRelease(int64_t identifier) {
  std::scoped_lock lock(mutex_);
  released.push_back(identifier);
}

DeviceStatus FakeDevice::status() const {
  ++statusQueries;
  return state;
}

FakeDevice::FakeDevice(const std::string &name, std::set<OperationType> supported, float cost, DeviceType type)
    : DescribedDevice({.name = name, .version = name, .featureLevel = kLatestVersion, .type = type}),
      operations(std::move(supported)),
      figures{{cost, cost}, {cost, cost}, nonExtensionPerformance({cost, cost}), {cost, cost}, {cost, cost}} {}

Result<SupportedOperations> FakeDevice::getSupportedOperations(const Model &model) const {
  SupportedOperations answer;
  for (const Operation &operation : model.main.operations) {
    answer.supported.push_back(operations.contains(operation.type));
    answer.reasons.push_back(answer.supported.back() ? Unsupported()
                                                     : Unsupported{"", "", "the fake lacks it", "", ""});
  }
  return answer;
}

Result<std::shared_ptr<IPreparedModel>> FakeDevice::prepareModel(const Model &model, const PrepareOptions &options) {
  ++preparations;
  lastOptions = options;
  AVOCET_RETURN_IF_ERROR(validate(model));
  if (prepareError != ErrorStatus::None)
    return error(prepareError, "as the test asks");
  std::scoped_lock lock(mutex_);
  models.push_back(model);
  return std::shared_ptr<IPreparedModel>(std::make_shared<FakeModel>(*this, model));
}

ErrorStatus FakeDevice::prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                   PreparedModelCallback callback) {
  auto prepared = prepareModel(model, options);
  callback(prepared.code(), prepared ? *prepared : nullptr);
  return prepared.code();
}

/// The first byte of the token is the index of a model that was prepared before.
Result<std::shared_ptr<IPreparedModel>> FakeDevice::prepareModelFromCache(const OptionalTimePoint &,
                                                                          const CacheFiles &cache) {
  std::scoped_lock lock(mutex_);
  if (cache.token[0] >= models.size())
    return generalFailure("not cached");
  ++cachedPreparations;
  return std::shared_ptr<IPreparedModel>(std::make_shared<FakeModel>(*this, models[cache.token[0]]));
}

Result<std::shared_ptr<IBuffer>> FakeDevice::allocate(const std::vector<uint32_t> &,
                                                      const std::vector<BufferRole> &inputRoles,
                                                      const std::vector<BufferRole> &outputRoles) {
  for (const auto *roles : {&inputRoles, &outputRoles})
    for (const BufferRole &role : *roles)
      if (dynamic_cast<FakeModel *>(role.model.get()) == nullptr)
        return invalidArgument("a model of another device");
  ++buffers;
  if (!hasMemory)
    return generalFailure("the fake has no memory");
  const bool isInput = !inputRoles.empty();
  const BufferRole &role = isInput ? inputRoles.front() : outputRoles.front();
  const Operand &operand = dynamic_cast<FakeModel &>(*role.model).roleOperand(role, isInput);
  std::scoped_lock lock(mutex_);
  memories_.push_back(ashmem(getNonExtensionSize(operand).value_or(0)));
  return std::shared_ptr<IBuffer>(
      std::make_shared<FakeBuffer>(BufferToken(static_cast<uint32_t>(memories_.size())), memories_.back()));
}

} // namespace avocet::hal::test
