//===- PlacedText.h - Runs networks given as text ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_PLACE_PLACEDTEXT_H
#define AVOCET_TESTS_COMPILER_PLACE_PLACEDTEXT_H

#include "PlacedRunner.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

namespace avocet::compiler {

inline constexpr const char *kTypes = R"(
!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 0.25:4>
!u = !quant.uniform<u8:f32, 0.5:125>
!p = !quant.uniform<i8:f32, 3.906250e-03:-128>
!t = !quant.uniform<i8:f32, 7.812500e-03>
!w = !quant.uniform<i8:f32, 1.0>
!dw = !quant.uniform<i8:f32:3, {1.0, 0.5}>
)";

/// Places the function `text` on a target and runs it. Returns the bytes of its first output.
inline Bytes runOn(const char *targetName, const std::string &text, const std::vector<Bytes> &inputs) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect, npu::NpuDialect, mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  auto target = firmware::Target::load(targetName);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(kTypes + text, &context);
  EXPECT_TRUE(target && module) << text;
  if (!target || !module || mlir::failed(convertNnToNpu(*module, **target))) {
    ADD_FAILURE() << "not placed: " << text;
    return {};
  }
  PlacedRunner runner(*module->getOps<mlir::func::FuncOp>().begin(), **target);
  Result<std::vector<Bytes>> outputs = runner.run(inputs);
  EXPECT_TRUE(outputs) << outputs.status().message();
  return outputs ? outputs->front() : Bytes();
}

inline Bytes run(const std::string &text, const std::vector<Bytes> &inputs) { return runOn("e256", text, inputs); }

inline Bytes allPatterns() {
  Bytes bytes(256);
  std::iota(bytes.begin(), bytes.end(), 0);
  return bytes;
}

inline Bytes ascending(size_t count) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), 1);
  return bytes;
}

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::vector<float> floatsOf(const Bytes &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline uint8_t stored(double value, int32_t least = -128, int32_t most = 127) {
  return static_cast<uint8_t>(std::clamp(static_cast<int32_t>(std::round(value)), least, most));
}

/// Runs `%x -> op` on all 256 values of !x and compares with `expected(real)` in units of the result.
template <typename F> void expectTable(const std::string &op, const std::string &result, F &&expected) {
  Bytes output =
      run("func.func @f(%x: tensor<256x!x>) -> tensor<256x" + result + "> {\n %0 = " + op +
              " %x : (tensor<256x!x>) -> tensor<256x" + result + ">\n return %0 : tensor<256x" + result + ">\n}",
          {allPatterns()});
  ASSERT_EQ(output.size(), 256u);
  for (int pattern = 0; pattern < 256; ++pattern) {
    double real = 0.5 * (static_cast<int8_t>(pattern) + 3);
    ASSERT_EQ(output[pattern], expected(real)) << op << " of " << real;
  }
}

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_PLACE_PLACEDTEXT_H
