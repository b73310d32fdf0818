//===- KindsTest.cpp - Text and bytecode of each kind -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <string>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr const char *kElements[] = {
    "f32", "f16", "i32", "i1", "!quant.uniform<i8:f32, 2.500000e-01:4>", "!quant.uniform<u8:f32, 5.000000e-01:125>"};

std::string textOf(const std::string &operation, const std::string &element) {
  const std::string type = "tensor<2x3x" + element + ">";
  return "func.func @main(%x: " + type + ") -> " + type + " {\n  %y = " + operation + " %x : (" + type + ") -> " +
         type + "\n  return %y : " + type + "\n}\n";
}

std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// What is printed after a module was read from bytecode.
std::string printedFromBytecode(ModuleOp module) {
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  EXPECT_TRUE(succeeded(writeBytecodeToFile(module, stream)));
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(bytecode, module.getContext());
  return again ? printed(*again) : "";
}

/// Whether an operation takes these elements. What is printed must then read as the same.
bool staysTheSame(MLIRContext &context, const std::string &operation, const std::string &element) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(textOf(operation, element), &context);
  if (!module)
    return false;
  const std::string text = printed(*module);
  EXPECT_NE(text.find(operation + " %"), std::string::npos) << text;
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, &context);
  EXPECT_EQ(again ? printed(*again) : "", text);
  EXPECT_EQ(printedFromBytecode(*module), text);
  return true;
}

TEST(KindsTest, EachUnaryKindStaysInTextAndBytecode) {
  MLIRContext context;
  context.loadDialect<NnDialect, func::FuncDialect, quant::QuantDialect>();
  const ScopedDiagnosticHandler refusals(&context, [](Diagnostic &) { return success(); });
  for (uint32_t number = 0; number <= getMaxEnumValForUnaryKind(); ++number) {
    const std::string operation = "nn.unary " + stringifyUnaryKind(*symbolizeUnaryKind(number)).str();
    size_t types = 0;
    for (const char *element : kElements)
      types += staysTheSame(context, operation, element);
    EXPECT_GT(types, 0u) << operation;
  }
}

} // namespace
} // namespace avocet::compiler::nn
