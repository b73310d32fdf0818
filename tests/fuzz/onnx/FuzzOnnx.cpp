//===- FuzzOnnx.cpp - Hostile ONNX files ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader must report an error, or give a graph that is as OnnxFile.h promises. The importer must report an error,
// or give a module that is valid, also after the phases nn and place. The file "data" is beside the model.
//
//===----------------------------------------------------------------------===//

#include "Phases.h"
#include "Require.h"

#include "Import/Onnx/OnnxImport.h"
#include "Import/OnnxFile/OnnxFile.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <set>

using namespace avocet;
using namespace avocet::compiler;
using namespace avocet::fuzz;

// The archives of LLVM and MLIR are not instrumented, so the poisoning by their allocators is incomplete.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

namespace {

/// The path of a model in a folder with external data.
const std::string &modelPath() {
  static const ScratchDirectory kFolder = [] {
    auto made = ScratchDirectory::make();
    require(made.isOk() && writeFile(made->path() + "/data", std::string_view("0123456789abcdef")).isOk() &&
                writeFile(made->path() + "/model.onnx", std::string_view("model")).isOk(),
            "no folder for external data");
    return std::move(*made);
  }();
  static const std::string kPath = kFolder.path() + "/model.onnx";
  return kPath;
}

class Promises {
public:
  explicit Promises(const OnnxFile &file) : file_(file) {}

  /// `visible`: names of the graphs around it.
  void check(const onnx_file::GraphProto &graph, std::set<std::string> visible) {
    std::set<std::string> own;
    for (const onnx_file::ValueInfoProto &input : graph.input())
      require(!input.name().empty() && own.insert(input.name()).second, "input without a name of its own");
    std::set<std::string> initializers;
    for (const onnx_file::TensorProto &tensor : graph.initializer()) {
      require(!tensor.name().empty() && initializers.insert(tensor.name()).second, "initializer without a name");
      own.insert(tensor.name());
      checkTensor(tensor);
    }
    require(graph.sparse_initializer().empty(), "sparse initializer");
    visible.insert(own.begin(), own.end());
    for (const onnx_file::NodeProto &node : graph.node()) {
      require(node.has_version() && !node.op_type().empty() && nodes_.insert(node.name()).second, "node");
      require(node.domain() != "ai.onnx", "domain");
      for (const std::string &input : node.input())
        require(input.empty() || visible.count(input) > 0, "input of a node");
      for (const onnx_file::AttributeProto &attribute : node.attribute())
        checkAttribute(attribute, visible);
      for (const std::string &output : node.output()) {
        require(output.empty() || own.insert(output).second, "output of a node");
        visible.insert(output);
      }
    }
    for (const onnx_file::ValueInfoProto &output : graph.output())
      require(visible.count(output.name()) > 0, "output");
  }

private:
  void checkAttribute(const onnx_file::AttributeProto &attribute, const std::set<std::string> &visible) {
    using Type = onnx_file::AttributeProto;
    require(attribute.ref_attr_name().empty() && attribute.type() != Type::UNDEFINED, "attribute");
    require(attribute.has_g() == (attribute.type() == Type::GRAPH), "attribute with a graph");
    require(attribute.has_t() == (attribute.type() == Type::TENSOR), "attribute with a tensor");
    require(attribute.tensors().empty() && attribute.graphs().empty(), "list in an attribute");
    if (attribute.has_g())
      check(attribute.g(), visible);
    if (attribute.has_t())
      checkTensor(attribute.t());
  }

  void checkTensor(const onnx_file::TensorProto &tensor) {
    uint64_t bits = storedBits(tensor.data_type());
    for (int64_t extent : tensor.dims())
      bits *= static_cast<uint64_t>(extent);
    const mlir::ArrayRef<char> elements = file_.elements(tensor);
    // Reads all of them, as a constant's user does.
    require(std::count(elements.begin(), elements.end(), 0) <= static_cast<int64_t>(elements.size()), "elements");
    require(tensor.data_type() == onnx_file::TensorProto::STRING ? bits == 0 : elements.size() == (bits + 7) / 8,
            "bytes of a tensor");
  }

  const OnnxFile &file_;
  std::set<std::string> nodes_;
};

std::shared_ptr<llvm::MemoryBuffer> copyOf(llvm::StringRef bytes) {
  return llvm::MemoryBuffer::getMemBufferCopy(bytes, modelPath());
}

/// Whether the reader accepts the file.
bool read(llvm::StringRef bytes) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  size_t errors = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) { ++errors; });
  const mlir::FailureOr<OnnxFile> file = OnnxFile::open(mlir::UnknownLoc::get(&context), copyOf(bytes));
  require(mlir::failed(file) == (errors == 1), "an error without a failure, or a failure without one error");
  if (mlir::succeeded(file))
    Promises(*file).check(file->graph(), {});
  return mlir::succeeded(file);
}

void import(llvm::StringRef bytes) {
  // A new context for each input: constants keep their file until the context is destroyed.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<npu::NpuDialect>();
  size_t errors = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error ? 1 : 0;
  });
  static const NamedExtent kExtents[] = {{"batch", 2}, {"n", 3}};
  ImportNeeds needs;
  mlir::OwningOpRef<mlir::ModuleOp> module = importOnnx(&context, copyOf(bytes), {{}, kExtents, {}}, needs);
  require(module || errors > 0, "a failure without an error");
  if (module)
    runPhases(*module);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (read(bytes))
    import(bytes);
  return 0;
}
