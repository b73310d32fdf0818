//===- Mutations.cpp - Models with one broken rule ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"

#include "Models.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace avocet::hal::test {

bool names(const std::string &message, const std::string &place) {
  for (size_t at = message.find(place); at != std::string::npos; at = message.find(place, at + 1)) {
    size_t end = at + place.size();
    if (end == message.size() || message[end] < '0' || message[end] > '9')
      return true;
  }
  return place.empty();
}

namespace {

/// Collects mutations. Each finds its operand or operation by index in the model that it changes.
class Collector {
public:
  explicit Collector(const Model &model) : model_(model) {}

  void operand(std::string family, size_t index, const std::function<void(Operand &)> &change) {
    mutations_.push_back({std::move(family), fmt::format("operand {}", index),
                          [=](Model &model) { change(model.main.operands[index]); }});
  }

  void operation(std::string family, size_t index, const std::function<void(Operation &)> &change) {
    mutations_.push_back({std::move(family), fmt::format("operation {}", index),
                          [=](Model &model) { change(model.main.operations[index]); }});
  }

  void model(std::string family, std::string place, std::function<void(Model &)> change) {
    mutations_.push_back({std::move(family), std::move(place), std::move(change)});
  }

  const Model &original() const { return model_; }
  const std::vector<Operand> &operands() const { return model_.main.operands; }
  const std::vector<Operation> &operations() const { return model_.main.operations; }
  std::vector<Mutation> take() { return std::move(mutations_); }

private:
  const Model &model_;
  std::vector<Mutation> mutations_;
};

} // namespace

static void operandTypes(Collector &collect) {
  for (size_t i = 0; i < collect.operands().size(); ++i)
    for (int32_t code : {-1, 16, 9999, 10002, 77 << 16})
      collect.operand("operandType", i, [=](Operand &operand) { operand.type = static_cast<OperandType>(code); });
}

static void shapes(Collector &collect) {
  for (size_t i = 0; i < collect.operands().size(); ++i) {
    const Operand &operand = collect.operands()[i];
    if (isScalar(operand.type) || operand.type == OperandType::Subgraph)
      collect.operand("scalarWithDimensions", i, [](Operand &changed) { changed.dimensions = {1}; });
    if (findOperandType(operand.type) != nullptr)
      collect.operand("hugeShape", i, [](Operand &changed) { changed.dimensions.assign(9, 0xFFFFFFFF); });
    if (isConstant(operand.lifetime) && isTensor(operand.type)) {
      collect.operand("constantOfUnknownRank", i, [](Operand &changed) { changed.dimensions.clear(); });
      collect.operand("constantOfUnknownExtent", i, [](Operand &changed) { changed.dimensions[0] = 0; });
    }
  }
}

static std::vector<float> badScales(ScaleRule rule) {
  std::vector<float> scales = {-1, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  if (rule != ScaleRule::Optional)
    scales.push_back(rule == ScaleRule::None ? 1.0F : 0.0F);
  return scales;
}

static void quantization(Collector &collect) {
  for (size_t i = 0; i < collect.operands().size(); ++i) {
    const OperandTypeInfo *info = findOperandType(collect.operands()[i].type);
    if (info == nullptr)
      continue;
    for (float scale : badScales(info->scale))
      collect.operand("scale", i, [=](Operand &operand) { operand.scale = scale; });
    for (int32_t zeroPoint : {info->minZeroPoint - 1, info->maxZeroPoint + 1})
      collect.operand("zeroPoint", i, [=](Operand &operand) { operand.zeroPoint = zeroPoint; });
  }
}

static void extraParams(Collector &collect) {
  for (size_t i = 0; i < collect.operands().size(); ++i) {
    const Operand &operand = collect.operands()[i];
    collect.operand("extraParams", i, [](Operand &changed) {
      bool isPerChannel = changed.type == OperandType::TensorQuant8SymmPerChannel;
      changed.extraParams = isPerChannel ? ExtraParams() : ExtraParams(SymmPerChannelQuantParams{{1}, 0});
    });
    if (operand.type != OperandType::TensorQuant8SymmPerChannel)
      continue;
    using Params = SymmPerChannelQuantParams;
    for (auto change : std::initializer_list<void (*)(Params &)>{
             [](Params &params) { params.channelDim = 99; }, [](Params &params) { params.scales.push_back(1); },
             [](Params &params) { params.scales.clear(); }, [](Params &params) { params.scales[0] = 0; },
             [](Params &params) { params.scales.back() = -1; }})
      collect.operand("channelScales", i, [=](Operand &changed) { change(std::get<Params>(changed.extraParams)); });
  }
}

static void lifetimes(Collector &collect) {
  for (size_t i = 0; i < collect.operands().size(); ++i) {
    OperandLifeTime lifetime = collect.operands()[i].lifetime;
    for (int32_t code : {-1, 7, 1000})
      collect.operand("lifetime", i, [=](Operand &operand) { operand.lifetime = static_cast<OperandLifeTime>(code); });
    if (lifetime != OperandLifeTime::Subgraph)
      collect.operand("lifetimeSubgraph", i, [](Operand &operand) { operand.lifetime = OperandLifeTime::Subgraph; });
    for (OperandLifeTime other : {OperandLifeTime::SubgraphInput, OperandLifeTime::SubgraphOutput})
      if (other != lifetime)
        collect.operand("lifetimeNotListed", i, [=](Operand &operand) {
          operand.lifetime = other;
          operand.location = {};
        });
  }
}

/// Locations that do not fit the lifetime, and offsets whose sums overflow.
static void locations(Collector &collect) {
  for (size_t i = 0; i < collect.operands().size(); ++i) {
    OperandLifeTime lifetime = collect.operands()[i].lifetime;
    collect.operand("padding", i, [](Operand &operand) { operand.location.padding = 1; });
    collect.operand("length", i, [](Operand &operand) { operand.location.length += 1; });
    collect.operand("poolIndex", i, [](Operand &operand) { operand.location.poolIndex = 0xFFFFFFFF; });
    for (uint64_t offset : {uint64_t{1} << 32, ~uint64_t{0}, ~uint64_t{0} - 2})
      collect.operand("offset", i, [=](Operand &operand) { operand.location.offset = offset; });
    if (isConstant(lifetime))
      collect.operand("emptyConstant", i, [](Operand &operand) { operand.location.length = 0; });
  }
}

static void operationTypes(Collector &collect) {
  for (size_t i = 0; i < collect.operations().size(); ++i)
    for (int32_t code : {-1, 106, 9999, 10001, 77 << 16})
      collect.operation("operationType", i,
                        [=](Operation &operation) { operation.type = static_cast<OperationType>(code); });
}

static void operandIndices(Collector &collect) {
  auto count = static_cast<uint32_t>(collect.operands().size());
  for (size_t i = 0; i < collect.operations().size(); ++i) {
    for (size_t k = 0; k < collect.operations()[i].inputs.size(); ++k)
      for (uint32_t index : {count, 0xFFFFFFFFU})
        collect.operation("inputIndex", i, [=](Operation &operation) { operation.inputs[k] = index; });
    for (size_t k = 0; k < collect.operations()[i].outputs.size(); ++k)
      for (uint32_t index : {count, 0xFFFFFFFFU})
        collect.operation("outputIndex", i, [=](Operation &operation) { operation.outputs[k] = index; });
  }
}

/// Whether the operation allows no list of `count` operands.
static bool isWrongCount(const std::string &allowed, size_t count) {
  if (allowed.ends_with('+'))
    return count < std::stoul(allowed);
  return ("," + allowed + ",").find(fmt::format(",{},", count)) == std::string::npos;
}

static void operandCounts(Collector &collect) {
  for (size_t i = 0; i < collect.operations().size(); ++i) {
    const Operation &operation = collect.operations()[i];
    const OperationSignature *signature = findSignature(operation.type);
    if (signature == nullptr)
      continue;
    if (isWrongCount(allowedInputCounts(*signature), operation.inputs.size() - 1))
      collect.operation("inputRemoved", i, [](Operation &changed) { changed.inputs.pop_back(); });
    if (isWrongCount(allowedInputCounts(*signature), operation.inputs.size() + 1))
      collect.operation("inputAdded", i, [](Operation &changed) { changed.inputs.push_back(changed.inputs[0]); });
    if (isWrongCount(allowedOutputCounts(*signature), operation.outputs.size() - 1))
      collect.operation("outputRemoved", i, [](Operation &changed) { changed.outputs.pop_back(); });
    if (isWrongCount(allowedOutputCounts(*signature), operation.outputs.size() + 1))
      collect.operation("outputAdded", i, [](Operation &changed) { changed.outputs.push_back(changed.outputs[0]); });
  }
}

static bool isControlFlow(OperationType type) { return type == OperationType::If || type == OperationType::While; }

/// Changes types to UINT32, which no operation accepts except control flow, which passes on any type.
static void operandTypesOfOperations(Collector &collect) {
  std::set<uint32_t> used;
  for (const Operation &operation : collect.operations())
    if (findSignature(operation.type) != nullptr && !isControlFlow(operation.type))
      used.insert(operation.inputs.begin(), operation.inputs.end());
  for (uint32_t index : used) {
    if (isConstant(collect.operands()[index].lifetime))
      continue;
    collect.model("typeOfOperation", "operation", [=](Model &model) {
      Operand &operand = model.main.operands[index];
      OperandLifeTime lifetime = operand.lifetime;
      operand = Operand();
      operand.type = OperandType::UInt32;
      operand.lifetime = lifetime;
    });
  }
}

/// Moves each reader before its writer, writes each operand twice, removes each operation.
static void executionOrder(Collector &collect) {
  for (size_t i = 0; i < collect.operations().size(); ++i) {
    const Operation &operation = collect.operations()[i];
    bool readsWritten = std::ranges::any_of(operation.inputs, [&](uint32_t index) {
      return collect.operands()[index].lifetime == OperandLifeTime::TemporaryVariable;
    });
    if (readsWritten)
      collect.model("readBeforeWritten", "operation 0", [=](Model &model) {
        auto begin = model.main.operations.begin();
        std::rotate(begin, begin + static_cast<ptrdiff_t>(i), begin + static_cast<ptrdiff_t>(i) + 1);
      });
    std::string written = fmt::format("operand {}", operation.outputs[0]);
    collect.model("writtenTwice", written,
                  [=](Model &model) { model.main.operations.push_back(Operation(model.main.operations[i])); });
    if (operation.outputs.size() == 1)
      collect.model("operationRemoved", collect.operations().size() == 1 ? "0 operations" : written, [=](Model &model) {
        model.main.operations.erase(model.main.operations.begin() + static_cast<ptrdiff_t>(i));
      });
  }
}

/// An operation that writes an input or a constant.
static void writesToConstants(Collector &collect) {
  for (size_t i = 0; i < collect.operands().size(); ++i) {
    OperandLifeTime lifetime = collect.operands()[i].lifetime;
    if (!isTensor(collect.operands()[i].type) || lifetime == OperandLifeTime::NoValue)
      continue;
    collect.model("writesAnything", fmt::format("operand {}", i), [=](Model &model) {
      auto index = static_cast<uint32_t>(i);
      model.main.operations.push_back({kOemOperation, {}, {index, index}});
    });
  }
}

static void listsOf(Collector &collect, std::vector<uint32_t> Subgraph::*list, const std::string &what) {
  auto count = static_cast<uint32_t>(collect.operands().size());
  size_t listed = (collect.original().main.*list).size();
  for (size_t i = 0; i < listed; ++i) {
    uint32_t index = (collect.original().main.*list)[i];
    std::string place = fmt::format("operand {}", index);
    collect.model(what + "Removed", place, [=](Model &model) {
      (model.main.*list).erase((model.main.*list).begin() + static_cast<ptrdiff_t>(i));
    });
    collect.model(what + "Twice", place, [=](Model &model) { (model.main.*list).push_back(index); });
    for (uint32_t bad : {count, 0xFFFFFFFFU})
      collect.model(what + "OutOfRange", fmt::format("{} {}", what, i),
                    [=](Model &model) { (model.main.*list)[i] = bad; });
  }
  for (size_t i = 0; i < collect.operands().size(); ++i)
    if (collect.operands()[i].lifetime == OperandLifeTime::TemporaryVariable ||
        isConstant(collect.operands()[i].lifetime))
      collect.model(what + "OfOtherLifetime", fmt::format("operand {}", i),
                    [=](Model &model) { (model.main.*list).push_back(static_cast<uint32_t>(i)); });
}

static SharedMemory withHandle(MemoryHandle handle) {
  return std::make_shared<const Memory>(Memory{std::move(handle)});
}

static void pools(Collector &collect) {
  auto fd = [] {
    auto file = createMemoryFile("avocetMutation", 64);
    return std::make_shared<const FileDescriptor>(std::move(*file));
  };
  std::vector<SharedMemory> bad = {nullptr,
                                   withHandle(Ashmem{nullptr, 64}),
                                   withHandle(Ashmem{std::make_shared<const FileDescriptor>(), 64}),
                                   withHandle(Ashmem{fd(), 0}),
                                   withHandle(MappableFile{fd(), 0, 0, 1}),
                                   withHandle(MappableFile{fd(), 0, 64, 4}),
                                   withHandle(MappableFile{fd(), 0, 64, -1}),
                                   withHandle(MappableFile{fd(), ~uint64_t{0}, 64, 1}),
                                   withHandle(HardwareBuffer{fd(), false, 0}),
                                   withHandle(HardwareBuffer{fd(), true, 0}),
                                   withHandle(UnknownHandle{"ion", {fd()}, {1, 2}, 64})};
  for (const SharedMemory &pool : bad) {
    std::string place = fmt::format("pool {}", collect.original().pools.size());
    collect.model("pool", place, [=](Model &model) { model.pools.push_back(pool); });
  }
}

static void extensions(Collector &collect) {
  for (const char *name : {"", "nodot", "Upper.case", "white space.x", "vendor.ex\xc3\xa4mple"})
    collect.model("extensionName", "extension name",
                  [=](Model &model) { model.extensionNameToPrefix.push_back({name, 99}); });
  collect.model("extensionPrefix", "prefix 0",
                [](Model &model) { model.extensionNameToPrefix.push_back({"vendor.zero", 0}); });
  collect.model("extensionTwice", "listed twice", [](Model &model) {
    model.extensionNameToPrefix.push_back({"vendor.twice", 98});
    model.extensionNameToPrefix.push_back({"vendor.twice", 97});
  });
  collect.model("prefixTwice", "prefix 98", [](Model &model) {
    model.extensionNameToPrefix.push_back({"vendor.one", 98});
    model.extensionNameToPrefix.push_back({"vendor.two", 98});
  });
}

static void subgraphs(Collector &collect) {
  size_t count = collect.original().referenced.size();
  collect.model("emptySubgraph", fmt::format("subgraph {}", count),
                [](Model &model) { model.referenced.emplace_back(); });
  for (size_t i = 0; i < count; ++i)
    collect.model("recursion", "cycle",
                  [=](Model &model) { model.referenced[i].operands.push_back(subgraphReference(i)); });
  for (size_t i = 0; i < collect.operands().size(); ++i)
    if (collect.operands()[i].lifetime == OperandLifeTime::Subgraph)
      collect.operand("subgraphIndex", i, [=](Operand &operand) { operand.location.offset = count; });
}

std::vector<Mutation> mutationsOf(const Model &model) {
  Collector collect(model);
  for (auto family :
       {operandTypes, shapes, quantization, extraParams, lifetimes, locations, operationTypes, operandIndices,
        operandCounts, operandTypesOfOperations, executionOrder, writesToConstants, pools, extensions, subgraphs})
    family(collect);
  listsOf(collect, &Subgraph::inputIndexes, "input");
  listsOf(collect, &Subgraph::outputIndexes, "output");
  return collect.take();
}

} // namespace avocet::hal::test
