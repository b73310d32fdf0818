//===- ReferenceKernelsTest.cpp - avocet compare --against tflite-reference -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a package in place of TensorFlow Lite's, which is not in Debian: it has the functions that the application
// calls, and answers with a file.
//
//===----------------------------------------------------------------------===//

#include "LongNetwork.h"
#include "ToolRunner.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;

constexpr const char *kPackage = R"(
import enum, numpy

class OpResolverType(enum.Enum):
    AUTO = 0
    BUILTIN_REF = 2

class Interpreter:
    def __init__(self, model_path, experimental_op_resolver_type):
        open(model_path, 'rb').close()
        if experimental_op_resolver_type != OpResolverType.BUILTIN_REF:
            raise RuntimeError('these are not the reference kernels')

    def allocate_tensors(self):
        pass

    def get_input_details(self):
        return [{'index': 0, 'name': 't0', 'shape': [1, 8, 8, 8], 'dtype': numpy.float32}]

    def get_output_details(self):
        return [{'index': 1, 'name': 't1', 'shape': [1, 8, 8, 8], 'dtype': numpy.float32}]

    def set_tensor(self, index, array):
        assert index == 0 and array.shape == (1, 8, 8, 8) and array.any()

    def invoke(self):
        print('a remark of the package')

    def get_tensor(self, index):
        return numpy.fromfile('answer.bin', numpy.float32)
)";

class ReferenceKernelsTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    write("net.tflite", fileOf(longNetwork(1)));
    usePackages("none");
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), /*replace=*/1);
    ::unsetenv("PYTHONPATH");
    ToolTest::TearDown();
  }

  /// Python's own packages, which have no TensorFlow Lite, and those in this folder.
  void usePackages(const std::string &folder) {
    const std::string python = std::filesystem::path(AVOCET_NUMPY_PYTHON).parent_path();
    ::setenv("PATH", (python + ":" + path_).c_str(), /*replace=*/1);
    ::setenv("PYTHONPATH", folder.c_str(), /*replace=*/1);
  }

  ToolResult compare() { return run({"compare", "net.tflite", "--against", "tflite-reference"}); }

private:
  const std::string path_ = ::getenv("PATH");
};

TEST_F(ReferenceKernelsTest, TensorsOfPackageAreExpected) {
  std::filesystem::create_directories(path("packages/ai_edge_litert"));
  write("packages/ai_edge_litert/interpreter.py", kPackage);
  usePackages(path("packages"));
  ASSERT_EQ(run({"compare", "net.tflite", "--save", "good"}).exitCode, 0);
  std::filesystem::copy_file(path("good/tensor0.bin"), path("answer.bin"));
  const ToolResult equal = compare();
  EXPECT_EQ(equal.exitCode, 0) << equal.errors;
  EXPECT_THAT(equal.output, HasSubstr("1 tensors: 1 equal"));
  write("answer.bin", std::string(8 * 8 * 8 * sizeof(float), '\x3F')); // 0.747
  const ToolResult other = compare();
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_THAT(other.output, HasSubstr("1 tensors: 0 equal, 1 differ"));
  std::filesystem::remove(path("answer.bin"));
  EXPECT_THAT(compare().errors, HasSubstr("FileNotFoundError: "));
}

TEST_F(ReferenceKernelsTest, MissingPackageSaysWhatToInstall) {
  const ToolResult result = compare();
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("TensorFlow Lite: no package of TensorFlow Lite is installed for "));
  EXPECT_THAT(result.errors, HasSubstr("'pip install ai-edge-litert'"));
}

} // namespace
} // namespace avocet::tool::test
