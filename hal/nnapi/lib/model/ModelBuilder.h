//===- ModelBuilder.h - A model that is being built --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MODEL_MODELBUILDER_H
#define AVOCET_HAL_NNAPI_LIB_MODEL_MODELBUILDER_H

#include "api/ApiResult.h"
#include "model/FinishedModel.h"

#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace avocet::nnapi {

class Memory;

/// ANeuralNetworksModel. Belongs to one thread until it is finished; then it is immutable.
class ModelBuilder {
public:
  ApiOutcome addOperand(const ANeuralNetworksOperandType &type);
  ApiOutcome setValue(int32_t index, const void *buffer, size_t length);
  ApiOutcome setValueFromMemory(int32_t index, const std::shared_ptr<Memory> &memory, size_t offset, size_t length);
  ApiOutcome setValueFromModel(int32_t index, const ModelBuilder &value);
  ApiOutcome setChannelQuantization(int32_t index, const ANeuralNetworksSymmPerChannelQuantParams &parameters);
  ApiOutcome setExtensionData(int32_t index, const void *data, size_t length);
  ApiOutcome addOperation(int32_t type, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs);
  ApiOutcome setInputsAndOutputs(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs);
  ApiOutcome relax(bool allow);
  ApiOutcome finish();

  ApiResult<int32_t> extensionCode(const std::string &extension, uint16_t code) const;

  /// Null unless finish() succeeded.
  const std::shared_ptr<const FinishedModel> &finished() const { return finished_; }

private:
  ApiOutcome checkOpen() const;
  ApiResult<hal::Operand *> operandAt(int32_t index);
  ApiResult<hal::Operand *> valueOperandAt(int32_t index, size_t length);
  ApiOutcome checkIndices(std::span<const uint32_t> indices) const;
  ApiOutcome setLifetimes(std::span<const uint32_t> indices, hal::OperandLifeTime lifetime);
  uint32_t poolOf(const std::shared_ptr<Memory> &memory);
  ApiOutcome copyLargeValues();
  void mergeSubgraphs();
  std::vector<uint32_t> undefinedOperations() const;
  ApiOutcome complete();

  hal::Model model_;
  bool isClosed_ = false; ///< finish() was called
  bool hasInputsAndOutputs_ = false;
  std::map<uint32_t, std::span<const uint8_t>> largeValues_;           ///< of the application, by operand
  std::map<uint32_t, std::shared_ptr<const FinishedModel>> subgraphs_; ///< by operand
  std::shared_ptr<const FinishedModel> finished_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MODEL_MODELBUILDER_H
