//===- FakeDevice.cpp - A device as the test wants it ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"

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

Result<Mapping> mapPool(const Memory &memory) {
  auto mapping = Mapping::map(std::get<Ashmem>(memory.handle).fd->get(), sizeOf(memory), Mapping::Access::ReadWrite);
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
    std::this_thread::sleep_for(device_.delay);
    if (auto valid = validateRequestForModel(request, model_); !valid)
      return {valid.code(), valid.error().message, {}, {}};
    if (device_.executeError != ErrorStatus::None)
      return {device_.executeError, "as the test asks", {}, {}};
    for (const RequestPool &pool : request.pools)
      if (!std::holds_alternative<SharedMemory>(pool))
        return {ErrorStatus::GeneralFailure, "the fake has no memory", {}, {}};
    return run(request, options);
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

private:
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
  Outcome releaseMemoryResource(int64_t identifier) override { return validateMemoryIdentifier(identifier); }

private:
  FakeDevice &device_;
  const std::shared_ptr<IPreparedModel> model_;
};

Result<std::shared_ptr<IBurst>> FakeModel::configureBurst() {
  return std::shared_ptr<IBurst>(std::make_shared<FakeBurst>(device_, shared_from_this()));
}

} // namespace

FakeDevice::FakeDevice(const std::string &name, std::set<OperationType> supported, float cost)
    : DescribedDevice({.name = name, .version = name, .featureLevel = kLatestVersion, .type = DeviceType::Accelerator}),
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

Result<std::shared_ptr<IPreparedModel>> FakeDevice::prepareModel(const Model &model, const PrepareOptions &) {
  ++preparations;
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
  return generalFailure("the fake has no memory");
}

} // namespace avocet::hal::test
