//===- Draft.h - One operation on the way into a graph ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_DRAFT_H
#define AVOCET_VALIDATION_RANDOM_DRAFT_H

#include "Graph.h"
#include "Random.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace avocet::hal::conformance {

/// Ranks that an operand may have.
struct Ranks {
  uint32_t least = 1, most = 4;
};

class Draft;

/// Makes the subgraphs of an operation that is drafted. Values of their operations are known.
class SubgraphDrawer {
public:
  virtual ~SubgraphDrawer() = default;
  /// Subgraphs nest once: false in a subgraph of a subgraph.
  virtual bool mayDraw() const = 0;
  /// Adds up to `count` random operations.
  virtual void grow(Graph &subgraph, uint32_t count) = 0;
  /// Adds the operation that `make` drafts. False: it was refused, or `make` returned false.
  virtual bool append(Graph &subgraph, OperationType type, const std::function<bool(Draft &)> &make) = 0;
};

/// An operation with its operands, before its results are known. Operands are chosen among the tensors of the graph or
/// made. Types are the letters of Signatures.h.
class Draft {
public:
  /// `maxElements`: of a new tensor.
  Draft(const Graph &graph, Random &random, OperationType type, uint64_t maxElements, SubgraphDrawer &drawer)
      : graph_(graph), random_(random), maxElements_(maxElements), drawer_(drawer), made_(graph) {
    made_.operations.push_back({type, {}, {}});
  }

  Random &random() { return random_; }
  OperationType type() const { return made_.operations.back().type; }
  /// By reference until the next call that makes an operand.
  const Value &at(uint32_t value) const { return made_.values[value]; }
  SubgraphDrawer &drawer() { return drawer_; }

  /// pick() chooses this tensor where it may.
  void prefer(uint32_t value) { preferred_ = value; }
  /// A tensor of the graph with one of the types and a rank in the range, most often one of the last; sometimes, and if
  /// there is none, a new one.
  uint32_t pick(std::string_view types, Ranks ranks = {});
  /// The leading tensor in a type of the operation's signature.
  uint32_t pickLeading(Ranks ranks = {});
  /// A tensor of this type and shape: of the graph, or a new one. `sameQuantization`: with that of `like` too, which
  /// must not be a reference from at().
  uint32_t pickShape(const Value &like, const Dimensions &dimensions, bool sameQuantization = false);

  /// New tensors with random values: inputs of the graph, or constants.
  uint32_t fresh(OperandType type, const Dimensions &dimensions, ValueRole role = ValueRole::Input);
  /// The same with a quantization: scale and zero point, if the type has them.
  uint32_t freshLike(const Value &like, const Dimensions &dimensions, ValueRole role);
  /// A floating-point input with values of `among`, which must be exact in binary16.
  uint32_t drawn(OperandType type, const Dimensions &dimensions, std::initializer_list<float> among);
  uint32_t add(Value value);
  uint32_t omitted(OperandType type);
  uint32_t integers(const std::vector<int32_t> &values); ///< TENSOR_INT32 constant of rank 1
  uint32_t integers(const std::vector<int32_t> &values, const Dimensions &dimensions);
  uint32_t integer(int32_t value); ///< INT32
  uint32_t boolean(bool value);    ///< BOOL
  /// FLOAT16 if `leading` is TENSOR_FLOAT16, else FLOAT32. The value must be exact in binary16.
  uint32_t real(float value, OperandType leading);

  void input(uint32_t value) { made_.operations.back().inputs.push_back(value); }
  void inputs(std::initializer_list<uint32_t> values) { append(made_.operations.back().inputs, values); }

  /// Results, in order. The extents are computed by the reference; `rank` 0: the rank too.
  void output(OperandType type, uint32_t rank, float scale = 0, int32_t zeroPoint = 0);
  /// With type and quantization of `like`.
  void outputLike(uint32_t like, uint32_t rank);
  /// With its type, and a random quantization around `scale` if it has one.
  void outputScaled(uint32_t like, uint32_t rank, float scale);
  /// With its type; if 8 bits: `scale`, and the zero point for TENSOR_QUANT8_ASYMM, less 128 if signed.
  void outputFixed(uint32_t like, uint32_t rank, float scale, int32_t zeroPoint);

  /// The graph with the operation. Its results have no bytes yet.
  Graph finish() && { return std::move(made_); }

  Dimensions randomShape(Ranks ranks);

private:
  template <typename T> uint32_t scalar(OperandType type, T value); ///< a constant
  static void append(std::vector<uint32_t> &list, std::initializer_list<uint32_t> values) {
    list.insert(list.end(), values);
  }
  std::optional<uint32_t> find(std::string_view types, Ranks ranks);
  Bytes randomBytes(OperandType type, uint64_t count);

  const Graph &graph_;
  Random &random_;
  uint64_t maxElements_;
  SubgraphDrawer &drawer_;
  std::optional<uint32_t> preferred_;
  Graph made_;
};

/// The tensor type of a letter of Signatures.h.
OperandType typeOfLetter(char letter);
/// QUANT8_ASYMM, signed or not.
bool isAsymmetric8Bit(OperandType type);
bool isFloating(OperandType type);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_DRAFT_H
