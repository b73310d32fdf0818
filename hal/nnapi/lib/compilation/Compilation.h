//===- Compilation.h - A model for certain devices ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_COMPILATION_COMPILATION_H
#define AVOCET_HAL_NNAPI_LIB_COMPILATION_COMPILATION_H

#include "api/ApiResult.h"
#include "compilation/CompilationOptions.h"
#include "memory/SharedArea.h"
#include "model/FinishedModel.h"
#include "telemetry/Diagnostics.h"

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::nnapi {

/// ANeuralNetworksCompilation. Belongs to one thread until it is finished; then it is immutable and thread-safe.
class Compilation {
public:
  Compilation(std::shared_ptr<const FinishedModel> model, CompilationOptions options);

  ApiOutcome setPreference(int32_t preference);
  ApiOutcome setPriority(int priority);
  ApiOutcome setTimeout(uint64_t nanoseconds);
  ApiOutcome setCaching(std::string folder, const uint8_t *token);
  ApiOutcome setCachingFiles(std::span<const int> modelFiles, std::span<const int> dataFiles, const uint8_t *token);
  ApiOutcome addHint(const std::string &extension, uint16_t code, std::span<const uint8_t> value);
  ApiOutcome finish();

  /// BAD_STATE unless finish() succeeded.
  ApiOutcome checkUsable() const;
  /// Bytes; `index` of an input or output.
  ApiResult<uint32_t> preferredAlignment(bool isOutput, uint32_t index) const;
  ApiResult<uint32_t> preferredPadding(bool isOutput, uint32_t index) const;

  /// Unique in the process.
  uint64_t number() const { return number_; }
  const hal::Model &model() const { return model_->model; }
  /// Of its devices; valid if finish() succeeded.
  const hal::MemoryPreference &memoryPreference() const { return memory_; }
  /// Null unless finish() succeeded.
  const std::shared_ptr<hal::IPreparedModel> &prepared() const { return prepared_; }
  /// The device that runs the whole model; null: there are several.
  const std::shared_ptr<hal::IDevice> &onlyDevice() const { return onlyDevice_; }
  bool isOnCpu() const { return onlyDevice_ != nullptr && onlyDevice_->type() == hal::DeviceType::Cpu; }
  bool choseDevices() const { return options_.choseDevices; }
  /// Whether the application chose exactly one device, which some settings need.
  bool choseOneDevice() const { return options_.choseDevices && options_.devices.size() == 1; }
  const CompilationOptions &options() const { return options_; }
  /// For callbacks of telemetry. Computed by the first call, which must not come before finish() has been called.
  const CompilationFacts &facts() const;
  AreaCache &areas() const { return areas_; }

private:
  ApiOutcome checkOpen() const;
  ApiOutcome prepareModel();
  void count(uint64_t operationsOnDevice) const;
  ApiOutcome checkIndex(bool isOutput, uint32_t index) const;

  const uint64_t number_;
  const std::shared_ptr<const FinishedModel> model_;
  CompilationOptions options_;
  bool isClosed_ = false; ///< finish() was called
  std::shared_ptr<hal::IPreparedModel> prepared_;
  std::shared_ptr<hal::IDevice> onlyDevice_;
  hal::MemoryPreference memory_;
  mutable AreaCache areas_;
  mutable std::once_flag hasFacts_;
  mutable CompilationFacts facts_;
};

/// A hint of an extension, in the form of the HAL. BAD_DATA: the device does not support the extension, or `hints` has
/// the code already.
ApiOutcome addHintTo(std::vector<hal::TokenValuePair> &hints, std::vector<hal::ExtensionNameAndPrefix> &extensions,
                     const Device &device, const std::string &extension, uint16_t code, std::span<const uint8_t> value);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_COMPILATION_COMPILATION_H
