//===- LabeledImages.h - Images and classes for a classifier ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_LABELEDIMAGES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_LABELEDIMAGES_H

#include "Idx.h"
#include "avocet/base/CommandLine.h"
#include "avocet/cache/ModelCache.h"

#include <algorithm>

namespace avocet::tool {

struct ImageOptions {
  std::string images;
  std::string labels;
  std::string labelsText; ///< names of the classes; empty: their numbers
  size_t limit = SIZE_MAX;
  double scale = 1.0 / 255;
  double offset = 0;
};

/// Options without a requirement: of the two files, and how they are read.
struct ImageFileOptions {
  CommandOption images, labels;
};
ImageFileOptions addImageOptions(CommandLine &command, ImageOptions &options);

/// For the end of a help.
inline constexpr const char *kImageHelp =
    R"(Images are IDX files of unsigned bytes, [count, height, width] or [count, height, width, channels]; labels are [count].
A byte p is the number p * scale + offset, which is quantized as the model's input asks for.)";

struct LabeledImages {
  IdxArray images;
  IdxArray labels;
  std::vector<std::string> classNames;

  /// At most the limit of the options.
  size_t count(const ImageOptions &options) const { return std::min<size_t>(images.count(), options.limit); }
};

/// Reads the files. InvalidArgument: they do not fit each other or the model, which `modelName` names.
Result<LabeledImages> readLabeledImages(const ImageOptions &options, const cache::ModelCache &model,
                                        const std::string &modelName);

/// Writes an image as the operand's values.
Status storeImage(const LabeledImages &data, size_t item, const ImageOptions &options,
                  const cache::OperandView &operand, std::span<uint8_t> bytes);

/// Names of classes from a file with one on each line; their numbers if `path` is empty.
Result<std::vector<std::string>> readClassNames(const std::string &path, size_t numClasses);

size_t elementsOf(const cache::OperandView &operand);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_CLASSIFY_LABELEDIMAGES_H
