//===- Objects.h - Objects of the NNAPI C library for tests -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owners of the library's objects, and small models with known answers. A call that has to succeed and does not throws,
// which fails the test.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_NNAPI_OBJECTS_H
#define AVOCET_TESTS_HAL_NNAPI_OBJECTS_H

#include "avocet/NeuralNetworks.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace avocet::nnapi::testing {

template <typename T, void (*Free)(T *)> struct Freer {
  void operator()(T *object) const { Free(object); }
};
template <typename T, void (*Free)(T *)> using Owner = std::unique_ptr<T, Freer<T, Free>>;

using Model = Owner<ANeuralNetworksModel, ANeuralNetworksModel_free>;
using Compilation = Owner<ANeuralNetworksCompilation, ANeuralNetworksCompilation_free>;
using Execution = Owner<ANeuralNetworksExecution, ANeuralNetworksExecution_free>;
using Burst = Owner<ANeuralNetworksBurst, ANeuralNetworksBurst_free>;
using Event = Owner<ANeuralNetworksEvent, ANeuralNetworksEvent_free>;
using Memory = Owner<ANeuralNetworksMemory, ANeuralNetworksMemory_free>;
using MemoryDesc = Owner<ANeuralNetworksMemoryDesc, ANeuralNetworksMemoryDesc_free>;

inline constexpr int kOk = ANEURALNETWORKS_NO_ERROR;
inline constexpr int kNull = ANEURALNETWORKS_UNEXPECTED_NULL;
inline constexpr int kBadData = ANEURALNETWORKS_BAD_DATA;
inline constexpr int kBadState = ANEURALNETWORKS_BAD_STATE;
inline constexpr int kFailed = ANEURALNETWORKS_OP_FAILED;
inline constexpr int kTooSmall = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;

/// Throws std::runtime_error unless `code` is NO_ERROR.
void need(int code, const char *call);
#define NEED(call) ::avocet::nnapi::testing::need((call), #call)

/// A type of the C interface that keeps its dimensions.
class Type {
public:
  // Implicit, so that tests can write {code, {2, 3}}.
  Type(int32_t code, std::vector<uint32_t> dimensions = {}, float scale = 0, int32_t zeroPoint = 0);
  const ANeuralNetworksOperandType *get() const { return &type_; }
  Type(const Type &) = delete;

private:
  const std::vector<uint32_t> dimensions_;
  ANeuralNetworksOperandType type_;
};

/// A model under construction.
class ModelMaker {
public:
  ModelMaker();
  ANeuralNetworksModel *get() const { return model_.get(); }

  /// Returns the operand's index, as do the following.
  uint32_t operand(const Type &type);
  uint32_t floats(std::vector<uint32_t> dimensions) { return operand({ANEURALNETWORKS_TENSOR_FLOAT32, dimensions}); }
  /// An INT32 scalar constant.
  uint32_t scalar(int32_t value);
  /// A FLOAT32 tensor constant. More than 32 values must outlive the finish of the model.
  uint32_t constant(std::vector<uint32_t> dimensions, std::span<const float> values);
  uint32_t submodel(const Model &model);

  void operation(int32_t code, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs);
  /// result = a + b, without an activation.
  void add(uint32_t a, uint32_t b, uint32_t result) { operation(ANEURALNETWORKS_ADD, {a, b, scalar(0)}, {result}); }
  void identify(std::vector<uint32_t> inputs, std::vector<uint32_t> outputs);
  /// Finishes the model and gives it away.
  Model finish();

private:
  Model model_;
  uint32_t count_ = 0;
};

/// output = input0 + input1, FLOAT32.
Model addModel(std::vector<uint32_t> dimensions = {2});
/// output = input + value, FLOAT32 of two elements.
Model addConstantModel(float value);
/// output = input0 (BOOL8 of 1) ? input1 + 1 : input1 + 10, FLOAT32 of two elements.
Model ifModel();
/// output = input + 1 repeated while below `limit`, FLOAT32 of one element.
Model whileModel(float limit);

std::vector<const ANeuralNetworksDevice *> allDevices();
/// The first device.
const ANeuralNetworksDevice *firstDevice();

/// Unfinished.
Compilation compilationOf(const Model &model);
Compilation compilationFor(const Model &model, std::vector<const ANeuralNetworksDevice *> devices);
/// Finished, for the first device alone.
Compilation compile(const Model &model);
/// Finished, for all devices.
Compilation compileForAll(const Model &model);
Execution executionOf(const Compilation &compilation);
Burst burstOf(const Compilation &compilation);
/// Made for these inputs and outputs.
Memory memoryFor(const Compilation &compilation, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs);

/// One execution of addModel(): inputs {1, 2} and {10, 20}, output {11, 22}.
struct Addition {
  explicit Addition(const Compilation &compilation, bool isReusable = false);
  bool isRight() const { return output[0] == 11 && output[1] == 22; }
  ANeuralNetworksExecution *get() const { return execution.get(); }

  float first[2] = {1, 2}, second[2] = {10, 20}, output[2] = {};
  Execution execution;
};

/// A memory file with a mapping.
class SharedFile {
public:
  explicit SharedFile(size_t bytes);
  ~SharedFile();
  SharedFile(const SharedFile &) = delete;
  int descriptor() const { return descriptor_; }
  float *floats() const { return static_cast<float *>(address_); }
  /// The whole file as a memory.
  Memory memory() const;

private:
  const size_t size_;
  int descriptor_ = -1;
  void *address_ = nullptr;
};

} // namespace avocet::nnapi::testing

#endif // AVOCET_TESTS_HAL_NNAPI_OBJECTS_H
