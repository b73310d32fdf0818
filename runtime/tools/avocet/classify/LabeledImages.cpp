//===- LabeledImages.cpp - Images and classes for a classifier ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LabeledImages.h"

#include "avocet/session/Answers.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/Tensors.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

/// Products with bytes stay finite as float.
constexpr double kMostReal = 1e30;

Status checkFits(const LabeledImages &data, const cache::ModelCache &model, const ImageOptions &options,
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
  std::vector<std::string> names;
  if (path.empty()) {
    for (size_t i = 0; i < numClasses; ++i)
      names.push_back(std::to_string(i));
    return names;
  }
  AVOCET_ASSIGN_OR_RETURN(names, session::readLabels(path));
  if (names.size() < numClasses)
    return invalidArgument(fmt::format("{}: has {} lines, the model has {} classes", path, names.size(), numClasses));
  names.resize(numClasses);
  return names;
}

Result<LabeledImages> readLabeledImages(const ImageOptions &options, const cache::ModelCache &model,
                                        const std::string &modelName) {
  LabeledImages data;
  AVOCET_ASSIGN_OR_RETURN(data.images, readIdx(options.images));
  AVOCET_ASSIGN_OR_RETURN(data.labels, readIdx(options.labels));
  AVOCET_RETURN_IF_ERROR(checkFits(data, model, options, modelName));
  AVOCET_ASSIGN_OR_RETURN(data.classNames, readClassNames(options.labelsText, elementsOf(model.output(0))));
  return data;
}

Status storeImage(const LabeledImages &data, size_t item, const ImageOptions &options,
                  const cache::OperandView &operand, std::span<uint8_t> bytes) {
  const std::span<const uint8_t> pixels = data.images.item(item);
  for (size_t i = 0; i < pixels.size(); ++i)
    AVOCET_RETURN_IF_ERROR(session::storeReal(operand, pixels[i] * options.scale + options.offset, i, bytes));
  return Status::ok();
}

} // namespace avocet::tool
