//===- Conformance.h - The conformance suite of back ends -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The suite depends on Backend.h alone and runs on all of conformanceSubjects(). A test that a back end cannot pass is
// listed at the back end with the reason; all other tests must pass.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_CONFORMANCE_H
#define AVOCET_TESTS_RUNTIME_CONFORMANCE_H

#include "CopyProgram.h"
#include "avocet/runtime/Backend.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace avocet::runtime::test {

struct Subject {
  std::string name;
  std::string specification;                     ///< %F is replaced by the path of a temporary file
  std::map<std::string, std::string> exceptions; ///< name of a test -> why the back end cannot pass it
};

/// For test lists; GoogleTest's default prints the object's bytes, which differ in each run.
inline void PrintTo(const Subject &subject, std::ostream *out) { *out << subject.name; }

/// A program that links the suite defines both.
std::vector<Subject> conformanceSubjects();
void registerConformanceBackends(); ///< so that openBackend() knows the subjects

inline std::shared_ptr<const firmware::Target> testTarget() {
  auto target = firmware::Target::load("e256");
  EXPECT_TRUE(target.isOk()) << target.status().toString();
  return target.value();
}

inline constexpr std::chrono::seconds kPatience{60};

/// Declares `variable` with the value of a Result; fails the test if there is none.
#define ASSERT_RESULT(variable, expression)                                                                            \
  auto variable##Result = (expression);                                                                                \
  ASSERT_TRUE(variable##Result.isOk()) << variable##Result.status().toString();                                        \
  auto variable = std::move(variable##Result).value()

/// Opens the subject's back end; skips tests that are listed as its exceptions.
class Conformance : public testing::TestWithParam<Subject> {
protected:
  void SetUp() override;
  void TearDown() override;

  /// A program, a buffer to read and a buffer to write, mapped into `context`.
  struct Fixture {
    ContextHandle context = 0;
    BufferHandle code = 0, input = 0, output = 0;
    uint64_t codeAddress = 0, inputAddress = 0, outputAddress = 0;
    Mapping inputMemory, outputMemory;
    std::vector<StreamBinding> streams;
    std::vector<RegionBinding> regions;
  };
  void makeFixture(const std::vector<uint32_t> &program, uint32_t bytes, Fixture &fixture);
  Submission submissionOf(const Fixture &fixture);
  BufferHandle makeBuffer(uint64_t bytes, Mapping &memory);

  std::shared_ptr<const firmware::Target> target_;
  std::unique_ptr<Backend> backend_;
  std::string file_;
};

} // namespace avocet::runtime::test

#endif // AVOCET_TESTS_RUNTIME_CONFORMANCE_H
