//===- Models.cpp ---------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "Pool.h"
#include "Random.h"

#include <cstring>

namespace avocet::stress {
namespace {

using namespace hal;

/// Builds a model from its input, one operation after the other.
class Chain {
public:
  Chain(Random &random, uint32_t rows, uint32_t columns) : random_(random), dimensions_{rows, columns} {
    last_ = add(tensor(dimensions_, OperandLifeTime::SubgraphInput));
    made_.main.inputIndexes = {last_};
  }

  void addOperation() {
    switch (random_.below(7)) {
    case 0:
      return append(OperationType::Relu, {});
    case 1:
      return append(OperationType::Tanh, {});
    case 2:
      return append(OperationType::Logistic, {});
    case 3:
      return append(OperationType::Softmax, {constantOf(1.0f)});
    case 4:
      return append(OperationType::FullyConnected, {randomTensor({dimensions_[1], dimensions_[1]}),
                                                    randomTensor({dimensions_[1]}), constantOf(int32_t(0))});
    default:
      return append(random_.oneIn(2)   ? OperationType::Add
                    : random_.oneIn(2) ? OperationType::Mul
                                       : OperationType::Sub,
                    {randomTensor(dimensions_), constantOf(int32_t(0))});
    }
  }

  void addFullyConnected() {
    append(OperationType::FullyConnected,
           {randomTensor({dimensions_[1], dimensions_[1]}), randomTensor({dimensions_[1]}), constantOf(int32_t(0))});
  }

  Model finish() {
    made_.main.operands[last_].lifetime = OperandLifeTime::SubgraphOutput;
    made_.main.outputIndexes = {last_};
    return std::move(made_);
  }

private:
  static Operand tensor(std::vector<uint32_t> dimensions, OperandLifeTime lifetime) {
    Operand operand;
    operand.type = OperandType::TensorFloat32;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    return operand;
  }
  uint32_t add(Operand operand) {
    made_.main.operands.push_back(std::move(operand));
    return static_cast<uint32_t>(made_.main.operands.size() - 1);
  }
  uint32_t addConstant(Operand operand, const void *data, size_t size) {
    operand.lifetime = OperandLifeTime::ConstantCopy;
    operand.location = {0, made_.operandValues.size(), size, 0};
    const auto *bytes = static_cast<const uint8_t *>(data);
    made_.operandValues.insert(made_.operandValues.end(), bytes, bytes + size);
    return add(std::move(operand));
  }
  template <typename T> uint32_t constantOf(T value) {
    Operand operand;
    operand.type = std::is_same_v<T, float> ? OperandType::Float32 : OperandType::Int32;
    return addConstant(std::move(operand), &value, sizeof(value));
  }
  uint32_t randomTensor(const std::vector<uint32_t> &dimensions) {
    size_t count = 1;
    for (uint32_t extent : dimensions)
      count *= extent;
    std::vector<float> values(count);
    for (float &value : values)
      value = random_.unit();
    return addConstant(tensor(dimensions, OperandLifeTime::ConstantCopy), values.data(), count * sizeof(float));
  }
  void append(OperationType type, const std::vector<uint32_t> &more) {
    Operation operation{type, {last_}, {}};
    operation.inputs.insert(operation.inputs.end(), more.begin(), more.end());
    last_ = add(tensor(dimensions_, OperandLifeTime::TemporaryVariable));
    operation.outputs = {last_};
    made_.main.operations.push_back(std::move(operation));
  }

  Random &random_;
  std::vector<uint32_t> dimensions_;
  Model made_;
  uint32_t last_ = 0;
};

/// Every fourth model runs longer, so that other jobs have to wait for it.
Model makeModel(Random &random, size_t index) {
  if (index % 4 == 3) {
    Chain chain(random, 16, 64 << random.below(2));
    for (int i = 0; i < 6; ++i)
      chain.addFullyConnected();
    return chain.finish();
  }
  Chain chain(random, static_cast<uint32_t>(1 + random.below(8)), static_cast<uint32_t>(2 + random.below(30)));
  for (uint64_t i = 0, count = 1 + random.below(5); i < count; ++i)
    chain.addOperation();
  return chain.finish();
}

Bytes randomInput(Random &random, const Model &model) {
  const auto &dimensions = model.main.operands[model.main.inputIndexes[0]].dimensions;
  std::vector<float> values(size_t(dimensions[0]) * dimensions[1]);
  for (float &value : values)
    value = random.unit();
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Outcome computeGolden(IDevice &device, StressModel &entry) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IPreparedModel> prepared, device.prepareModel(entry.model, {}));
  Bytes value = entry.input;
  for (size_t i = 0; i < kApplications; ++i) {
    AVOCET_ASSIGN_OR_RETURN(Pool input, Pool::make(value.size()));
    AVOCET_ASSIGN_OR_RETURN(Pool output, Pool::make(value.size()));
    input.fill(value);
    const ExecutionOutcome outcome = prepared->execute(requestOf(input, output), {});
    if (!outcome.isOk())
      return error(outcome.status, entry.name + ": " + outcome.message);
    value = output.copy();
    entry.golden.push_back(value);
  }
  return success();
}

} // namespace

std::vector<StressModel> makeModels(uint64_t seed, size_t count) {
  std::vector<StressModel> models;
  for (size_t i = 0; i < count; ++i) {
    Random random(seed * 1000 + i);
    StressModel made{"chain" + std::to_string(i), makeModel(random, i), {}, {}};
    made.input = randomInput(random, made.model);
    models.push_back(std::move(made));
  }
  return models;
}

Outcome computeGoldens(IDevice &device, std::vector<StressModel> &models) {
  for (StressModel &entry : models)
    AVOCET_RETURN_IF_ERROR(computeGolden(device, entry));
  return success();
}

Bytes packGoldens(const std::vector<StressModel> &models) {
  Bytes all;
  for (const StressModel &entry : models)
    for (const Bytes &bytes : entry.golden)
      all.insert(all.end(), bytes.begin(), bytes.end());
  return all;
}

bool unpackGoldens(const Bytes &bytes, std::vector<StressModel> &models) {
  auto at = bytes.begin();
  for (StressModel &entry : models)
    for (size_t i = 0; i < kApplications; ++i) {
      if (static_cast<size_t>(bytes.end() - at) < entry.bytes())
        return false;
      const auto end = at + static_cast<ptrdiff_t>(entry.bytes());
      entry.golden.emplace_back(at, end);
      at = end;
    }
  return at == bytes.end();
}

} // namespace avocet::stress
