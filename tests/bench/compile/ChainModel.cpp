//===- ChainModel.cpp - Networks of any length ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainModel.h"

namespace avocet::bench {
namespace {

constexpr const char *kHead = R"(!map = tensor<1x16x16x16x!quant.uniform<i8:f32, 0.5:3>>
!filter = tensor<16x3x3x16x!quant.uniform<i8:f32, 0.0078125>>
module attributes {avocet.phase = "import"} {
  func.func @main(%x0: !map {nn.name = "x"}) -> (!map {nn.name = "y"}) {
    %b = nn.constant dense<5> : tensor<16xi32>
)";

std::string value(const char *prefix, uint32_t index) { return std::string("%") + prefix + std::to_string(index); }

std::string layerText(uint32_t layer) {
  std::string input = value("x", layer), result = value("x", layer + 1);
  if (layer % 4 == 3)
    return "    " + result + " = nn.add " + input + ", " + value("x", layer - 1) + " : (!map, !map) -> !map\n";
  std::string filter = value("w", layer);
  return "    " + filter + " = nn.constant dense<" + std::to_string(layer % 100) +
         "> : tensor<16x3x3x16xi8> as !filter\n    " + result + " = nn.conv_2d " + input + ", " + filter +
         ", %b pad [1, 1, 1, 1] : (!map, !filter, tensor<16xi32>) -> !map\n";
}

} // namespace

std::string chainModel(uint32_t layers) {
  std::string text = kHead;
  for (uint32_t layer = 0; layer < layers; ++layer)
    text += layerText(layer);
  return text + "    return " + value("x", layers) + " : !map\n  }\n}\n";
}

} // namespace avocet::bench
