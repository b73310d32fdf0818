//===- OpenInputs.cpp - What a model leaves open ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/network/OpenInputs.h"

#include "avocet/base/File.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace avocet::network {
namespace {

/// "1x224x224x3"; none if the text is not of this form.
std::optional<std::vector<int64_t>> parseExtents(std::string_view text) {
  std::vector<int64_t> extents;
  for (const char *next = text.data(), *end = next + text.size();;) {
    int32_t extent = 0;
    auto [after, error] = std::from_chars(next, end, extent);
    if (error != std::errc() || extent < 1)
      return std::nullopt;
    extents.push_back(extent);
    if (after == end)
      return extents;
    if (*after != 'x')
      return std::nullopt;
    next = after + 1;
  }
}

/// The parts of "NAME=TEXT"; names may have equals signs.
std::optional<std::pair<std::string, std::string>> splitText(const std::string &text) {
  const size_t equals = text.rfind('=');
  if (equals == 0 || equals == std::string::npos)
    return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<compiler::InputShape> parseShape(const std::string &text) {
  const auto parts = splitText(text);
  auto extents = parts ? parseExtents(parts->second) : std::nullopt;
  if (!extents)
    return invalidArgument(
        fmt::format("--shape {}: must be an input's name, '=', and extents above 0, such as input=1x224x224x3", text));
  return compiler::InputShape{parts->first, std::move(*extents)};
}

Result<compiler::NamedExtent> parseExtent(const std::string &text) {
  const auto parts = splitText(text);
  auto extents = parts ? parseExtents(parts->second) : std::nullopt;
  if (!extents || extents->size() != 1)
    return invalidArgument(
        fmt::format("--dim {}: must be an extent's name, '=', and a number above 0, such as batch=1", text));
  return compiler::NamedExtent{parts->first, extents->front()};
}

Result<compiler::InputValue> readValue(const std::string &text) {
  const auto parts = splitText(text);
  if (!parts)
    return invalidArgument(
        fmt::format("--value {}: must be an input's name, '=', and a file, such as shape=shape.bin", text));
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(parts->second));
  return compiler::InputValue{parts->first, std::move(bytes)};
}

/// The compiler knows the layouts.
Result<compiler::TensorLayout> parseLayout(const std::string &text) {
  if (const auto parts = splitText(text))
    return compiler::TensorLayout{parts->first, parts->second};
  if (text.find('=') != std::string::npos)
    return invalidArgument(fmt::format(
        "--layout {}: must be a layout, or the name of an input or output, '=', and a layout, such as input=NHWC",
        text));
  return compiler::TensorLayout{"", text};
}

template <typename Part>
Status readAll(const std::vector<std::string> &texts, Result<Part> (*read)(const std::string &),
               std::vector<Part> &parts) {
  for (const std::string &text : texts) {
    AVOCET_ASSIGN_OR_RETURN(Part part, read(text));
    parts.push_back(std::move(part));
  }
  return Status::ok();
}

} // namespace

Status apply(const OpenInputs &inputs, compiler::ModelRequest &request) {
  AVOCET_RETURN_IF_ERROR(readAll(inputs.shapes, parseShape, request.shapes));
  AVOCET_RETURN_IF_ERROR(readAll(inputs.extents, parseExtent, request.extents));
  AVOCET_RETURN_IF_ERROR(readAll(inputs.values, readValue, request.values));
  return readAll(inputs.layouts, parseLayout, request.layouts);
}

} // namespace avocet::network
