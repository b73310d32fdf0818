//===- ShapesTest.cpp - Shapes of results -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnShapes.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr int64_t kOpen = ShapedType::kDynamic;

/// A rule with operands that keep it.
struct Case {
  std::string name;
  std::vector<Shape> operands;
  std::function<FailureOr<Shapes>(ArrayRef<Shape>, ShapeErrors)> infer;
  Shapes results;
};

FailureOr<Shapes> single(FailureOr<Shape> shape) {
  return failed(shape) ? FailureOr<Shapes>(failure()) : Shapes{*shape};
}

constexpr int64_t kStride[] = {2, 1}, kDilation[] = {1, 2}, kPad[] = {0, 1, 2, 2};
constexpr Window kWindow{kStride, kDilation, kPad};

const std::vector<Case> &cases() {
  using Operands = ArrayRef<Shape>;
  static const std::vector<Case> kCases = {
      {"broadcast",
       {{2, 1, 4}, {3, 1}},
       [](Operands in, ShapeErrors errors) { return single(broadcastShape(in[0], in[1], errors)); },
       {{2, 3, 4}}},
      {"common",
       {{2, 3}, {2, 3}},
       [](Operands in, ShapeErrors errors) { return single(commonShape({in[0], in[1]}, errors)); },
       {{2, 3}}},
      {"lines",
       {{2, 3}},
       [](Operands in, ShapeErrors errors) { return single(linesShape(in[0], -2, errors)); },
       {{2, 3}}},
      {"image",
       {{1, 2, 3, 4}},
       [](Operands in, ShapeErrors errors) { return single(imageShape(in[0], errors)); },
       {{1, 2, 3, 4}}},
      {"reduced",
       {{2, 3, 4}},
       [](Operands in, ShapeErrors errors) { return single(reducedShape(in[0], {0, 2}, false, errors)); },
       {{3}}},
      {"reducedKept",
       {{2, 3, 4}},
       [](Operands in, ShapeErrors errors) { return single(reducedShape(in[0], {0, 2}, true, errors)); },
       {{1, 3, 1}}},
      {"reshaped",
       {{2, 6}},
       [](Operands in, ShapeErrors errors) { return single(reshapedShape(in[0], {3, 4}, errors)); },
       {{3, 4}}},
      {"bitcastNarrower",
       {{2, 3}},
       [](Operands in, ShapeErrors errors) { return single(bitcastShape(in[0], 4, 2, errors)); },
       {{2, 3, 2}}},
      {"bitcastWider",
       {{2, 4}},
       [](Operands in, ShapeErrors errors) { return single(bitcastShape(in[0], 1, 4, errors)); },
       {{2}}},
      {"transposed",
       {{2, 3, 4}},
       [](Operands in, ShapeErrors errors) { return single(transposedShape(in[0], {2, 0, 1}, errors)); },
       {{4, 2, 3}}},
      {"sliced",
       {{4, 6}},
       [](Operands in, ShapeErrors errors) { return single(slicedShape(in[0], {3, 1}, {2, 3}, {-2, 2}, errors)); },
       {{2, 3}}},
      {"tiled",
       {{2, 3}},
       [](Operands in, ShapeErrors errors) { return single(tiledShape(in[0], {1, 4}, errors)); },
       {{2, 12}}},
      {"padded",
       {{2, 3}},
       [](Operands in, ShapeErrors errors) { return single(paddedShape(in[0], {1, 0}, {2, 5}, errors)); },
       {{5, 8}}},
      {"concatenated",
       {{2, 3}, {2, 5}, {2, 1}},
       [](Operands in, ShapeErrors errors) { return single(concatenatedShape({in[0], in[1], in[2]}, 1, errors)); },
       {{2, 9}}},
      {"convolution",
       {{1, 8, 9, 4}, {6, 3, 3, 2}},
       [](Operands in, ShapeErrors errors) { return single(convolutionShape(in[0], in[1], 2, kWindow, errors)); },
       {{1, 4, 9, 6}}},
      {"depthwise",
       {{1, 8, 9, 4}, {1, 3, 3, 8}},
       [](Operands in, ShapeErrors errors) { return single(depthwiseShape(in[0], in[1], kWindow, errors)); },
       {{1, 4, 9, 8}}},
      {"transposedConvolution",
       {{1, 2, 2, 3}, {5, 3, 3, 3}},
       [](Operands in, ShapeErrors errors) {
         return single(transposedConvolutionShape(in[0], in[1], {2, 2}, {0, 0, 0, -1}, errors));
       },
       {{1, 5, 6, 5}}},
      {"pool",
       {{1, 8, 9, 4}},
       [](Operands in, ShapeErrors errors) { return single(poolShape(in[0], {2, 3}, {2, 3}, {0, 0, 0, 0}, errors)); },
       {{1, 4, 3, 4}}},
      {"fullyConnected",
       {{2, 2, 6}, {5, 4}},
       [](Operands in, ShapeErrors errors) { return single(fullyConnectedShape(in[0], in[1], false, errors)); },
       {{6, 5}}},
      {"fullyConnectedKept",
       {{2, 3, 4}, {5, 4}},
       [](Operands in, ShapeErrors errors) { return single(fullyConnectedShape(in[0], in[1], true, errors)); },
       {{2, 3, 5}}},
      {"matrixProduct",
       {{2, 1, 4, 3}, {7, 5, 4}},
       [](Operands in, ShapeErrors errors) { return single(matrixProductShape(in[0], in[1], true, true, errors)); },
       {{2, 7, 3, 5}}},
      {"gathered",
       {{2, 3, 4}, {5, 1}},
       [](Operands in, ShapeErrors errors) { return single(gatheredShape(in[0], in[1], 1, errors)); },
       {{2, 5, 1, 4}}},
      {"topK",
       {{2, 5}},
       [](Operands in, ShapeErrors errors) { return topKShapes(in[0], 3, errors); },
       {{2, 3}, {2, 3}}},
      {"rfft",
       {{2, 6}},
       [](Operands in, ShapeErrors errors) { return rfftShapes(in[0], 8, errors); },
       {{2, 5}, {2, 5}}},
      {"hashtable",
       {{4}, {3}, {3, 2}},
       [](Operands in, ShapeErrors errors) { return hashtableShapes(in[0], in[1], in[2], errors); },
       {{4, 2}, {4}}},
      {"lshProjection",
       {{4, 2}, {3, 2}, {3}},
       [](Operands in, ShapeErrors errors) {
         return single(lshProjectionShape(in[0], in[1], ShapeRef(in[2]), true, errors));
       },
       {{8}}},
      {"resized",
       {{1, 3, 4, 5}},
       [](Operands in, ShapeErrors errors) { return single(resizedShape(in[0], {6, 8}, errors)); },
       {{1, 6, 8, 5}}},
      {"drawn",
       {{2, 5}, {2}},
       [](Operands in, ShapeErrors errors) { return single(drawnShape(in[0], in[1], 9, errors)); },
       {{2, 9}}},
      {"detection",
       {{1, 6, 3}, {1, 6, 4}, {6, 4}},
       [](Operands in, ShapeErrors errors) { return detectionShapes(in[0], in[1], in[2], true, 4, errors); },
       {{1, 4}, {1, 4, 4}, {1, 4}, {1}}},
      {"movedBoxes",
       {{5, 4}, {5, 8}, {5}, {2, 2}},
       [](Operands in, ShapeErrors errors) { return single(movedBoxesShape(in[0], in[1], in[2], in[3], errors)); },
       {{5, 8}}},
      {"keypoints",
       {{5, 3, 3, 2}, {5, 4}},
       [](Operands in, ShapeErrors errors) { return keypointShapes(in[0], in[1], errors); },
       {{5, 2}, {5, 2, 2}}},
      {"suppressed",
       {{5, 4}, {5}},
       [](Operands in, ShapeErrors errors) { return suppressedShapes(in[0], in[1], 2, errors); },
       {{2}, {2}, {}}},
      {"limitedBoxes",
       {{5, 3}, {5, 12}, {5}},
       [](Operands in, ShapeErrors errors) { return limitedBoxesShapes(in[0], in[1], in[2], 4, errors); },
       {{4}, {4, 4}, {4}, {4}}},
      {"proposals",
       {{1, 2, 2, 3}, {1, 2, 2, 12}, {3, 4}, {1, 2}},
       [](Operands in, ShapeErrors errors) { return proposalShapes(in[0], in[1], in[2], in[3], 4, errors); },
       {{4}, {4, 4}, {4}}},
      {"regions",
       {{2, 6, 7, 3}, {4, 4}, {4}},
       [](Operands in, ShapeErrors errors) { return single(regionShape(in[0], in[1], in[2], {2, 3}, errors)); },
       {{4, 2, 3, 3}}},
      {"lstmCell",
       {{5, 2, 3}, {2, 4}, {2, 6}},
       [](Operands in, ShapeErrors errors) { return lstmCellShapes({in[0], false}, in[1], in[2], 3, errors); },
       {{2, 18}, {2, 4}, {2, 6}, {5, 2, 4}}},
      {"quantizedLstm",
       {{2, 5}, {2, 4}, {2, 4}},
       [](Operands in, ShapeErrors errors) { return quantizedLstmShapes(in[0], in[1], in[2], errors); },
       {{2, 4}, {2, 4}}},
      {"rnnCell",
       {{2, 7, 5}, {2, 4}},
       [](Operands in, ShapeErrors errors) { return rnnCellShapes({in[0], true}, in[1], errors); },
       {{2, 4}, {2, 7, 4}}},
      {"svdf",
       {{2, 5}, {4, 5}, {4, 3}, {2, 12}},
       [](Operands in, ShapeErrors errors) { return svdfShapes(in[0], in[1], in[2], in[3], 2, errors); },
       {{2, 12}, {2, 2}}},
      {"lstm",
       {{1, 5, 3}, {2, 2}},
       [](Operands in, ShapeErrors errors) { return single(lstmShape(in[0], ShapeRef(in[1]), errors)); },
       {{1, 5, 2}}},
      {"scattered",
       {{2, 3, 4}, {5, 2}, {5, 4}},
       [](Operands in, ShapeErrors errors) { return single(scatteredShape(in[0], in[1], in[2], errors)); },
       {{2, 3, 4}}},
  };
  return kCases;
}

class ShapesTest : public testing::TestWithParam<Case> {
protected:
  FailureOr<Shapes> infer(ArrayRef<Shape> operands) {
    return GetParam().infer(operands, [&] { return emitError(UnknownLoc::get(&context_)); });
  }

  MLIRContext context_;
};

TEST_P(ShapesTest, KnownShapesGiveResults) {
  FailureOr<Shapes> results = infer(GetParam().operands);
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(*results, GetParam().results);
}

/// An open extent says less about the results, and nothing wrong.
TEST_P(ShapesTest, OpenExtentsFitResults) {
  constexpr int kRuns = 100;
  std::mt19937 random(1);
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Shape> operands = GetParam().operands;
    for (Shape &shape : operands)
      for (int64_t &extent : shape)
        if (random() % 3 == 0)
          extent = kOpen;
    // The number of coordinates is a rank, and ranks are known.
    if (GetParam().name == "scattered")
      operands[1].back() = 2;
    FailureOr<Shapes> results = infer(operands);
    ASSERT_TRUE(succeeded(results)) << "run " << run;
    ASSERT_EQ(results->size(), GetParam().results.size());
    for (size_t i = 0; i < results->size(); ++i)
      EXPECT_TRUE(fits((*results)[i], GetParam().results[i])) << "run " << run << ", result " << i;
  }
}

/// Every operand has a rank, or at least one axis, that the rule needs.
TEST_P(ShapesTest, OtherRanksNeverCrash) {
  ScopedDiagnosticHandler quiet(&context_, [](Diagnostic &) { return success(); });
  for (size_t index = 0; index < GetParam().operands.size(); ++index)
    for (size_t rank = 0; rank < 6; ++rank) {
      std::vector<Shape> operands = GetParam().operands;
      operands[index] = Shape(rank, 2);
      (void)infer(operands);
      operands[index] = Shape(rank, kOpen);
      (void)infer(operands);
    }
}

INSTANTIATE_TEST_SUITE_P(, ShapesTest, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

/// The text of the error of a broken rule.
template <typename Function> std::string errorOf(Function infer) {
  MLIRContext context;
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text = diagnostic.str();
    return success();
  });
  const bool isBroken = failed(infer([&] { return emitError(UnknownLoc::get(&context)); }));
  return isBroken ? text : "no error";
}

TEST(ShapeRulesTest, ErrorsNameTheRule) {
  EXPECT_EQ(errorOf([](ShapeErrors errors) { return broadcastShape({2, kOpen}, {3, 4}, errors); }),
            "shapes [2, ?] and [3, 4] do not broadcast");
  EXPECT_EQ(errorOf([](ShapeErrors errors) { return concatenatedShape({{2, 3}, {3, 3}}, 1, errors); }),
            "input [3, 3] does not fit to [2, 3] along axis 1");
  EXPECT_EQ(errorOf([](ShapeErrors errors) { return reshapedShape({2, 3}, {5}, errors); }),
            "input has 6 elements, the result 5");
  EXPECT_EQ(errorOf([](ShapeErrors errors) { return poolShape({1, 2, 2, 1}, {4, 1}, {1, 1}, {0, 0, 0, 0}, errors); }),
            "height of the window is 4, more than the padded input's 2");
  EXPECT_EQ(errorOf([](ShapeErrors errors) { return slicedShape({4}, {2}, {3}, {1}, errors); }),
            "reads position 4 of axis 0, which has 4");
  EXPECT_EQ(errorOf([](ShapeErrors errors) { return slicesShape({2, 3}, {5, 3}, errors); }),
            "indices have the shape [5, 3], the last axis must have 1 to 2 coordinates");
}

/// Extents of attributes that no 32-bit number holds are errors, not overflows.
TEST(ShapeRulesTest, LargeNumbersAreErrors) {
  constexpr int64_t kLarge = int64_t{1} << 40;
  EXPECT_NE(errorOf([](ShapeErrors errors) { return tiledShape({2}, {kLarge}, errors); }), "no error");
  EXPECT_NE(errorOf([](ShapeErrors errors) { return paddedShape({2}, {kLarge}, {0}, errors); }), "no error");
  EXPECT_NE(errorOf([](ShapeErrors errors) { return resizedShape({1, 2, 2, 1}, {kLarge, 1}, errors); }), "no error");
  EXPECT_NE(errorOf([](ShapeErrors errors) { return topKShapes({2}, kLarge, errors); }), "no error");
  EXPECT_NE(
      errorOf([](ShapeErrors errors) { return poolShape({1, 2, 2, 1}, {kLarge, 1}, {1, 1}, {0, 0, 0, 0}, errors); }),
      "no error");
  EXPECT_FALSE(elementsOf({1 << 16, 1 << 16}).has_value());
  EXPECT_FALSE(isBounded({1 << 16, 1 << 15}));
  EXPECT_TRUE(isBounded({1 << 16, (1 << 15) - 1}));
}

} // namespace
} // namespace avocet::compiler::nn
