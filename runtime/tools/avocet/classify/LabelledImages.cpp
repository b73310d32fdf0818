//===- LabelledImages.cpp - Images and classes for a classifier ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LabelledImages.h"

#include "avocet/base/File.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/Tensors.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace avocet::tool {
namespace {

constexpr uint8_t kUnsignedByte = 8;
constexpr size_t kMaxDimensions = 4;

uint32_t bigEndian(std::span<const uint8_t> bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 | uint32_t(bytes[2]) << 8 | uint32_t(bytes[3]);
}

Result<size_t> checkMagic(std::span<const uint8_t> bytes, std::string_view origin) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return dataLoss(fmt::format("{}: is no IDX file (it must begin with two zero bytes)", origin));
  if (bytes[2] != kUnsignedByte)
    return dataLoss(
        fmt::format("{}: IDX element type {} at byte 2 is not supported, must be 8 (unsigned byte)", origin, bytes[2]));
  size_t rank = bytes[3];
  if (rank < 1 || rank > kMaxDimensions)
    return dataLoss(fmt::format("{}: {} dimensions at byte 3, must be 1 to {}", origin, rank, kMaxDimensions));
  if (bytes.size() < 4 + 4 * rank)
    return dataLoss(fmt::format("{}: ends inside its {} dimensions", origin, rank));
  return rank;
}

} // namespace

size_t IdxArray::itemBytes() const {
  size_t bytes = 1;
  for (size_t i = 1; i < shape.size(); ++i)
    bytes *= shape[i];
  return bytes;
}

std::span<const uint8_t> IdxArray::item(size_t index) const {
  return std::span(data).subspan(index * itemBytes(), itemBytes());
}

Result<IdxArray> parseIdx(std::span<const uint8_t> bytes, std::string_view origin) {
  AVOCET_ASSIGN_OR_RETURN(size_t rank, checkMagic(bytes, origin));
  IdxArray array;
  std::span<const uint8_t> data = bytes.subspan(4 + 4 * rank);
  uint64_t elements = 1;
  for (size_t i = 0; i < rank; ++i) {
    array.shape.push_back(bigEndian(bytes.subspan(4 + 4 * i, 4)));
    if (__builtin_mul_overflow(elements, uint64_t(array.shape.back()), &elements) || array.shape.back() == 0)
      return dataLoss(fmt::format("{}: dimension {} is {}, which is zero or too large", origin, i, array.shape.back()));
  }
  if (elements != data.size())
    return dataLoss(fmt::format("{}: holds {} bytes of data, its dimensions [{}] need {}", origin, data.size(),
                                fmt::join(array.shape, ", "), elements));
  array.data.assign(data.begin(), data.end());
  return array;
}

Result<IdxArray> readIdx(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  return parseIdx(bytes, path);
}

namespace {

/// Products with bytes stay finite as float.
constexpr double kMostReal = 1e30;

Status checkFits(const LabelledImages &data, const cache::ModelCache &model, const ImageOptions &options,
                 const std::string &modelName) {
  const size_t inputs = session::numOwnInputs(model), outputs = session::numOwnOutputs(model);
  if (inputs != 1 || outputs != 1)
    return invalidArgument(
        fmt::format("{}: has {} inputs and {} outputs; a classifier has one of each", modelName, inputs, outputs));
  if (data.labels.shape.size() != 1 || data.labels.count() != data.images.count())
    return invalidArgument(fmt::format("{}: has {} labels of {} dimensions, {} has {} images", options.labels,
                                       data.labels.count(), data.labels.shape.size(), options.images,
                                       data.images.count()));
  if (data.images.shape.size() < 2 || data.images.itemBytes() != elementsOf(model.input(0)))
    return invalidArgument(fmt::format("{}: an image has {} values, the model's input ({}) needs {}", options.images,
                                       data.images.itemBytes(), session::describeTensor(model.input(0)),
                                       elementsOf(model.input(0))));
  size_t numClasses = elementsOf(model.output(0));
  auto tooLarge = std::ranges::find_if(data.labels.data, [&](uint8_t label) { return label >= numClasses; });
  if (tooLarge != data.labels.data.end())
    return invalidArgument(fmt::format("{}: label {} of item {} is not below the model's {} classes", options.labels,
                                       *tooLarge, tooLarge - data.labels.data.begin(), numClasses));
  return Status::ok();
}

} // namespace

size_t elementsOf(const cache::OperandView &operand) { return operand.bytes / sizeOf(operand.type); }

ImageFileOptions addImageOptions(CommandLine &command, ImageOptions &options) {
  const CommandOption images = command.addText("--images", options.images, "IDX file of images");
  const CommandOption labels = command.addText("--labels", options.labels, "IDX file of labels");
  command.addText("--labels-text", options.labelsText, "Names of the classes, one per line");
  addNumber(command, "--scale", options.scale, "Factor that each byte is multiplied by; default: 1/255", -kMostReal,
            kMostReal);
  addNumber(command, "--offset", options.offset, "Number that is added to the product; default: 0", -kMostReal,
            kMostReal);
  return {images, labels};
}

Result<std::vector<std::string>> readClassNames(const std::string &path, size_t numClasses) {
  std::vector<std::string> names(numClasses);
  for (size_t i = 0; i < numClasses; ++i)
    names[i] = std::to_string(i);
  if (path.empty())
    return names;
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  for (size_t i = 0; i < numClasses; ++i) {
    if (!std::getline(lines, names[i]))
      return invalidArgument(fmt::format("{}: has {} lines, the model has {} classes", path, i, numClasses));
  }
  return names;
}

Result<LabelledImages> readLabelledImages(const ImageOptions &options, const cache::ModelCache &model,
                                          const std::string &modelName) {
  LabelledImages data;
  AVOCET_ASSIGN_OR_RETURN(data.images, readIdx(options.images));
  AVOCET_ASSIGN_OR_RETURN(data.labels, readIdx(options.labels));
  AVOCET_RETURN_IF_ERROR(checkFits(data, model, options, modelName));
  AVOCET_ASSIGN_OR_RETURN(data.classNames, readClassNames(options.labelsText, elementsOf(model.output(0))));
  return data;
}

Status storeImage(const LabelledImages &data, size_t item, const ImageOptions &options,
                  const cache::OperandView &operand, std::span<uint8_t> bytes) {
  const std::span<const uint8_t> pixels = data.images.item(item);
  for (size_t i = 0; i < pixels.size(); ++i)
    AVOCET_RETURN_IF_ERROR(session::storeReal(operand, pixels[i] * options.scale + options.offset, i, bytes));
  return Status::ok();
}

} // namespace avocet::tool
