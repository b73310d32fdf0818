//===- ForeignFile.cpp - What a file is that is no model ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignFile.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <array>

namespace avocet::compiler {
namespace {

using std::string_view_literals::operator""sv;

constexpr auto kFromPytorch = "export it to ONNX with torch.onnx.export"sv;
constexpr auto kFromKeras = "convert it to .tflite with tf.lite.TFLiteConverter.from_keras_model"sv;
constexpr auto kFromTensorFlow = "convert it to .tflite with tf.lite.TFLiteConverter.from_saved_model"sv;
constexpr auto kUnpack = "unpack it and give the model in it"sv;
constexpr auto kFromJson = "if it describes a TFLite model, make the file with flatc -b Tflite.fbs FILE"sv;
constexpr auto kGiveNetwork = "give the .tflite or .onnx file of the network"sv;

/// A kind of file. Of several that match, the first counts.
struct Kind {
  std::string_view suffix; ///< of the name, in lower case; empty: any
  size_t offset;           ///< of the magic number
  std::string_view magic;
  std::string_view title, advice;
};

constexpr std::array kKinds = {
    Kind{"", 4, "AVOM"sv, "a model cache", "give the directory that 'avocet compile' wrote"},
    Kind{"", 4, "AVOR"sv, "a recording", "'avocet replay' plays it"},
    Kind{".keras", 0, ""sv, "a Keras model", kFromKeras},
    Kind{"", 0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file, as Keras writes", kFromKeras},
    Kind{".pb", 0, ""sv, "a TensorFlow graph", kFromTensorFlow},
    Kind{".pt2", 0, ""sv, "a PyTorch program", kFromPytorch},
    Kind{".pt", 0, ""sv, "a PyTorch model", kFromPytorch},
    Kind{".pth", 0, ""sv, "a PyTorch model", kFromPytorch},
    Kind{".mlmodel", 0, ""sv, "a Core ML model", kGiveNetwork},
    Kind{".safetensors", 0, ""sv, "weights without a network", kGiveNetwork},
    Kind{"", 4, "TFL3"sv, "a TFLite model", "give it a name that ends with .tflite"},
    Kind{"", 4, "TOSA"sv, "a TOSA model", "give it a name that ends with .tosa"},
    Kind{"", 4, "ORTM"sv, "a model in the format of ONNX Runtime", "give the .onnx file of the network"},
    Kind{"", 0, "\x08\x01\x12"sv, "a TensorFlow SavedModel", kFromTensorFlow},
    Kind{"", 0, "\x80\2"sv, "a pickle file, as PyTorch writes", kFromPytorch},
    Kind{"", 0, "\x80\4"sv, "a pickle file, as PyTorch writes", kFromPytorch},
    Kind{"", 4, "\0\0\0\0{\""sv, "weights without a network", kGiveNetwork}, // safetensors
    Kind{"", 0, "version https://git-lfs"sv, "a pointer to a file of Git LFS", "get the file with 'git lfs pull'"},
    Kind{"", 0, "<!DOCTYPE"sv, "a web page", "download the file itself"},
    Kind{"", 0, "GGUF"sv, "a GGUF language model", kGiveNetwork},
    Kind{"", 0, "\x93NUMPY"sv, "a NumPy array", "give a network; --input takes raw tensors"},
    Kind{"", 0, "PK\3\4"sv, "a ZIP archive", kUnpack},
    Kind{"", 0, "\x1f\x8b"sv, "a gzip archive", kUnpack},
    Kind{"", 0, "BZh"sv, "a bzip2 archive", kUnpack},
    Kind{"", 0, "\xfd\x37zXZ"sv, "an xz archive", kUnpack},
    Kind{"", 0, "\x28\xb5\x2f\xfd"sv, "a Zstandard archive", kUnpack},
    Kind{"", 0, "\x7f\x45LF"sv, "a program or a library", kGiveNetwork},
    Kind{"", 0, "\x89PNG\r\n"sv, "an image", kGiveNetwork},
    Kind{"", 0, "\xff\xd8\xff"sv, "an image", kGiveNetwork},
    Kind{"", 0, "<?xml"sv, "an XML file", kGiveNetwork},
    Kind{"", 0, "{\""sv, "a JSON file", kFromJson}, // MLIR may begin with "{-#"
    Kind{"", 0, "{\n"sv, "a JSON file", kFromJson},
};

bool matches(const Kind &kind, std::string_view bytes, std::string_view path) {
  return bytes.substr(std::min(kind.offset, bytes.size())).starts_with(kind.magic) &&
         llvm::StringRef(path).ends_with_insensitive(kind.suffix);
}

std::string describe(std::string_view title, std::string_view advice) {
  return "is " + std::string(title) + "; " + std::string(advice);
}

/// Text has no zeros, and MLIR text is ASCII but for strings and comments.
bool isText(std::string_view bytes) {
  constexpr size_t kProbe = 512;
  return bytes.substr(0, kProbe).find('\0') == std::string_view::npos;
}

} // namespace

std::optional<std::string> describeKnownFile(std::string_view bytes, std::string_view path) {
  const auto *kind = std::ranges::find_if(kKinds, [&](const Kind &each) { return matches(each, bytes, path); });
  return kind == kKinds.end() ? std::nullopt : std::optional(describe(kind->title, kind->advice));
}

std::optional<std::string> describeForeignFile(std::string_view bytes, std::string_view path) {
  if (auto known = describeKnownFile(bytes, path))
    return known;
  if (!isText(bytes))
    return describe("a binary file of an unknown kind",
                    "a model is a .tflite or .tosa file, MLIR text or MLIR bytecode");
  return std::nullopt;
}

} // namespace avocet::compiler
