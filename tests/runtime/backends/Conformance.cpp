//===- Conformance.cpp - What the tests of back ends share ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "avocet/firmware_iface/Version.h"

#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <unistd.h>

namespace avocet::runtime::test {

void Conformance::SetUp() {
  const auto &exceptions = GetParam().exceptions;
  std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  test = test.substr(0, test.find('/'));
  if (auto exception = exceptions.find(test); exception != exceptions.end())
    GTEST_SKIP() << GetParam().name << ": " << exception->second;
  registerConformanceBackends();
  target_ = testTarget();
  file_ = fmt::format("{}/conformance-{}-{}.avor", testing::TempDir(), test, ::getpid());
  std::string specification = GetParam().specification;
  if (size_t place = specification.find("%F"); place != std::string::npos)
    specification.replace(place, 2, file_);
  BackendOptions options;
  options.target = target_;
  Result<std::unique_ptr<Backend>> backend = openBackend(specification, options);
  ASSERT_TRUE(backend.isOk()) << backend.status().toString();
  backend_ = std::move(backend).value();
}

void Conformance::TearDown() {
  backend_.reset();
  std::error_code ignored;
  if (!file_.empty())
    std::filesystem::remove(file_, ignored);
}

BufferHandle Conformance::makeBuffer(uint64_t bytes, Mapping &memory) {
  Result<BufferHandle> buffer = backend_->createBuffer(bytes);
  EXPECT_TRUE(buffer.isOk()) << buffer.status().toString();
  Result<FileDescriptor> file = backend_->exportBuffer(*buffer);
  EXPECT_TRUE(file.isOk()) << file.status().toString();
  Result<Mapping> mapping = Mapping::map(file->get(), bytes, Mapping::Access::ReadWrite);
  EXPECT_TRUE(mapping.isOk()) << mapping.status().toString();
  memory = std::move(mapping).value();
  return *buffer;
}

void Conformance::makeFixture(const std::vector<uint32_t> &program, uint32_t bytes, Fixture &fixture) {
  Result<ContextHandle> context = backend_->createContext(0);
  ASSERT_TRUE(context.isOk()) << context.status().toString();
  fixture.context = *context;
  Mapping code;
  fixture.code = makeBuffer(program.size() * sizeof(uint32_t), code);
  std::memcpy(code.bytes().data(), program.data(), program.size() * sizeof(uint32_t));
  fixture.input = makeBuffer(bytes, fixture.inputMemory);
  fixture.output = makeBuffer(bytes, fixture.outputMemory);
  for (size_t i = 0; i < bytes; ++i)
    fixture.inputMemory.bytes()[i] = static_cast<uint8_t>(i * 7 + 1);
  auto map = [&](BufferHandle buffer, Access access, uint64_t &address) {
    Result<uint64_t> mapped = backend_->map(fixture.context, buffer, access);
    ASSERT_TRUE(mapped.isOk()) << mapped.status().toString();
    address = *mapped;
  };
  map(fixture.code, Access::Read, fixture.codeAddress);
  map(fixture.input, Access::Read, fixture.inputAddress);
  map(fixture.output, Access::Write, fixture.outputAddress);
  fixture.streams = {{{firmware::EngineKind::Dma, 0}, fixture.codeAddress, static_cast<uint32_t>(program.size())}};
  fixture.regions = {{fixture.inputAddress, bytes, Access::Read}, {fixture.outputAddress, bytes, Access::Write}};
}

Submission Conformance::submissionOf(const Fixture &fixture) {
  Submission submission;
  submission.context = fixture.context;
  submission.streams = fixture.streams;
  submission.regions = fixture.regions;
  submission.targetFingerprint = target_->fingerprint();
  submission.encodingVersion = firmware::kEncodingVersion;
  return submission;
}

} // namespace avocet::runtime::test
