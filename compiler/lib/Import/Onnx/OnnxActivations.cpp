//===- OnnxActivations.cpp - Functions named by attributes ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxActivations.h"

#include "Import/Common/Functions.h"

using namespace mlir;

namespace avocet::compiler {

using nn::UnaryKind;

namespace {

constexpr OnnxActivation kActivations[] = {
    {"Affine", 2, 1, 0, [](Formula &f, Value x, float a, float b) { return f.add(f.mul(x, a), b); }},
    {"Clip", 2, 0, 0, [](Formula &f, Value x, float a, float b) { return f.min(f.max(x, a), b); }},
    {"Elu", 1, 1, 0, [](Formula &f, Value x, float a, float) { return f.apply(UnaryKind::Elu, x, a); }},
    {"HardSigmoid", 2, 0.2f, 0.5f, functions::hardSigmoid},
    {"LeakyRelu", 1, 0.01f, 0, [](Formula &f, Value x, float a, float) { return f.apply(UnaryKind::LeakyRelu, x, a); }},
    {"Relu", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.max(x, 0); }},
    {"ScaledTanh", 2, 1, 1, [](Formula &f, Value x, float a, float b) { return f.mul(f.tanh(f.mul(x, b)), a); }},
    {"Sigmoid", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.logistic(x); }},
    {"Softplus", 0, 0, 0, [](Formula &f, Value x, float, float) { return functions::softplus(f, x); }},
    {"Softsign", 0, 0, 0, [](Formula &f, Value x, float, float) { return functions::softsign(f, x); }},
    {"Tanh", 0, 0, 0, [](Formula &f, Value x, float, float) { return f.tanh(x); }},
    {"ThresholdedRelu", 1, 1, 0, [](Formula &f, Value x, float a, float) { return functions::thresholded(f, x, a); }},
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

Value activated(OnnxOperation &op, Formula &f, Value x, StringRef name) {
  FailureOr<OnnxActivation> function = onnxActivation(op, name);
  if (failed(function))
    return {};
  if (function->parameters > 0)
    function->alpha = op.number("alpha", function->alpha);
  if (function->parameters > 1)
    function->beta = op.number("beta", function->beta);
  return (*function)(f, x);
}

} // namespace avocet::compiler
