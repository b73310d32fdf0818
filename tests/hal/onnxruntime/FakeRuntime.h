//===- FakeRuntime.h - A runtime of graphs in memory ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has the functions by which the provider reads graphs and lists devices, and those of statuses. Its objects are the
// structs below.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_ONNXRUNTIME_FAKERUNTIME_H
#define AVOCET_TESTS_HAL_ONNXRUNTIME_FAKERUNTIME_H

#include "abi/Runtime.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace avocet::ort {

struct FakeStatus {
  abi::ErrorCode code;
  std::string text;
};
/// The status, which is released.
FakeStatus taken(abi::Status *status);

/// Also its type, and as a tensor.
struct FakeValue {
  std::string name;
  int32_t element = 1; ///< float32
  std::optional<std::vector<int64_t>> shape = std::vector<int64_t>{2};
  std::vector<const char *> extentNames = {};
  bool isConstant = false, isOutput = false;
  std::vector<uint8_t> bytes = {};
};

struct FakeAttribute {
  std::string name;
  abi::AttributeType type = abi::AttributeType::Undefined;
  std::vector<int64_t> integers = {};
  std::vector<float> floats = {};
  std::string text = {}; ///< of several texts: each with a zero after it
  FakeValue tensor = {};
};

struct FakeGraph;
struct FakeNode {
  size_t id = 0;
  std::string type, name = {}, domain = {}, provider = {};
  std::vector<const FakeValue *> inputs = {}, outputs = {}, implicit = {};
  std::vector<FakeAttribute> attributes = {};
  std::vector<std::pair<std::string, const FakeGraph *>> graphs = {};
};

struct FakeGraph {
  std::deque<FakeValue> values;
  std::deque<FakeNode> nodes;
  std::vector<const FakeValue *> inputs, outputs, initializers;
  std::vector<std::pair<std::string, int64_t>> operatorSets = {{"", 17}};
  const FakeNode *parent = nullptr;

  FakeValue &value(std::string name) { return values.emplace_back(FakeValue{std::move(name)}); }
  FakeValue &constant(std::string name, std::vector<uint8_t> bytes);
  /// Its id is its number.
  FakeNode &node(std::string type, std::vector<const FakeValue *> inputs, std::vector<const FakeValue *> outputs);
  const abi::Graph &get() const { return *reinterpret_cast<const abi::Graph *>(this); }
};

/// Key-value pairs of the runtime.
using FakePairs = std::map<std::string, std::string>;

struct FakeHardware {
  abi::HardwareType type = abi::HardwareType::Cpu;
  FakePairs metadata = {};
  std::string vendor = {}; ///< of one that the provider has made

  const abi::HardwareDevice *get() const { return reinterpret_cast<const abi::HardwareDevice *>(this); }
};

/// The runtime does not own it.
struct FakeEpDevice {
  const FakeHardware *hardware = nullptr;
  bool hasAllocator = false;
};

/// A runtime that has versions of the interface up to `newest`, and says `version`.
abi::ApiBase fakeRuntime(const char *version = "1.30.0", uint32_t newest = 28);

} // namespace avocet::ort

#endif // AVOCET_TESTS_HAL_ONNXRUNTIME_FAKERUNTIME_H
