//===- FuzzOnnxruntime.cpp - Any graphs of ONNX Runtime ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes become a graph of a runtime, also one that no runtime would show. The provider must refuse a partition, or
// write a network that the reader of ONNX files opens or refuses. Sets of nodes that become one must not be entered
// twice by a path.
//
//===----------------------------------------------------------------------===//

#include "FakeRuntime.h"
#include "Import/OnnxFile/OnnxFile.h"
#include "Require.h"
#include "model/PartitionModel.h"
#include "partition/Stages.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <fuzzer/FuzzedDataProvider.h>
#include <map>
#include <set>

using namespace avocet;
using namespace avocet::fuzz;
using namespace avocet::ort;

// The archives of LLVM and MLIR are not instrumented, so the poisoning by their allocators is incomplete.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

namespace {

class GraphMaker {
public:
  explicit GraphMaker(FuzzedDataProvider &data) : data_(data) {}

  void fill(FakeGraph &graph, int depth) {
    const int values = data_.ConsumeIntegralInRange(1, 12);
    for (int i = 0; i < values; ++i)
      addValue(graph, i);
    if (depth == 0 || data_.ConsumeBool())
      graph.operatorSets.emplace_back("com.microsoft", data_.ConsumeIntegralInRange(-1, 3));
    // Values in the order of their numbers, as the runtime sorts nodes: a node reads earlier ones and makes the next.
    size_t next = 1;
    while (next < graph.values.size() && data_.remaining_bytes() > 0) {
      FakeNode &node = graph.node(pick({"Add", "Conv", "If", "Reshape", "", "Loop"}), {}, {});
      for (int reads = data_.ConsumeIntegralInRange(0, 3); reads > 0; --reads)
        node.inputs.push_back(earlier(graph, next));
      for (int makes = data_.ConsumeIntegralInRange(1, 2); makes > 0 && next < graph.values.size(); --makes)
        node.outputs.push_back(data_.ConsumeIntegralInRange(0, 9) == 0 ? nullptr : &graph.values[next++]);
      for (int attributes = data_.ConsumeIntegralInRange(0, 2); attributes > 0; --attributes)
        addAttribute(node);
      if (depth < 2 && data_.ConsumeIntegralInRange(0, 5) == 0)
        addGraph(graph, node, next, depth);
    }
    graph.inputs = {&graph.values[0]};
    graph.outputs = {&graph.values.back()};
    graph.values.back().isOutput = true;
  }

private:
  const char *pick(std::initializer_list<const char *> texts) {
    return *(texts.begin() + data_.ConsumeIntegralInRange<size_t>(0, texts.size() - 1));
  }

  const FakeValue *earlier(const FakeGraph &graph, size_t next) {
    const size_t place = data_.ConsumeIntegralInRange<size_t>(0, next);
    return place == next ? nullptr : &graph.values[place];
  }

  void addValue(FakeGraph &graph, int number) {
    FakeValue &value =
        graph.value(data_.ConsumeIntegralInRange(0, 15) == 0 ? pick({"", "v0", "v1"}) : "v" + std::to_string(number));
    value.element = data_.ConsumeBool() ? 1 : data_.ConsumeIntegralInRange(-1, 30);
    value.shape = shape();
    value.isConstant = data_.ConsumeIntegralInRange(0, 3) == 0;
    value.isOutput = data_.ConsumeIntegralInRange(0, 5) == 0;
    value.bytes = data_.ConsumeBytes<uint8_t>(data_.ConsumeIntegralInRange<size_t>(0, 16));
    if (value.isConstant)
      graph.initializers.push_back(&value);
  }

  std::optional<std::vector<int64_t>> shape() {
    if (data_.ConsumeIntegralInRange(0, 9) == 0)
      return std::nullopt;
    std::vector<int64_t> extents;
    for (int rank = data_.ConsumeIntegralInRange(0, 3); rank > 0; --rank)
      extents.push_back(data_.ConsumeIntegralInRange(0, 15) == 0 ? data_.ConsumeIntegral<int64_t>()
                                                                 : data_.ConsumeIntegralInRange<int64_t>(-1, 4));
    return extents;
  }

  void addAttribute(FakeNode &node) {
    FakeAttribute attribute{.name = pick({"axis", "perm", "value", ""})};
    attribute.type = static_cast<abi::AttributeType>(data_.ConsumeIntegralInRange(0, 9));
    for (int count = data_.ConsumeIntegralInRange(0, 2); count > 0; --count) {
      attribute.integers.push_back(data_.ConsumeIntegral<int64_t>());
      attribute.floats.push_back(data_.ConsumeFloatingPoint<float>());
    }
    attribute.text = data_.ConsumeRandomLengthString(8);
    attribute.tensor.element = data_.ConsumeIntegralInRange(-1, 30);
    attribute.tensor.shape = shape().value_or(std::vector<int64_t>{});
    attribute.tensor.bytes = data_.ConsumeBytes<uint8_t>(8);
    node.attributes.push_back(std::move(attribute));
  }

  void addGraph(const FakeGraph &graph, FakeNode &node, size_t next, int depth) {
    FakeGraph &inner = inner_.emplace_back();
    inner.parent = &node;
    fill(inner, depth + 1);
    node.graphs.emplace_back(pick({"body", "then_branch"}), &inner);
    node.implicit.push_back(earlier(graph, next));
  }

  FuzzedDataProvider &data_;
  std::deque<FakeGraph> inner_; // of nodes
};

/// Whether each value has one maker, which comes before its readers, as in all graphs that a runtime shows.
bool isSorted(const Graph &graph) {
  std::set<const Value *> read, made;
  for (const Node &node : graph.nodes()) {
    for (const auto *values : {&node.inputs, &node.implicit})
      read.insert(values->begin(), values->end());
    for (const Value *output : node.outputs)
      if (output != nullptr && (read.contains(output) || !made.insert(output).second))
        return false;
  }
  return true;
}

/// For each node, the nodes after it: those that read its results, in any number of steps.
std::map<size_t, std::set<size_t>> followers(const Graph &graph) {
  std::map<const Value *, size_t> makers;
  std::map<size_t, std::set<size_t>> after;
  for (const Node &node : graph.nodes())
    for (const Value *output : node.outputs)
      if (output != nullptr)
        makers[output] = node.id;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node)
    for (const auto *values : {&node->inputs, &node->implicit})
      for (const Value *value : *values)
        if (const auto maker = makers.find(value); maker != makers.end()) {
          after[maker->second].insert(node->id);
          after[maker->second].insert(after[node->id].begin(), after[node->id].end());
        }
  return after;
}

void checkStages(const Graph &graph, const std::vector<size_t> &ids) {
  const auto after = followers(graph);
  const auto isAfter = [&](size_t late, size_t early) {
    const auto found = after.find(early);
    return found != after.end() && found->second.contains(late);
  };
  size_t count = 0;
  for (const std::vector<size_t> &stage : divide(graph, ids)) {
    const std::set<size_t> own(stage.begin(), stage.end());
    count += own.size();
    for (const Node &other : graph.nodes())
      if (!own.contains(other.id))
        for (const size_t first : stage)
          for (const size_t last : stage)
            require(!isAfter(other.id, first) || !isAfter(last, other.id), "a path leaves a set and returns");
  }
  require(count == ids.size(), "a node is in no set, or in two");
}

void convert(const Graph &graph, const std::vector<size_t> &ids) {
  for (const NodeNames names : {NodeNames::OfModel, NodeNames::OfNodes}) {
    const Partition partition = partitionOf(graph, ids);
    Result<PartitionModel> model = PartitionModel::make(graph, partition, names);
    if (!model)
      continue;
    const plugin::NetworkView view = model->view(SampleExtents(graph, 1, 64));
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return mlir::success(); });
    const llvm::StringRef bytes(reinterpret_cast<const char *>(view.file.data()), view.file.size());
    (void)compiler::OnnxFile::open(mlir::UnknownLoc::get(&context),
                                   llvm::MemoryBuffer::getMemBufferCopy(bytes, "network"), view.pools);
    if (std::ranges::all_of(partition.inputs, [](const Value *input) { return input->isFixed(); }))
      require(model->network().isOk(), "a network has no memory");
    else
      require(model->open().isOk(), "an open network has no file");
    require(model->file().isOk(), "a network has no file");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  FakeGraph fake;
  GraphMaker maker(data);
  maker.fill(fake, 0);
  static const Runtime kRuntime = *Runtime::open(fakeRuntime());
  const Result<Graph> graph = Graph::read(kRuntime, fake.get());
  if (!graph)
    return 0;
  std::vector<size_t> ids;
  for (const Node &node : graph->nodes()) {
    (void)checkWritable(*graph, node).isOk();
    if (data.ConsumeBool())
      ids.push_back(node.id);
  }
  if (isSorted(*graph))
    checkStages(*graph, ids);
  convert(*graph, ids);
  return 0;
}
