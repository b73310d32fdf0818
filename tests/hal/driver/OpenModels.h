//===- OpenModels.h - Random models with unknown extents ----------* -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of a few operations in a chain, on real or quantized numbers. Some extents or the rank of its input are
// unknown; some paddings, axes, permutations, conditions and iteration counts are inputs. Extents and values of an
// execution are chosen so that they break no rule of NNAPI.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_OPENMODELS_H
#define AVOCET_TESTS_HAL_DRIVER_OPENMODELS_H

#include "avocet/hal/types/Types.h"

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace avocet::hal::testing {

using Extents = std::vector<uint32_t>;

/// Highest tensor rank that the device supports.
inline constexpr uint32_t kHighestRank = 8;

/// Extents and bytes of one main input in an execution.
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
  /// Features of the model: "float32", "unsigned", "signed", "unranked", "if", "constantIf", "while".
  const std::set<std::string> &features() const { return features_; }

  /// Random inputs of an execution, with up to about `elements` elements per tensor; different in each call.
  std::vector<OpenInput> makeInputs(uint32_t elements);
  /// Extents of the output for the last inputs, and the size of its elements in bytes.
  const Extents &result() const { return result_; }
  uint64_t resultBytes() const;
  /// Elements of the largest tensor for the last inputs.
  uint64_t mostElements() const { return mostElements_; }

private:
  /// Changes the extents as the operation does, and adds the inputs that it reads besides the chain's value.
  using Step = std::function<void(Extents &value, std::vector<OpenInput> &inputs)>;
  struct Quantization {
    float scale = 0;
    int32_t zeroPoint = 0;
  };

  uint32_t below(uint32_t limit) { return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random_); }
  bool maybe() { return below(2) == 0; }
  bool isReal() const { return type_ == OperandType::TensorFloat32; }
  bool isRanked() const { return !declared_.empty(); }
  uint64_t bytesOf(const Extents &extents) const;

  uint32_t add(Operand operand);
  uint32_t addConstant(Operand operand, const std::vector<uint8_t> &bytes);
  uint32_t addInts(const std::vector<int32_t> &values);
  uint32_t addScalar(int32_t value);
  uint32_t addReal(float value);
  uint32_t addWeights(const Extents &dimensions);
  uint32_t addBias(uint32_t count);
  /// An operand of the chain's type and quantization whose extents are open, or these.
  Operand likeValue(OperandLifeTime lifetime) const;
  Operand likeValue(OperandLifeTime lifetime, Extents dimensions) const;
  uint32_t addSubgraph(Subgraph subgraph);
  /// The result has the quantization of the chain's value, or this one if the numbers are quantized.
  uint32_t operation(OperationType type, std::vector<uint32_t> inputs);
  uint32_t operation(OperationType type, std::vector<uint32_t> inputs, Quantization result);
  Quantization fromZero(float scale) const;
  Quantization fromMinusOne(float scale) const;

  void addStart();
  uint32_t openExtent(uint32_t least, uint32_t most);
  Extents startExtents(const Extents &declared, uint64_t elements);
  void addRandomStep();
  void addStepOfAnyRank();
  void addUnary();
  void addAbs();
  void addSum();
  void addExtremum();
  void addOtherInput(OperationType code, std::vector<uint32_t> more);
  void addSoftmax();
  void addPool();
  void addConvolution();
  void addFullyConnected();
  void addPadding();
  void addTranspose();
  void addMean();
  void addConcatenation();
  void addBranch();
  void addLoop();
  Subgraph branch(OperationType type);
  Subgraph loopCondition() const;
  Subgraph loopBody(OperationType type);

  std::mt19937 random_;
  Model model_;
  std::string description_;
  std::set<std::string> features_;
  std::vector<Step> steps_;
  OperandType type_ = OperandType::TensorFloat32; ///< of the chain's value
  Extents declared_, result_; ///< of the chain's value; declared: 0 where unknown, empty if the rank is unknown
  bool mayBeThin_ = false;    ///< the chain's value may have one row or one column
  uint64_t mostElements_ = 0;
  uint32_t value_ = 0; ///< operand of the chain's value
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_OPENMODELS_H
