//===- PictureFiles.cpp - Encoded pictures for tests ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PictureFiles.h"

#include "TfliteMetadata_generated.h"
#include "Tflite_generated.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <png.h>
#include <turbojpeg.h>
#include <zip.h>

namespace avocet::session::test {
namespace {

Bytes png(uint32_t width, uint32_t height, uint32_t format, const uint8_t *pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = format;
  png_alloc_size_t size = 0;
  if (png_image_write_to_memory(&image, nullptr, &size, 0, pixels, 0, nullptr) == 0)
    std::abort();
  Bytes bytes(size);
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels, 0, nullptr) == 0)
    std::abort();
  bytes.resize(size);
  return bytes;
}

Bytes metadata() {
  tflite_metadata::ModelMetadataT model;
  auto graph = std::make_unique<tflite_metadata::SubGraphMetadataT>();
  auto input = std::make_unique<tflite_metadata::TensorMetadataT>();
  auto unit = std::make_unique<tflite_metadata::ProcessUnitT>();
  tflite_metadata::NormalizationOptionsT options;
  options.mean = {127.5f};
  options.std = {128, 128, 128};
  unit->options.Set(std::move(options));
  input->process_units.push_back(std::move(unit));
  graph->input_tensor_metadata.push_back(std::move(input));
  auto output = std::make_unique<tflite_metadata::TensorMetadataT>();
  auto file = std::make_unique<tflite_metadata::AssociatedFileT>();
  file->name = "l.txt";
  file->type = tflite_metadata::AssociatedFileType::TENSOR_AXIS_LABELS;
  output->associated_files.push_back(std::move(file));
  graph->output_tensor_metadata.push_back(std::move(output));
  model.subgraph_metadata.push_back(std::move(graph));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(tflite_metadata::ModelMetadata::Pack(builder, &model), "M001");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

void addTo(uint8_t *word, uint32_t sum) {
  uint32_t value = 0;
  std::memcpy(&value, word, sizeof(value));
  value += sum;
  std::memcpy(word, &value, sizeof(value));
}

/// Behind `before` bytes of another file, from whose start an archive's offsets count.
Bytes archiveOf(const std::string &text, size_t before) {
  zip_source_t *target = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(target);
  zip_t *archive = zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
  zip_file_add(archive, "l.txt", zip_source_buffer(archive, text.data(), text.size(), 0), 0);
  if (zip_close(archive) != 0)
    std::abort();
  zip_source_open(target);
  zip_source_seek(target, 0, SEEK_END);
  Bytes bytes(static_cast<size_t>(zip_source_tell(target)));
  zip_source_seek(target, 0, SEEK_SET);
  zip_source_read(target, bytes.data(), bytes.size());
  zip_source_close(target);
  zip_source_free(target);
  constexpr size_t kEndBytes = 22, kDirectoryOffset = 16, kMemberOffset = 42;
  uint8_t *end = bytes.data() + bytes.size() - kEndBytes;
  uint32_t directory = 0;
  std::memcpy(&directory, end + kDirectoryOffset, sizeof(directory));
  addTo(end + kDirectoryOffset, static_cast<uint32_t>(before));
  addTo(bytes.data() + directory + kMemberOffset, static_cast<uint32_t>(before));
  return bytes;
}

} // namespace

Image gradient(uint32_t width, uint32_t height) {
  Image image{width, height, {}};
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      for (uint32_t value : {x * 255 / std::max(1u, width - 1), y * 255 / std::max(1u, height - 1), 100u})
        image.rgb.push_back(static_cast<uint8_t>(value));
  return image;
}

Bytes pngOf(const Image &image) { return png(image.width, image.height, PNG_FORMAT_RGB, image.rgb.data()); }

Bytes grayPngOf(uint32_t width, uint32_t height, uint8_t level) {
  const Bytes pixels(size_t{width} * height, level);
  return png(width, height, PNG_FORMAT_GRAY, pixels.data());
}

Bytes jpegOf(const Image &image, int quality) {
  tjhandle encoder = tjInitCompress();
  unsigned char *data = nullptr;
  unsigned long size = 0;
  if (tjCompress2(encoder, image.rgb.data(), static_cast<int>(image.width), 0, static_cast<int>(image.height), TJPF_RGB,
                  &data, &size, TJSAMP_444, quality, 0) != 0)
    std::abort();
  const Bytes bytes(data, data + size);
  tjFree(data);
  tjDestroy(encoder);
  return bytes;
}

Bytes labeledModel(const std::string *labels) {
  avocet::tflite::ModelT model;
  model.version = 3;
  model.buffers.push_back(std::make_unique<avocet::tflite::BufferT>());
  model.buffers.push_back(std::make_unique<avocet::tflite::BufferT>());
  model.buffers[1]->data = metadata();
  auto entry = std::make_unique<avocet::tflite::MetadataT>();
  entry->name = "TFLITE_METADATA";
  entry->buffer = 1;
  model.metadata.push_back(std::move(entry));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(avocet::tflite::Model::Pack(builder, &model), "TFL3");
  Bytes bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  if (labels != nullptr) {
    const Bytes archive = archiveOf(*labels, bytes.size());
    bytes.insert(bytes.end(), archive.begin(), archive.end());
  }
  return bytes;
}

} // namespace avocet::session::test
