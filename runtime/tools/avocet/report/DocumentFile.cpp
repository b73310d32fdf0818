//===- DocumentFile.cpp - Saved data of a report ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DocumentFile.h"
#include "JsonSchema.h"
#include "PageFiles.h"
#include "avocet/base/File.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

constexpr uint64_t kMostBytes = uint64_t{512} << 20;
constexpr const char *kTrackLists[] = {"command", "layer", "operation", "start", "cycles"};

Status refuse(const std::string &what) { return dataLoss(what + "; write the file again with 'avocet report --data'"); }

/// Whether all numbers of a list are below `limit`.
bool areBelow(const Json &list, uint64_t limit) {
  return std::ranges::all_of(list, [limit](const Json &number) {
    return !number.is_number_unsigned() || number.get<uint64_t>() < limit; // negative ones are no unsigned numbers
  });
}

Status checkTracks(const Json &document) {
  const size_t numLayers = document["layers"].size();
  for (const Json &track : document["tracks"]) {
    const std::string title = track["title"];
    const size_t size = track["command"].size();
    for (const char *list : kTrackLists)
      if (track[list].size() != size)
        return refuse(
            fmt::format("track '{}': {} has {} entries, must have {}", title, list, track[list].size(), size));
    for (const char *list : {"dram_bytes", "sram_bytes"})
      if (track.contains(list) && !track[list].empty() && track[list].size() != size)
        return refuse(fmt::format("track '{}': {} must have no or {} entries", title, list, size));
    if (!areBelow(track["layer"], numLayers) || !areBelow(track["operation"], document["operations"].size()))
      return refuse(fmt::format("track '{}': a layer or an operation is not in the document", title));
  }
  return Status::ok();
}

Status checkLinks(const Json &document) {
  const Json &links = document["links"], &tracks = document["tracks"];
  const auto isPlace = [&](size_t at) {
    const int64_t track = links[at].get<int64_t>(), place = links[at + 1].get<int64_t>();
    return track >= 0 && place >= 0 && static_cast<uint64_t>(track) < tracks.size() &&
           static_cast<uint64_t>(place) < tracks[static_cast<size_t>(track)]["command"].size();
  };
  if (links.size() % 5 != 0)
    return refuse("links: has no multiple of five numbers");
  for (size_t i = 0; i < links.size(); i += 5)
    if (!isPlace(i) || !isPlace(i + 2))
      return refuse(fmt::format("links: link {} names a command that is not in the document", i / 5));
  return Status::ok();
}

Status checkGraphs(const Json &document) {
  for (const Json &graph : document["graphs"])
    if (graph["edges"].size() % 2 != 0 || !areBelow(graph["edges"], graph["nodes"].size()))
      return refuse("graphs: an edge names a node that is not in the document");
  return Status::ok();
}

Status checkMemory(const Json &document) {
  const Json &memory = document["memory"];
  const size_t numTensors = memory.contains("tensors") ? memory["tensors"].size() : 0;
  for (const Json &buffer : memory["buffers"])
    if (buffer.contains("tensor") && buffer["tensor"].get<uint64_t>() >= numTensors)
      return refuse("memory: a buffer names a tensor that is not in the document");
  return Status::ok();
}

Status checkDecisions(const Json &document) {
  if (!document.contains("decisions"))
    return Status::ok();
  for (const Json &decision : document["decisions"])
    if (!areBelow(decision["layers"], document["layers"].size()))
      return refuse("decisions: a layer is not in the document");
  return Status::ok();
}

/// Keys of data of the version before "utilization" and "optimize".
void renameFormerKeys(Json &value) {
  constexpr std::pair<const char *, const char *> kFormer[] = {{"utilisation", "utilization"},
                                                               {"optimise", "optimize"}};
  for (const auto &[former, present] : kFormer)
    if (value.is_object() && value.contains(former) && !value.contains(present)) {
      value[present] = std::move(value[former]);
      value.erase(former);
    }
}

/// The places of a document that had such keys. Places that are missing or have another type are left to the schema.
void renameFormerKeysOf(Json &document) {
  renameFormerKeys(document);
  if (!document.is_object() || !document.contains("figures"))
    return;
  Json &figures = document["figures"];
  renameFormerKeys(figures);
  if (figures.is_object() && figures.contains("layers") && figures["layers"].is_array())
    for (Json &layer : figures["layers"])
      renameFormerKeys(layer);
}

} // namespace

Status checkDocument(const Json &document, const std::string &origin) {
  if (!document.is_object() || !document.contains("format") || document["format"] != "avocet-report")
    return dataLoss(origin + ": is not the data of a report; write it with 'avocet report MODEL --data FILE'");
  const Json version = document.contains("version") ? document["version"] : Json();
  if (version != documents::kReportVersion)
    return Status(StatusCode::Unsupported,
                  fmt::format("{}: has version {}; this program reads version {}; write the "
                              "file again with 'avocet report MODEL --data FILE'",
                              origin, version.is_number() ? version.dump() : "none", documents::kReportVersion));
  static const Json kSchema = Json::parse(pageFile("report.schema.json"));
  Status status = checkSchema(document, kSchema);
  if (status.isOk() && document["layers"].size() != document["figures"]["layers"].size())
    status = refuse("layers: has another number of entries than figures.layers");
  for (auto check : {checkTracks, checkLinks, checkGraphs, checkMemory, checkDecisions})
    if (status.isOk())
      status = check(document);
  return status.isOk() ? status : std::move(status).withContext(origin);
}

Result<Json> readDocument(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path, kMostBytes));
  Json document = Json::parse(bytes, nullptr, false);
  if (document.is_discarded())
    return dataLoss(path + ": is not JSON; write it with 'avocet report MODEL --data FILE'");
  renameFormerKeysOf(document);
  AVOCET_RETURN_IF_ERROR(checkDocument(document, path));
  return document;
}

} // namespace avocet::tool
