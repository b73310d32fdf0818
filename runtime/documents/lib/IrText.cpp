//===- IrText.cpp - One phase of the compiler for a report ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/IrText.h"

#include "IrLine.h"
#include "avocet/analysis/CommandStreams.h"
#include "avocet/base/Knobs.h"
#include "avocet/compiler/Loader.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Names.h"
#include "avocet/network/BytecodeInput.h"
#include "avocet/network/Optimization.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace avocet::documents {
namespace {

constexpr std::string_view kFunction = "func.func";
constexpr size_t kLongestType = 80;

/// The lines of the module, without the blobs that follow it.
std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with("{-#"))
      break;
    lines.push_back(line);
    begin = end + 1;
  }
  return lines;
}

std::string typeOf(std::string_view line) {
  size_t place = line.rfind("-> ");
  size_t skipped = 3;
  if (place == std::string_view::npos) {
    place = line.rfind(" : ");
    skipped = 3;
  }
  if (place == std::string_view::npos)
    return "";
  std::string type(line.substr(place + skipped));
  if (type.size() > kLongestType)
    type = type.substr(0, kLongestType) + "...";
  return type;
}

class IrReader {
public:
  IrReader(IrText &result, const LayersByName &layers) : result_(result), layersByName_(layers) {}

  void read(std::string_view text) {
    const std::vector<std::string_view> lines = linesOf(text);
    for (std::string_view line : lines)
      locations_.addAlias(line);
    for (std::string_view line : lines)
      if (!line.starts_with("#loc"))
        addLine(line);
    spreadLayers();
  }

private:
  struct Definition {
    uint32_t line;
    int32_t node; ///< in result_.nodes; -1: a constant or a buffer
  };

  void addLine(std::string_view raw) {
    const auto [text, location] = splitLocation(raw);
    std::string line = cutConstants(text);
    const std::vector<std::string> names = locations_.namesIn(location);
    const auto number = static_cast<uint32_t>(result_.layers.size());
    result_.layers.push_back(layerOf(line, names));
    const std::string_view operation = operationOf(line);
    if (line.find(kFunction) != std::string::npos || operation == "npu.program")
      startFunction(line, number);
    else if (!operation.empty())
      addOperation(line, operation, names, number);
    result_.text += line;
    result_.text += '\n';
  }

  int32_t layerOf(std::string_view line, const std::vector<std::string> &names) const {
    if (line.find(kFunction) != std::string_view::npos)
      return kWithoutLayer;
    for (std::string_view key : {"layer = ", " layer "})
      if (auto layer = numberAfter(line, key))
        return std::max(*layer, kWithoutLayer);
    for (const std::string &name : names)
      if (auto layer = layersByName_.find(name); layer != layersByName_.end())
        return layer->second;
    return kWithoutLayer;
  }

  void startFunction(std::string_view line, uint32_t number) {
    definitions_.clear();
    functionLine_ = number;
    for (std::string_view argument : valuesOf(line).operands) {
      definitions_[std::string(argument)] = {number, static_cast<int32_t>(result_.nodes.size())};
      result_.nodes.push_back({"input", argumentName(line, argument), "", kWithoutLayer, number});
    }
  }

  /// The name in the user's file, an attribute after the argument.
  static std::string argumentName(std::string_view line, std::string_view argument) {
    constexpr std::string_view kName = "nn.name = \"";
    const size_t begin = line.find(kName, static_cast<size_t>(argument.data() - line.data()));
    if (begin == std::string_view::npos)
      return std::string(argument.substr(1));
    const std::string_view name = line.substr(begin + kName.size());
    return std::string(name.substr(0, name.find('"')));
  }

  void addOperation(std::string_view line, std::string_view operation, const std::vector<std::string> &names,
                    uint32_t number) {
    const LineValues values = valuesOf(line);
    const int32_t node = addNode(line, operation, names, number);
    for (std::string_view operand : values.operands) {
      auto found = definitions_.find(std::string(operand));
      if (found == definitions_.end())
        continue;
      if (found->second.line != functionLine_) // the line of an argument has many users
        uses_.push_back({number, found->second.line});
      if (node >= 0 && found->second.node >= 0)
        result_.edges.emplace_back(found->second.node, node);
    }
    for (std::string_view result : values.results)
      definitions_[std::string(result)] = {number, node};
    if (operation == "cmd.stream")
      addStream(line, number);
  }

  int32_t addNode(std::string_view line, std::string_view operation, const std::vector<std::string> &names,
                  uint32_t number) {
    const bool isReturn = operation == "return" || operation == "func.return";
    const bool isTensor = operation.starts_with("nn.") || operation.starts_with("npu.");
    const bool isOther = operation.ends_with(".constant") || operation == "npu.buffer" || isScheduled(operation);
    if (!isReturn && (!isTensor || isOther))
      return -1;
    result_.nodes.push_back({std::string(isReturn ? "output" : operation),
                             names.empty() || isReturn ? "" : names.front(), isReturn ? "" : typeOf(line),
                             result_.layers[number], number});
    return static_cast<int32_t>(result_.nodes.size() - 1);
  }

  static bool isScheduled(std::string_view operation) {
    return operation == "npu.dma" || operation.starts_with("npu.tile_");
  }

  /// "cmd.stream dma 1 {": the commands follow.
  void addStream(std::string_view line, uint32_t number) {
    constexpr std::string_view kWords = "cmd.stream ";
    line.remove_prefix(line.find(kWords) + kWords.size());
    const std::string engine(line.substr(0, line.find(' ')));
    const auto index = static_cast<uint32_t>(numberAfter(line, engine + " ").value_or(0));
    result_.streams.push_back({engine, index, number + 1});
  }

  /// A constant, a buffer or a padding without a layer has that of its first user. Last use first, so that chains
  /// resolve in one pass.
  void spreadLayers() {
    std::vector<bool> isOwn;
    for (int32_t layer : result_.layers)
      isOwn.push_back(layer != kWithoutLayer);
    for (size_t i = uses_.size(); i-- > 0;) {
      const auto &[user, definition] = uses_[i];
      if (!isOwn[definition] && result_.layers[user] != kWithoutLayer)
        result_.layers[definition] = result_.layers[user];
    }
    for (GraphNode &node : result_.nodes)
      node.layer = result_.layers[node.line];
  }

  IrText &result_;
  const LayersByName &layersByName_;
  LocationNames locations_;
  std::unordered_map<std::string, Definition> definitions_; ///< of the present function
  uint32_t functionLine_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> uses_; ///< line of the user, line of the definition
};

} // namespace

LayersByName indexNames(const std::vector<std::string> &layerNames) {
  constexpr std::string_view kJoin = " + ";
  LayersByName index;
  for (size_t i = 0; i < layerNames.size(); ++i)
    index.emplace(layerNames[i], static_cast<int32_t>(i));
  for (size_t i = 0; i < layerNames.size(); ++i) {
    for (std::string_view rest = layerNames[i]; !rest.empty();) {
      const size_t end = std::min(rest.find(kJoin), rest.size());
      index.emplace(rest.substr(0, end), static_cast<int32_t>(i));
      rest.remove_prefix(std::min(end + kJoin.size(), rest.size()));
    }
  }
  return index;
}

IrText readIr(std::string_view phase, std::string_view text, const LayersByName &layers) {
  IrText result;
  result.phase = phase;
  IrReader(result, layers).read(text);
  return result;
}

namespace {

using compiler::CompileRequest;
using compiler::CompileResult;

constexpr std::string_view kPhases[] = {"import", "nn", "place", "schedule", "allocate", "cmd"};
constexpr std::string_view kSchedule = "schedule";

Result<CompileRequest> makeRequest(const network::ModelChoice &choice) {
  CompileRequest request;
  request.modelPath = choice.path;
  request.modelBytes = choice.bytes;
  request.format = choice.format;
  request.target = choice.target.empty() ? knobText(knobs::kTarget) : choice.target;
  request.signature = choice.signature;
  AVOCET_RETURN_IF_ERROR(apply(choice.inputs, request));
  request.threads = std::max(1u, std::thread::hardware_concurrency());
  return request;
}

Result<CompileResult> compileTo(const compiler::LoadedCompiler &compiler, const CompileRequest &request) {
  CompileResult result = network::compileFile(compiler, request);
  if (!result.status.isOk())
    return result.status;
  return result;
}

/// The schedule of a search, so that the phases after it need no search of their own. Empty without a search.
Result<CompileResult> findSchedule(const compiler::LoadedCompiler &compiler, const network::ModelChoice &choice) {
  if (choice.optimize.empty())
    return CompileResult{};
  AVOCET_ASSIGN_OR_RETURN(CompileRequest request, makeRequest(choice));
  AVOCET_RETURN_IF_ERROR(network::setOptimization(request, choice.optimize));
  request.stopAfter = kSchedule;
  request.irFormat = compiler::IrFormat::Bytecode;
  return compileTo(compiler, request);
}

std::string_view textOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// A file of a later phase gives its own text for each phase before that.
void dropRepeated(std::vector<IrText> &phases) {
  for (size_t i = phases.size(); i-- > 1;)
    if (phases[i - 1].text == phases[i].text)
      phases.erase(phases.begin() + static_cast<ptrdiff_t>(i) - 1);
}

} // namespace

Result<std::vector<IrText>> collectIr(const network::ModelChoice &choice, const LayersByName &layers,
                                      network::Observer &observer) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  observer.stage("searching for the schedule");
  AVOCET_ASSIGN_OR_RETURN(CompileResult schedule, findSchedule(compiler, choice));
  std::vector<IrText> phases;
  bool isSearched = false;
  for (std::string_view phase : kPhases) {
    observer.stage(fmt::format("reading the IR of {}: {}", choice.path, phase));
    AVOCET_ASSIGN_OR_RETURN(CompileRequest request, makeRequest(choice));
    isSearched |= phase == kSchedule && !schedule.ir.empty();
    if (isSearched) {
      request.modelBytes = schedule.ir;
      request.format = compiler::InputFormat::Bytecode; // own output
      request.startAt = kSchedule;
      request.signature.clear();
      request.shapes.clear();
      request.extents.clear();
      request.values.clear();
    }
    request.stopAfter = phase;
    AVOCET_ASSIGN_OR_RETURN(CompileResult result, compileTo(compiler, request));
    phases.push_back(readIr(phase, textOf(result.ir), layers));
  }
  observer.clear();
  dropRepeated(phases);
  return phases;
}

IrText disassemble(const cache::ModelCache &model) {
  IrText result;
  result.phase = "commands";
  const auto addLine = [&result](const std::string &line, int32_t layer) {
    result.text += line + '\n';
    result.layers.push_back(layer);
  };
  const analysis::CommandStreams streams(model);
  for (size_t i = 0; i < streams.numStreams(); ++i) {
    const std::string engine(firmware::valueName(streams.engine(i).kind));
    const uint32_t index = streams.engine(i).index;
    addLine(fmt::format("stream {} {}, section {}", engine, index, streams.section(i)), kWithoutLayer);
    result.streams.push_back({engine, index, static_cast<uint32_t>(result.layers.size())});
    for (const firmware::Command &command : streams.commands(i)) {
      const bool hasLayer = command.layer < model.numLayers();
      addLine("  " + firmware::print(command), hasLayer ? static_cast<int32_t>(command.layer) : kWithoutLayer);
    }
  }
  return result;
}

} // namespace avocet::documents
