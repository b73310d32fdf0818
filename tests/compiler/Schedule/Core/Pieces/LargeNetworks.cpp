//===- LargeNetworks.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargeNetworks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace avocet::compiler {
namespace {

using Shape = std::vector<int64_t>;

constexpr const char *kTypes = R"(
!q = !quant.uniform<i8:f32, 0.5:-3>
!p = !quant.uniform<i8:f32, 3.906250e-03:-128>
!n = !quant.uniform<i8:f32, 7.812500e-03>
!l = !quant.uniform<i8:f32, 6.250000e-02:127>
!w = !quant.uniform<i8:f32, 0.0078125>
!s = !quant.uniform<i16:f32, 0.5>
!h = !quant.uniform<i16:f32, 3.0517578125e-05>
)";

std::string tensor(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

std::string list(const Shape &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

/// About a million elements in every rank.
const std::vector<Shape> kShapes = {
    {1048576}, {1024, 1024}, {16, 256, 256}, {1, 512, 512, 4}, {2, 4, 32, 64, 64},
};

class Collector {
public:
  std::vector<LargeNetwork> run() {
    for (const char *element : {"f32", "!q"}) {
      element_ = element;
      isFloat_ = element_ == "f32";
      for (const Shape &shape : kShapes)
        addForShape(shape);
      addImages();
      addOddShapes();
      addBroadcasts();
      addLookups();
      addWindows();
      addLayers();
    }
    addWideNumbers();
    return std::move(networks_);
  }

private:
  std::string rank(const Shape &shape) const { return "rank" + std::to_string(shape.size()); }

  /// `operation` is the text before the type; it names its operands %a0, %a1, ...
  void add(const std::string &name, const std::string &what, const std::string &operation,
           const std::vector<std::string> &operands, const std::string &result, const std::string &before = "") {
    std::string arguments, types;
    for (size_t i = 0; i < operands.size(); ++i) {
      arguments += (i ? ", %" : "%") + std::string("a") + std::to_string(i) + ": " + operands[i];
      types += (i ? ", " : "") + operands[i];
    }
    addText(name, what,
            "func.func @main(" + arguments + ") -> " + result + " {\n" + before + "  %r = " + operation + " : (" +
                types + ") -> " + result + "\n  return %r : " + result + "\n}\n");
  }

  void addText(const std::string &name, const std::string &what, const std::string &text) {
    networks_.push_back({name + "/" + what + "/" +
                             (isFloat_           ? "f32"
                              : element_ == "!s" ? "i16"
                                                 : "i8"),
                         kTypes + ("module attributes {avocet.phase = \"import\"} {\n" + text + "}\n")});
  }

  /// 16-bit numbers, for the operations whose commands differ from those of 8-bit ones.
  void addWideNumbers() {
    element_ = "!s";
    conv("wide", {1, 4, 65536, 8}, 16, 3);
    conv("many_filters", {1, 16, 16, 64}, 8192, 3);
    transposed("image", {1, 40, 40, 96}, 96, 5, 2, 2);
    fullyConnected("long_output", 1, 64, 65536);
    fullyConnected("huge_input", 1, 1048576, 8);
    depthwise("wide", {1, 4, 65536, 8});
    const std::string type = tensor({1024, 1024}, element_), result = replaced(type, "!h");
    add("add", "rank2", "nn.add %a0, %a1", {type, type}, type);
    add("relu", "rank2", "nn.clamp relu6 %a0", {type}, type);
    add("tanh", "rank2", "nn.tanh %a0", {type}, result);
    add("softmax_axis0", "rank2", "nn.softmax %a0 axis 0", {type}, result);
    add("softmax_axis1", "rank2", "nn.softmax %a0", {type}, result);
  }

  void addForShape(const Shape &shape) {
    const std::string what = rank(shape), type = tensor(shape, element_);
    addElementwise(what, type, tensor(shape, "i1"));
    addConversions(what, shape);
    addMoves(what, shape);
    addReductions(what, shape);
    addLines(what, shape);
  }

  void addElementwise(const std::string &what, const std::string &type, const std::string &truth) {
    for (const char *op : {"add", "sub", "mul", "minimum", "maximum", "prelu"})
      add(op, what, std::string("nn.") + op + " %a0, %a1", {type, type}, type);
    if (isFloat_)
      for (const char *op : {"div", "pow"})
        add(op, what, std::string("nn.") + op + " %a0, %a1", {type, type}, type);
    add("binary", what, "nn.binary squared_difference %a0, %a1", {type, type}, type);
    add("compare", what, "nn.compare less_equal %a0, %a1", {type, type}, truth);
    add("select", what, "nn.select %a0, %a1, %a2", {truth, type, type}, type);
    add("relu", what, "nn.clamp relu6 %a0", {type}, type);
    add("logistic", what, "nn.logistic %a0", {type}, isFloat_ ? type : replaced(type, "!p"));
    add("tanh", what, "nn.tanh %a0", {type}, isFloat_ ? type : replaced(type, "!n"));
    for (const char *kind : {"abs", "exp", "floor"})
      if (isFloat_)
        add(kind, what, std::string("nn.unary ") + kind + " %a0", {type}, type);
    add("hard_swish", what, "nn.unary hard_swish %a0", {type}, type);
  }

  static std::string replaced(std::string type, const std::string &element) {
    const size_t at = type.rfind('x') + 1;
    return type.substr(0, at) + element + ">";
  }

  void addConversions(const std::string &what, const Shape &shape) {
    const std::string type = tensor(shape, element_);
    if (isFloat_)
      add("quantize", what, "nn.quantize %a0", {type}, tensor(shape, "!q"));
    else
      add("dequantize", what, "nn.dequantize %a0", {type}, tensor(shape, "f32"));
    add("cast", what, "nn.cast %a0", {type}, tensor(shape, "i32"));
    add("castToWide", what, "nn.cast %a0", {type}, tensor(shape, "i64"));
    if (isFloat_)
      return;
    const std::string sums = tensor(shape, "i32");
    add("rescale", what, "nn.rescale %a0 numerics single_round [1518500250] >> [40]", {sums}, type);
    std::string multipliers = "1999999999", shifts = "38";
    for (int64_t channel = 1; channel < std::min<int64_t>(shape.back(), 4096); ++channel) {
      multipliers += ", " + std::to_string(1073741824 + channel);
      shifts += ", " + std::to_string(36 + channel % 5);
    }
    if (shape.back() <= 4096)
      add("rescaleChannels", what, "nn.rescale %a0 numerics double_round [" + multipliers + "] >> [" + shifts + "]",
          {sums}, type);
  }

  void addMoves(const std::string &what, const Shape &shape) {
    const std::string type = tensor(shape, element_);
    const size_t last = shape.size() - 1;
    Shape ones(shape.size(), 1), zeros(shape.size(), 0), reversed, backwards, half = shape, wider = shape,
                                                                              twice = shape;
    for (size_t axis = shape.size(); axis-- > 0;) {
      reversed.push_back(int64_t(axis));
      backwards.push_back(shape[axis]);
    }
    half[last] /= 2;
    wider[last] += 3, wider[0] += 2;
    twice[0] *= 2;
    Shape low = zeros, high = zeros, multiples = ones, begin = zeros, steps = ones;
    low[0] = 2, high[last] = 3, multiples[0] = 2, steps[last] = -2, begin[last] = shape[last] - 1;
    if (shape.size() == 1)
      wider = {shape[0] + 5};
    const Shape rows = {64, elementsOf(shape) / 64};
    add("reshape", what, "nn.reshape %a0 to " + list(rows), {type}, tensor(rows, element_));
    if (shape.size() > 1)
      add("transpose", what, "nn.transpose %a0 permutation " + list(reversed), {type}, tensor(backwards, element_));
    add("slice", what, "nn.slice %a0 begin " + list(zeros) + " size " + list(half) + " strides " + list(ones), {type},
        tensor(half, element_));
    add("reversed_slice", what, "nn.slice %a0 begin " + list(begin) + " size " + list(half) + " strides " + list(steps),
        {type}, tensor(half, element_));
    add("pad", what, "nn.pad %a0 low " + list(low) + " high " + list(high) + (isFloat_ ? " value 1.5" : ""), {type},
        tensor(wider, element_));
    add("tile", what, "nn.tile %a0 multiples " + list(multiples), {type}, tensor(twice, element_));
    for (size_t axis : {size_t(0), last}) {
      Shape joined = shape;
      joined[axis] *= 2;
      add("concatenation_axis" + std::to_string(axis), what, "nn.concatenation %a0, %a1 axis " + std::to_string(axis),
          {type, type}, tensor(joined, element_));
      if (last == 0)
        break;
    }
  }

  static int64_t elementsOf(const Shape &shape) {
    int64_t elements = 1;
    for (int64_t extent : shape)
      elements *= extent;
    return elements;
  }

  void addReductions(const std::string &what, const Shape &shape) {
    const std::string type = tensor(shape, element_);
    const size_t last = shape.size() - 1;
    for (size_t axis : {size_t(0), last}) {
      Shape reduced = shape;
      reduced.erase(reduced.begin() + long(axis));
      const std::string suffix = "_axis" + std::to_string(axis), axes = " axes [" + std::to_string(axis) + "]";
      add("max" + suffix, what, "nn.reduce max %a0" + axes, {type}, tensor(reduced, element_));
      add("prod" + suffix, what, "nn.reduce prod %a0" + axes, {type}, tensor(reduced, element_));
      if (isFloat_)
        add("sum" + suffix, what, "nn.reduce sum %a0" + axes, {type}, tensor(reduced, element_));
      add("mean" + suffix, what, "nn.mean %a0" + axes, {type}, tensor(reduced, element_));
      add("argmin" + suffix, what, "nn.arg_reduce min %a0 axis " + std::to_string(axis), {type},
          tensor(reduced, "i32"));
      if (last == 0)
        break;
    }
  }

  /// Reductions of whole images, of which each row has all results; images whose pixels are short runs.
  void addImages() {
    const Shape image = {1, 160, 160, 32};
    const std::string type = tensor(image, element_), result = tensor({1, 32}, element_);
    add("mean_image", "rank4", "nn.mean %a0 axes [1, 2]", {type}, result);
    add("max_image", "rank4", "nn.reduce max %a0 axes [1, 2]", {type}, result);
    add("argmax_rows", "rank4", "nn.arg_reduce max %a0 axis 1", {type}, tensor({1, 160, 32}, "i32"));
    add("argmax_columns", "rank4", "nn.arg_reduce max %a0 axis 2", {type}, tensor({1, 160, 32}, "i32"));
    const std::string colors = tensor({1, 512, 512, 3}, element_);
    add("transpose", "image", "nn.transpose %a0 permutation [0, 2, 1, 3]", {colors}, colors);
    const std::string deep = tensor({1, 56, 56, 64}, element_);
    add("transpose", "to_planes", "nn.transpose %a0 permutation [0, 3, 1, 2]", {deep},
        tensor({1, 64, 56, 56}, element_));
    add("transpose", "copy", "nn.transpose %a0 permutation [1, 2, 3, 0]", {deep}, tensor({56, 56, 64, 1}, element_));
    const Shape classes = {1, 257, 257, 21};
    add("softmax", "image", "nn.softmax %a0", {tensor(classes, element_)}, tensor(classes, isFloat_ ? "f32" : "!p"));
  }

  void addLines(const std::string &what, const Shape &shape) {
    const std::string type = tensor(shape, element_);
    const size_t last = shape.size() - 1;
    for (size_t axis : {size_t(0), last}) {
      if (shape.size() > 4)
        break;
      const std::string suffix = "_axis" + std::to_string(axis), at = " axis " + std::to_string(axis);
      add("softmax" + suffix, what, "nn.softmax %a0" + at, {type}, tensor(shape, isFloat_ ? "f32" : "!p"));
      add("log_softmax" + suffix, what, "nn.log_softmax %a0" + at, {type}, tensor(shape, isFloat_ ? "f32" : "!l"));
      if (isFloat_)
        add("cumsum" + suffix, what, "nn.cumsum %a0" + at, {type}, type);
      add("l2_normalize" + suffix, what, "nn.l2_normalize %a0" + at, {type}, tensor(shape, isFloat_ ? "f32" : "!n"));
      if (last == 0)
        break;
    }
  }

  /// A prime number of elements, a constant operand, and a chain of operations.
  void addOddShapes() {
    const std::string type = tensor({1000003}, element_);
    add("add", "prime", "nn.add %a0, %a1", {type, type}, type);
    add("relu", "prime", "nn.clamp relu %a0", {type}, type);
    const std::string stored = tensor({1048576}, isFloat_ ? "f32" : "i8"),
                      as = isFloat_ ? "" : " as " + tensor({1048576}, "!q");
    const std::string large = tensor({1048576}, element_);
    addText("add", "constant",
            "func.func @main(%a0: " + large + ") -> " + large + " {\n  %c = nn.constant dense<" +
                (isFloat_ ? "1.5" : "7") + "> : " + stored + as + "\n  %r = nn.add %a0, %c : (" + large + ", " + large +
                ") -> " + large + "\n  return %r : " + large + "\n}\n");
    addText("chain", "rank1",
            "func.func @main(%a0: " + large + ") -> (" + large + ", " + large + ") {\n  %0 = nn.add %a0, %a0 : (" +
                large + ", " + large + ") -> " + large + "\n  %1 = nn.mul %0, %a0 : (" + large + ", " + large +
                ") -> " + large + "\n  %2 = nn.sub %1, %0 : (" + large + ", " + large + ") -> " + large +
                "\n  return %2, %1 : " + large + ", " + large + "\n}\n");
  }

  void addBroadcasts() {
    const auto both = [&](const std::string &what, const Shape &a, const Shape &b, const Shape &result) {
      for (const char *op : {"add", "mul"})
        add(op, what, std::string("nn.") + op + " %a0, %a1", {tensor(a, element_), tensor(b, element_)},
            tensor(result, element_));
      add("compare", what, "nn.compare less %a0, %a1", {tensor(a, element_), tensor(b, element_)},
          tensor(result, "i1"));
    };
    both("scalar", {1048576}, {1}, {1048576});
    both("rows", {1024, 1024}, {1024, 1}, {1024, 1024});
    both("columns", {1024, 1024}, {1024}, {1024, 1024});
    both("outer", {1024, 1}, {1, 1024}, {1024, 1024});
    both("ends", {8, 1, 512, 256}, {1, 64, 1, 256}, {8, 64, 512, 256});
    both("between", {4, 1, 512, 1, 64}, {4, 8, 1, 16, 64}, {4, 8, 512, 16, 64});
  }

  void addLookups() {
    const auto gather = [&](const std::string &what, const Shape &table, int64_t axis, int64_t count) {
      Shape result = table;
      result[size_t(axis)] = count;
      add("gather", what, "nn.gather %a0 at %a1 axis " + std::to_string(axis),
          {tensor(table, element_), tensor({count}, "i32")}, tensor(result, element_));
    };
    gather("rows", {10000, 128}, 0, 64);
    gather("columns", {64, 20000}, 1, 5000);
    gather("many", {1000, 32}, 0, 100000);
    gather("long_line", {1048576}, 0, 128);
    addBoxes();
    const std::string line = tensor({300000}, element_);
    if (isFloat_)
      add("local_response_normalize", "rank1",
          "nn.local_response_normalize %a0 radius 2 bias 1.0 alpha 2.0 beta 0.5 axis 0", {line}, line);
    if (isFloat_)
      add("cumsum_axis0", "exclusive", "nn.cumsum %a0 exclusive axis 0", {line}, line);
    if (isFloat_)
      add("cumsum_axis0", "reverse", "nn.cumsum %a0 reverse axis 0", {line}, line);
    slices("rows", {10000, 128}, 1, 64);
    slices("elements", {1048576}, 1, 256);
    slices("wide", {4, 262144}, 1, 3);
    slices("pairs", {512, 64, 32}, 2, 40);
    slices("many", {100, 32}, 1, 50000);
    add("resize", "image", "nn.resize bilinear %a0 to [128, 128]", {tensor({1, 512, 512, 8}, element_)},
        tensor({1, 128, 128, 8}, element_));
    add("resize", "channels", "nn.resize nearest %a0 to [128, 128]", {tensor({4, 64, 64, 64}, element_)},
        tensor({4, 128, 128, 64}, element_));
  }

  /// Operations on boxes; those of 8-bit numbers have the same pieces.
  void addBoxes() {
    if (!isFloat_)
      return;
    const std::string boxes = tensor({3000, 4}, "f32"), batches = tensor({3000}, "i32"),
                      moved = tensor({3000, 364}, "f32");
    add("roi_align", "channels",
        "nn.roi_align %a0 at %a1, %a2 to [7, 7] {samplesX = 2 : i64, samplesY = 2 : i64, strideX = 1.0 : f32, "
        "strideY = 1.0 : f32}",
        {tensor({1, 100, 100, 256}, "f32"), tensor({50, 4}, "f32"), tensor({50}, "i32")},
        tensor({50, 7, 7, 256}, "f32"));
    add("axis_aligned_bbox_transform", "classes", "nn.axis_aligned_bbox_transform %a0 by %a1, %a2 in %a3",
        {boxes, moved, batches, tensor({1, 2}, "f32")}, moved);
    addText("heatmap_max_keypoint", "boxes",
            "func.func @main(%a0: tensor<40x56x56x17xf32>, %a1: tensor<40x4xf32>) -> (tensor<40x17xf32>, "
            "tensor<40x17x2xf32>) {\n  %r:2 = nn.heatmap_max_keypoint %a0 in %a1 : (tensor<40x56x56x17xf32>, "
            "tensor<40x4xf32>) -> (tensor<40x17xf32>, tensor<40x17x2xf32>)\n  return %r#0, %r#1 : "
            "tensor<40x17xf32>, tensor<40x17x2xf32>\n}\n");
    const std::string detections = "tensor<1x20xf32>, tensor<1x20x4xf32>, tensor<1x20xi32>, tensor<1xi32>";
    addText("detection_postprocessing", "classes",
            "func.func @main(%a0: tensor<1x5000x91xf32>, %a1: tensor<1x5000x4xf32>, %a2: tensor<5000x4xf32>) -> (" +
                detections +
                ") {\n  %r:4 = nn.detection_postprocessing %a0, %a1, %a2 {background, firstLabel = 0 : i64, "
                "maxClasses = 2 : i64, maxDetections = 10 : i64, maxPerClass = 1 : i64, overlapThreshold = 0.5 : f32, "
                "scales = array<f32: 10., 10., 5., 5.>, scoreThreshold = 0.1 : f32} : (tensor<1x5000x91xf32>, "
                "tensor<1x5000x4xf32>, tensor<5000x4xf32>) -> (" +
                detections + ")\n  return %r#0, %r#1, %r#2, %r#3 : " + detections + "\n}\n");
    addText(
        "rfft", "lines",
        "func.func @main(%a0: tensor<600x2000xf32>) -> (tensor<600x1025xf32>, tensor<600x1025xf32>) {\n  %r:2 = "
        "nn.rfft %a0 points 2048 : (tensor<600x2000xf32>) -> (tensor<600x1025xf32>, tensor<600x1025xf32>)\n  return "
        "%r#0, %r#1 : tensor<600x1025xf32>, tensor<600x1025xf32>\n}\n");
    addText("topk_v2", "rows",
            "func.func @main(%a0: tensor<40x30000xf32>) -> (tensor<40x50xf32>, tensor<40x50xi32>) {\n  %r:2 = "
            "nn.topk_v2 %a0 k 50 : (tensor<40x30000xf32>) -> (tensor<40x50xf32>, tensor<40x50xi32>)\n  return %r#0, "
            "%r#1 : tensor<40x50xf32>, tensor<40x50xi32>\n}\n");
  }

  /// `count` slices at coordinates of the first `depth` axes, taken from the table and combined into it.
  void slices(const std::string &what, const Shape &table, int64_t depth, int64_t count) {
    Shape slice(table.begin() + depth, table.end());
    slice.insert(slice.begin(), count);
    const std::string whole = tensor(table, element_), rows = tensor({count, depth}, "i32"),
                      part = tensor(slice, element_);
    add("gather_nd", what, "nn.gather_nd %a0 at %a1", {whole, rows}, part);
    add("scatter_nd", what, std::string("nn.scatter_nd ") + (isFloat_ ? "sum" : "set") + " %a0 at %a1, %a2",
        {whole, rows, part}, whole);
  }

  void addWindows() {
    const auto pool = [&](const std::string &op, const std::string &what, const Shape &input, int64_t kernel,
                          int64_t stride) {
      const int64_t height = (input[1] - std::min(kernel, input[1])) / stride + 1,
                    width = (input[2] - kernel) / stride + 1;
      add(op, what,
          "nn." + op + " %a0 kernel " + list({std::min(kernel, input[1]), kernel}) + " stride " +
              list({stride, stride}),
          {tensor(input, element_)}, tensor({input[0], height, width, input[3]}, element_));
    };
    for (const char *op : {"max_pool_2d", "average_pool_2d"}) {
      pool(op, "wide", {1, 2, 131072, 8}, 2, 2);
      pool(op, "deep", {1, 32, 32, 4096}, 3, 1);
      pool(op, "global", {1, 256, 256, 16}, 256, 1);
      pool(op, "overlapping", {1, 225, 225, 16}, 25, 8);
      pool(op, "batch", {64, 32, 32, 64}, 2, 2);
    }
    if (isFloat_)
      pool("l2_pool_2d", "batch", {64, 32, 32, 64}, 2, 2);
  }

  void addLayers() {
    conv("wide", {1, 4, 65536, 8}, 16, 3);
    conv("deep", {1, 8, 8, 4096}, 64, 3);
    conv("many_filters", {1, 16, 16, 64}, 8192, 3);
    conv("large_window", {1, 64, 64, 64}, 32, 31);
    paddedConv("large_padded_window", {1, 24, 24, 128}, 3, 31);
    conv("pixel", {1, 1024, 1024, 3}, 8, 1);
    transposed("image", {1, 128, 128, 16}, 8, 4, 2, 1);
    transposed("sparse", {1, 48, 64, 8}, 24, 2, 3, 0); // results between the windows read nothing
    transposed("wide", {1, 2, 20000, 8}, 8, 3, 2, 0);
    fullyConnected("long_input", 1, 65536, 64);
    fullyConnected("huge_input", 1, 1048576, 8);
    fullyConnected("long_output", 1, 64, 65536);
    fullyConnected("batch", 4096, 256, 256);
    depthwise("wide", {1, 4, 65536, 8});
    depthwise("deep", {1, 32, 32, 4096});
    matmul("batch", {8, 256, 512}, {8, 512, 256});
    matmul("rows", {8192, 64}, {64, 64});
    matmul("columns", {2, 64, 64}, {2, 64, 8192});
    matmul("deep", {3, 24, 8192}, {3, 8192, 40});
  }

  std::string constant(const std::string &name, const Shape &shape, const std::string &type) const {
    const bool isBias = name == "b";
    return "  %" + name + " = nn.constant dense<" + (isFloat_ ? "0.5" : "1") + "> : " +
           tensor(shape, isFloat_ ? "f32"
                         : isBias ? "i32"
                                  : "i8") +
           (isFloat_ || isBias ? "" : " as " + tensor(shape, type)) + "\n";
  }

  void layer(const std::string &op, const std::string &what, const std::string &text, const Shape &input,
             const Shape &filter, const Shape &result) {
    const std::string in = tensor(input, element_), out = tensor(result, element_),
                      w = tensor(filter, isFloat_ ? "f32" : "!w");
    addText(op, what,
            "func.func @main(%a0: " + in + ") -> " + out + " {\n" + constant("w", filter, "!w") + "  %r = nn." + op +
                " %a0, %w" + text + " : (" + in + ", " + w + ") -> " + out + "\n  return %r : " + out + "\n}\n");
  }

  void conv(const std::string &what, const Shape &input, int64_t filters, int64_t kernel) {
    layer("conv_2d", what, "", input, {filters, kernel, kernel, input[3]},
          {input[0], input[1] - kernel + 1, input[2] - kernel + 1, filters});
  }

  /// The result has the extents of the input.
  void paddedConv(const std::string &what, const Shape &input, int64_t filters, int64_t kernel) {
    const int64_t pad = kernel / 2;
    layer("conv_2d", what, " pad " + list({pad, pad, pad, pad}), input, {filters, kernel, kernel, input[3]},
          {input[0], input[1], input[2], filters});
  }

  void transposed(const std::string &what, const Shape &input, int64_t filters, int64_t kernel, int64_t stride,
                  int64_t pad) {
    const auto extent = [&](int64_t steps) { return (steps - 1) * stride + kernel - 2 * pad; };
    layer("transpose_conv_2d", what, " stride " + list({stride, stride}) + " pad " + list({pad, pad, pad, pad}), input,
          {filters, kernel, kernel, input[3]}, {input[0], extent(input[1]), extent(input[2]), filters});
  }

  void depthwise(const std::string &what, const Shape &input) {
    layer("depthwise_conv_2d", what, "", input, {1, 3, 3, input[3]}, {input[0], input[1] - 2, input[2] - 2, input[3]});
  }

  void fullyConnected(const std::string &what, int64_t rows, int64_t inputs, int64_t outputs) {
    layer("fully_connected", what, "", {rows, inputs}, {outputs, inputs}, {rows, outputs});
  }

  /// Both operands are inputs; the last two axes are [m, k] and [k, n].
  void matmul(const std::string &what, const Shape &lhs, const Shape &rhs) {
    Shape result = lhs;
    result.back() = rhs.back();
    add("batch_matmul", what, "nn.batch_matmul %a0, %a1", {tensor(lhs, element_), tensor(rhs, element_)},
        tensor(result, element_));
  }

  std::string element_;
  bool isFloat_ = true;
  std::vector<LargeNetwork> networks_;
};

std::map<std::string, std::string> makeRefused() {
  return {{"local_response_normalize/rank1/f32", "bytes of on-chip memory for the smallest tile"}};
}

} // namespace

const std::map<std::string, std::string> &refusedNetworks() {
  static const std::map<std::string, std::string> kRefused = makeRefused();
  return kRefused;
}

std::vector<LargeNetwork> largeNetworks() { return Collector().run(); }

LargeNetwork largeNetwork(const std::string &name) {
  for (LargeNetwork &network : largeNetworks())
    if (network.name == name)
      return std::move(network);
  std::fprintf(stderr, "there is no large network '%s'\n", name.c_str());
  std::abort();
}

} // namespace avocet::compiler
