//===- OnnxElementsTest.cpp - Tensors of ONNX files -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModels.h"

#include "OutputFolder.h"

#include <cstring>

namespace avocet::compiler {
namespace {

using namespace onnx_file;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename T> std::vector<T> valuesOf(mlir::ArrayRef<char> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

class OnnxElementsTest : public testing::Test, public OnnxFileOpener {
protected:
  TensorProto &add(const std::vector<int64_t> &extents, int type) {
    return addInitializer(*model_.mutable_graph(), "w", extents, type);
  }

  template <typename T> std::vector<T> read() {
    file_ = open(model_);
    return file_ ? valuesOf<T>(file_->elements(file_->graph().initializer(0))) : std::vector<T>{T(77)};
  }

  ModelProto model_ = smallModel();
  std::optional<OnnxFile> file_;
};

TEST_F(OnnxElementsTest, LargeRawDataStaysInFile) {
  std::string raw(1 << 16, 'a');
  raw += "bcd!";
  add({(1 << 14) + 1}, TensorProto::FLOAT).set_raw_data(raw);
  std::shared_ptr<llvm::MemoryBuffer> buffer = llvm::MemoryBuffer::getMemBufferCopy(model_.SerializeAsString());
  const auto file = open(buffer);
  ASSERT_TRUE(file);
  const mlir::ArrayRef<char> elements = file->elements(file->graph().initializer(0));
  EXPECT_EQ(std::string(elements.begin(), elements.end()), raw);
  EXPECT_GE(elements.data(), buffer->getBufferStart());
  EXPECT_LE(elements.end(), buffer->getBufferEnd());
  EXPECT_TRUE(file->graph().initializer(0).raw_data().empty());
}

TEST_F(OnnxElementsTest, BytesKeepElementsWithoutFile) {
  add({3}, TensorProto::INT64).add_int64_data(-5);
  model_.mutable_graph()->mutable_initializer(0)->add_int64_data(6);
  model_.mutable_graph()->mutable_initializer(0)->add_int64_data(int64_t{1} << 40);
  file_ = open(model_);
  ASSERT_TRUE(file_);
  const mlir::ArrayRef<char> elements = file_->elements(file_->graph().initializer(0));
  const std::shared_ptr<const void> bytes = file_->bytes();
  file_.reset();
  EXPECT_THAT(valuesOf<int64_t>(elements), ElementsAre(-5, 6, int64_t{1} << 40));
}

TEST_F(OnnxElementsTest, ReadsFieldOfEachType) {
  TensorProto &tensor = add({2}, TensorProto::FLOAT);
  tensor.add_float_data(1.5f);
  tensor.add_float_data(-2.0f);
  EXPECT_THAT(read<float>(), ElementsAre(1.5f, -2.0f));

  tensor.clear_float_data();
  tensor.set_data_type(TensorProto::DOUBLE);
  tensor.add_double_data(1e300);
  tensor.add_double_data(-0.5);
  EXPECT_THAT(read<double>(), ElementsAre(1e300, -0.5));

  tensor.clear_double_data();
  tensor.set_data_type(TensorProto::INT8);
  tensor.add_int32_data(-128);
  tensor.add_int32_data(200); // a pattern of bits
  EXPECT_THAT(read<int8_t>(), ElementsAre(-128, -56));
  tensor.set_data_type(TensorProto::INT16);
  EXPECT_THAT(read<int16_t>(), ElementsAre(-128, 200));
  tensor.set_data_type(TensorProto::INT32);
  EXPECT_THAT(read<int32_t>(), ElementsAre(-128, 200));

  tensor.set_data_type(TensorProto::BFLOAT16);
  tensor.set_int32_data(0, 0xbf80);
  EXPECT_THAT(read<uint16_t>(), ElementsAre(0xbf80, 200));

  tensor.clear_int32_data();
  tensor.set_data_type(TensorProto::UINT64);
  tensor.add_uint64_data(UINT64_MAX);
  tensor.add_uint64_data(1);
  EXPECT_THAT(read<uint64_t>(), ElementsAre(UINT64_MAX, 1));
  tensor.set_data_type(TensorProto::UINT32);
  tensor.set_uint64_data(0, UINT32_MAX);
  EXPECT_THAT(read<uint32_t>(), ElementsAre(UINT32_MAX, 1));
}

TEST_F(OnnxElementsTest, SmallTypesStayPacked) {
  TensorProto &tensor = add({5}, TensorProto::INT4);
  for (int pair : {0x21, 0xf3, 0x07})
    tensor.add_int32_data(pair);
  EXPECT_THAT(read<uint8_t>(), ElementsAre(0x21, 0xf3, 0x07));
  tensor.set_data_type(TensorProto::UINT2);
  tensor.mutable_int32_data()->Truncate(2);
  EXPECT_THAT(read<uint8_t>(), ElementsAre(0x21, 0xf3));
}

TEST_F(OnnxElementsTest, JoinsFieldThatComesInParts) {
  std::string tensor = add({4}, TensorProto::INT64).SerializeAsString();
  tensor += fieldOf(TensorProto::kInt64DataFieldNumber, "\x01\xac\x02"); // packed
  tensor += "\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";              // one number
  tensor += "\x38\x02";
  model_.mutable_graph()->clear_initializer();
  const std::string graph = fieldOf(GraphProto::kInitializerFieldNumber, tensor);
  // A message that stands twice is merged.
  const auto file = openBytes(model_.SerializeAsString() + fieldOf(ModelProto::kGraphFieldNumber, graph));
  ASSERT_TRUE(file) << errors();
  EXPECT_THAT(valuesOf<int64_t>(file->elements(file->graph().initializer(0))), ElementsAre(1, 300, -1, 2));
}

TEST_F(OnnxElementsTest, EmptyTensorsAndStringsHaveNoElements) {
  add({0, 1 << 30, 1 << 10}, TensorProto::FLOAT);
  EXPECT_THAT(read<float>(), testing::IsEmpty());
  model_.mutable_graph()->clear_initializer();
  add({3}, TensorProto::STRING);
  EXPECT_THAT(read<char>(), testing::IsEmpty());
}

TEST_F(OnnxElementsTest, ReaderFieldsOfFileAreIgnored) {
  TensorProto &tensor = add({4}, TensorProto::UINT8);
  tensor.set_raw_data("abcd");
  tensor.set_stored_offset(1 << 20);
  tensor.set_stored_length(4);
  tensor.set_stored_file(9);
  model_.mutable_graph()->mutable_node(0)->set_version(99);
  EXPECT_THAT(read<char>(), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_EQ(file_->graph().node(0).version(), 17);
}

TEST_F(OnnxElementsTest, WrongNumberOfBytesIsRefused) {
  TensorProto &tensor = add({2, 3}, TensorProto::FLOAT);
  tensor.set_raw_data("1234");
  EXPECT_EQ(errorOf(model_), "initializer 'w' has 4 bytes of elements, its type FLOAT and its extents need 24");
  tensor.clear_raw_data();
  EXPECT_THAT(errorOf(model_), HasSubstr("has 0 bytes of elements"));
  tensor.set_data_type(TensorProto::INT8);
  for (int i = 0; i < 7; ++i)
    tensor.add_int32_data(i);
  EXPECT_THAT(errorOf(model_), HasSubstr("has 7 bytes of elements, its type INT8 and its extents need 6"));
}

TEST_F(OnnxElementsTest, ElementsInWrongFieldAreRefused) {
  TensorProto &tensor = add({2}, TensorProto::FLOAT);
  tensor.add_int32_data(1);
  EXPECT_THAT(errorOf(model_), HasSubstr("initializer 'w' of type FLOAT has elements in several fields, or in that of "
                                         "other types"));
  tensor.set_raw_data("12345678");
  EXPECT_THAT(errorOf(model_), HasSubstr("in several fields"));
}

TEST_F(OnnxElementsTest, NumbersOutsideOfTypeAreRefused) {
  TensorProto &tensor = add({1}, TensorProto::INT8);
  tensor.add_int32_data(256);
  EXPECT_EQ(errorOf(model_), "initializer 'w' of type INT8 has the number 256");
  tensor.set_int32_data(0, -129);
  EXPECT_EQ(errorOf(model_), "initializer 'w' of type INT8 has the number -129");
  tensor.set_data_type(TensorProto::BOOL);
  tensor.set_int32_data(0, 2);
  EXPECT_EQ(errorOf(model_), "initializer 'w' has truth values other than 0 and 1");
}

TEST_F(OnnxElementsTest, BadExtentsAndTypesAreRefused) {
  add({int64_t{1} << 32, int64_t{1} << 32}, TensorProto::INT8);
  EXPECT_THAT(errorOf(model_), HasSubstr("initializer 'w' has the extent 4294967296"));
  model_.mutable_graph()->clear_initializer();
  add({-1}, TensorProto::INT8);
  EXPECT_THAT(errorOf(model_), HasSubstr("initializer 'w' has the extent -1"));
  model_.mutable_graph()->clear_initializer();
  add({1}, 27);
  EXPECT_EQ(errorOf(model_), "initializer 'w' has the element type 27, which is none of the format's");
  model_.mutable_graph()->clear_initializer();
  add({1}, TensorProto::INT8).mutable_segment()->set_end(1);
  EXPECT_THAT(errorOf(model_), HasSubstr("'w' is a segment of a tensor"));
}

TEST_F(OnnxElementsTest, SparseTensorsAreRefusedByName) {
  model_.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("s");
  EXPECT_THAT(errorOf(model_), HasSubstr("initializer 's' is sparse, which is not supported"));
  model_.mutable_graph()->clear_sparse_initializer();
  addAttribute(addNode(*model_.mutable_graph(), "Constant", {}, {"c"}), "sparse_value", AttributeProto::SPARSE_TENSOR)
      .mutable_sparse_tensor();
  EXPECT_THAT(
      errorOf(model_),
      HasSubstr(
          "attribute 'sparse_value' of node 'Constant_1' (Constant) has type SPARSE_TENSOR, which is not supported"));
}

class ExternalDataTest : public OutputFolder, public OnnxFileOpener {
protected:
  void SetUp() override {
    OutputFolder::SetUp();
    std::filesystem::create_directories(path("model/parts"));
    put("model/parts/weights", "0123456789");
    put("secret", "9876543210");
  }

  ModelProto modelWith(const std::vector<std::pair<std::string, std::string>> &entries, int64_t extent = 4) {
    ModelProto model = smallModel();
    TensorProto &tensor = addInitializer(*model.mutable_graph(), "w", {extent}, TensorProto::UINT8);
    tensor.set_data_location(TensorProto::EXTERNAL);
    for (const auto &[key, value] : entries) {
      StringStringEntryProto &entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return model;
  }

  /// The elements, or the error.
  std::string read(const ModelProto &model) {
    put("model/model.onnx", model.SerializeAsString());
    const auto file = open(model, path("model/model.onnx"));
    if (!file)
      return errors();
    const mlir::ArrayRef<char> elements = file->elements(file->graph().initializer(0));
    return {elements.begin(), elements.end()};
  }
};

TEST_F(ExternalDataTest, ReadsPartOfFileBesideModel) {
  EXPECT_EQ(read(modelWith({{"location", "parts/weights"}, {"offset", "3"}, {"length", "4"}, {"checksum", "?"}})),
            "3456");
  EXPECT_EQ(read(modelWith({{"location", "parts/weights"}})), "0123");
  EXPECT_EQ(read(modelWith({{"location", "parts/weights"}, {"offset", "10"}}, 0)), "");
}

TEST_F(ExternalDataTest, RangesOutsideOfFileAreRefused) {
  EXPECT_EQ(read(modelWith({{"location", "parts/weights"}, {"offset", "7"}})),
            "initializer 'w' has 4 bytes of external data from byte 7 on, its file 'parts/weights' has 10 bytes\n");
  EXPECT_THAT(read(modelWith({{"location", "parts/weights"}, {"offset", "18446744073709551615"}})),
              HasSubstr("from byte 18446744073709551615 on"));
  EXPECT_THAT(read(modelWith({{"location", "parts/weights"}, {"offset", "-1"}})),
              HasSubstr("with the offset '-1', must be a number"));
  EXPECT_THAT(read(modelWith({{"location", "parts/weights"}, {"length", "5"}})),
              HasSubstr("has 5 bytes of elements, its type UINT8 and its extents need 4"));
}

TEST_F(ExternalDataTest, FilesOutsideOfFolderAreRefused) {
  std::filesystem::create_symlink("../secret", path("model/link"));
  EXPECT_THAT(read(modelWith({{"location", "../secret"}})),
              AllOf(HasSubstr("initializer 'w' has external data in '../secret'"), HasSubstr("without '..'")));
  EXPECT_THAT(read(modelWith({{"location", path("secret")}})), HasSubstr("without '/' at the beginning"));
  EXPECT_THAT(read(modelWith({{"location", "link"}})), HasSubstr("'link' is a symbolic link"));
  EXPECT_THAT(read(modelWith({{"location", "none"}})), HasSubstr("cannot open 'none'"));
  EXPECT_THAT(read(modelWith({})), HasSubstr("has external data in ''"));
}

TEST_F(ExternalDataTest, ModelFromMemoryHasNoFolder) {
  EXPECT_THAT(errorOf(modelWith({{"location", "parts/weights"}}), path("model/none.onnx")),
              HasSubstr("the model does not come from a file"));
  EXPECT_THAT(errorOf(modelWith({{"location", "parts/weights"}}), ""), HasSubstr("does not come from a file"));
}

class PoolDataTest : public ExternalDataTest {
protected:
  /// The elements of a model that comes with two pools, or the error.
  std::string readWithPools(const ModelProto &model) {
    put("model/model.onnx", model.SerializeAsString());
    file_ = open(std::move(*llvm::MemoryBuffer::getFile(path("model/model.onnx"))), pools_);
    if (!file_)
      return errors();
    const mlir::ArrayRef<char> elements = file_->elements(file_->graph().initializer(0));
    return {elements.begin(), elements.end()};
  }

  std::vector<uint8_t> first_ = {'a', 'b', 'c'}, second_ = {'d', 'e', 'f', 'g', 'h', 'i'};
  std::vector<std::span<const uint8_t>> pools_ = {first_, second_};
  std::optional<OnnxFile> file_;
};

TEST_F(PoolDataTest, ElementsStayInPool) {
  EXPECT_EQ(readWithPools(modelWith({{"pool", "1"}, {"offset", "2"}})), "fghi");
  EXPECT_EQ(static_cast<const void *>(file_->elements(file_->graph().initializer(0)).data()), &second_[2]);
  EXPECT_EQ(readWithPools(modelWith({{"pool", "0"}}, 3)), "abc");
}

TEST_F(PoolDataTest, FilesHaveTheirOwnNumbers) {
  ModelProto model = modelWith({{"location", "parts/weights"}, {"offset", "3"}});
  EXPECT_EQ(readWithPools(model), "3456");
}

TEST_F(PoolDataTest, RangesOutsideOfPoolAreRefused) {
  EXPECT_EQ(readWithPools(modelWith({{"pool", "0"}, {"offset", "0"}})),
            "initializer 'w' has 4 bytes of external data from byte 0 on, its pool 0 has 3 bytes\n");
  EXPECT_THAT(readWithPools(modelWith({{"pool", "1"}, {"offset", "18446744073709551615"}})),
              HasSubstr("its pool 1 has 6 bytes"));
  EXPECT_THAT(readWithPools(modelWith({{"pool", "2"}})),
              HasSubstr("external data in pool 2, but the model comes with 2 pools"));
  EXPECT_THAT(readWithPools(modelWith({{"pool", "first"}})), HasSubstr("with the pool 'first', must be a number"));
}

TEST_F(PoolDataTest, ModelInFileHasNoPools) {
  EXPECT_THAT(read(modelWith({{"pool", "0"}, {"location", "parts/weights"}})),
              HasSubstr("comes with 0 pools; a model in a file has no pools"));
}

TEST_F(ExternalDataTest, ElementsInTwoPlacesAreRefused) {
  ModelProto model = modelWith({{"location", "parts/weights"}});
  model.mutable_graph()->mutable_initializer(0)->set_raw_data("abcd");
  EXPECT_THAT(read(model), HasSubstr("has elements in the model and external data"));
}

} // namespace
} // namespace avocet::compiler
