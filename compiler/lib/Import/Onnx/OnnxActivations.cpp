//===- OnnxActivations.cpp - Functions named by attributes ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxActivations.h"

using namespace mlir;

namespace avocet::compiler {

using nn::UnaryKind;

namespace {

Value softplus(Formula &f, Value x) {
  Value small = f.apply(UnaryKind::Exp, f.apply(UnaryKind::Neg, f.apply(UnaryKind::Abs, x)));
  return f.add(f.max(x, 0), f.apply(UnaryKind::Log, f.add(small, 1)));
}

constexpr OnnxActivation kActivations[] = {
    {"Affine", 2, 1, 0, [](Formula &f, Value x, float a, float b) { return f.add(f.mul(x, a), b); }},
    {"Clip", 2, 0, 0, [](Formula &f, Value x, float a, float b) { return f.min(f.max(x, a), b); }},
    {"Elu", 1, 1, 0, [](Formula &f, Value x, float a, float) { return f.apply(UnaryKind::Elu, x, a); }},
    {"HardSigmoid", 2, 0.2f, 0.5f,
     [](Formula &f, Value x, float a, float b) { return f.min(f.max(f.add(f.mul(x, a), b), 0), 1); }},
    {"LeakyRelu", 1, 0.01f, 0, [](Formula &f, Value x, float a, float) { return f.apply(UnaryKind::LeakyRelu, x, a); }},
    {"Relu", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.max(x, 0); }},
    {"ScaledTanh", 2, 1, 1, [](Formula &f, Value x, float a, float b) { return f.mul(f.tanh(f.mul(x, b)), a); }},
    {"Sigmoid", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.logistic(x); }},
    {"Softplus", 0, 0, 0, [](Formula &f, Value x, float, float) { return softplus(f, x); }},
    {"Softsign", 0, 0, 0,
     [](Formula &f, Value x, float, float) { return f.div(x, f.add(f.apply(UnaryKind::Abs, x), 1)); }},
    {"Tanh", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.tanh(x); }},
    {"ThresholdedRelu", 1, 1, 0,
     [](Formula &f, Value x, float a, float) {
       return f.select(f.compare(x, nn::CompareKind::Greater, a), x, f.constant(0));
     }},
};

} // namespace

FailureOr<OnnxActivation> onnxActivation(ImportedOperation &op, StringRef name) {
  const auto *found =
      llvm::find_if(kActivations, [&](const OnnxActivation &each) { return each.name.equals_insensitive(name); });
  if (found == std::end(kActivations))
    return op.refuse("activation", "is a function of ONNX", name,
                     "Relu, Tanh, Sigmoid, LeakyRelu, HardSigmoid or others");
  return *found;
}

} // namespace avocet::compiler
