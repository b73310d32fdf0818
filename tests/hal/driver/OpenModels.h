//===- OpenModels.h - Random models with unknown extents --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of a few operations in a chain. Some extents of its input are unknown, some paddings, axes and permutations
// are inputs. Extents and values of an execution are chosen so that they break no rule of NNAPI.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_OPENMODELS_H
#define AVOCET_TESTS_HAL_DRIVER_OPENMODELS_H

#include "avocet/hal/Types.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace avocet::hal::testing {

using Extents = std::vector<uint32_t>;

/// What an execution brings for one main input.
struct OpenInput {
  Extents dimensions;
  std::vector<uint8_t> bytes;
};

class OpenModel {
public:
  explicit OpenModel(uint32_t seed);

  const Model &model() const { return model_; }
  /// Names of the operations and declared extents, for messages.
  const std::string &description() const { return description_; }

  /// Inputs of an execution, which may have up to about so many elements in a tensor; other numbers each time.
  std::vector<OpenInput> makeInputs(uint32_t elements);
  /// Extents of the output with the last inputs.
  const Extents &result() const { return result_; }

private:
  /// Adds to the inputs of an execution what the operation reads beside the chain's value, which has the extents.
  using Step = std::function<void(Extents &value, std::vector<OpenInput> &inputs)>;

  uint32_t below(uint32_t limit) { return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random_); }
  bool maybe() { return below(2) == 0; }
  uint32_t add(Operand operand);
  uint32_t addInts(const std::vector<int32_t> &values);
  uint32_t addScalar(int32_t value);
  uint32_t addReal(float value);
  uint32_t addWeights(const Extents &dimensions);
  uint32_t addIntsInput(uint32_t count);
  uint32_t operation(OperationType type, std::vector<uint32_t> inputs);

  void addStart();
  void addRandomStep();
  void addUnary();
  void addSum();
  void addSoftmax();
  void addPool();
  void addConvolution();
  void addFullyConnected();
  void addPadding();
  void addTranspose();
  void addMean();
  void addConcatenation();
  void addBranch();

  std::mt19937 random_;
  Model model_;
  std::string description_;
  std::vector<Step> steps_;
  Extents declared_, result_; ///< of the chain's value; declared: 0 where unknown
  uint32_t value_ = 0;        ///< operand of the chain's value
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_OPENMODELS_H
