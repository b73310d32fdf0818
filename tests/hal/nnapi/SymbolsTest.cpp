//===- SymbolsTest.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Compares the dynamic symbols of libneuralnetworks.so with those of Android's library, feature level 8.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <elf.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using ::testing::ElementsAreArray;

/// Exported symbols of an ELF file by version node.
class ExportedSymbols {
public:
  explicit ExportedSymbols(const std::string &path) {
    bytes_.resize(std::filesystem::file_size(path));
    std::ifstream(path, std::ios::binary).read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    const auto &header = at<Elf64_Ehdr>(0);
    for (size_t i = 0; i < header.e_shnum; ++i) {
      const auto &section = at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
      sections_[section.sh_type] = &section;
      if (section.sh_type == SHT_DYNSYM)
        strings_ = at<Elf64_Shdr>(header.e_shoff + section.sh_link * sizeof(Elf64_Shdr)).sh_offset;
    }
    readNodes();
    readSymbols();
  }

  const std::set<std::string> &of(const std::string &node) { return byNode_[node]; }
  size_t numNodes() const { return byNode_.size(); }

private:
  template <typename T> const T &at(size_t offset) const {
    return *reinterpret_cast<const T *>(bytes_.data() + offset);
  }
  std::string text(size_t offset) const { return bytes_.data() + strings_ + offset; }

  void readNodes() {
    size_t place = sections_.at(SHT_GNU_verdef)->sh_offset;
    for (const Elf64_Verdef *node = nullptr; node == nullptr || node->vd_next != 0;) {
      if (node != nullptr)
        place += node->vd_next;
      node = &at<Elf64_Verdef>(place);
      if ((node->vd_flags & VER_FLG_BASE) == 0)
        nodes_[node->vd_ndx] = text(at<Elf64_Verdaux>(place + node->vd_aux).vda_name);
    }
  }

  void readSymbols() {
    const Elf64_Shdr &table = *sections_.at(SHT_DYNSYM);
    for (size_t i = 1; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto &symbol = at<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS)
        continue;
      auto version = at<Elf64_Half>(sections_.at(SHT_GNU_versym)->sh_offset + i * sizeof(Elf64_Half)) & 0x7FFF;
      auto node = nodes_.find(version);
      byNode_[node == nodes_.end() ? "none" : node->second].insert(text(symbol.st_name));
    }
  }

  std::vector<char> bytes_;
  size_t strings_ = 0; ///< offset of the names
  std::map<uint32_t, const Elf64_Shdr *> sections_;
  std::map<uint32_t, std::string> nodes_;
  std::map<std::string, std::set<std::string>> byNode_;
};

std::vector<std::string> withPrefix(std::vector<std::string> names) {
  for (std::string &name : names)
    name.insert(0, "ANeuralNetworks");
  return names;
}

TEST(SymbolsTest, PublicNodeHoldsThoseOfAndroid) {
  ExportedSymbols symbols(AVOCET_NNAPI_LIBRARY);
  EXPECT_THAT(symbols.of("LIBNEURALNETWORKS"),
              ElementsAreArray(withPrefix({"Burst_create",
                                           "Burst_free",
                                           "Compilation_create",
                                           "Compilation_createForDevices",
                                           "Compilation_finish",
                                           "Compilation_free",
                                           "Compilation_getPreferredMemoryAlignmentForInput",
                                           "Compilation_getPreferredMemoryAlignmentForOutput",
                                           "Compilation_getPreferredMemoryPaddingForInput",
                                           "Compilation_getPreferredMemoryPaddingForOutput",
                                           "Compilation_setCaching",
                                           "Compilation_setPreference",
                                           "Compilation_setPriority",
                                           "Compilation_setTimeout",
                                           "Device_getFeatureLevel",
                                           "Device_getName",
                                           "Device_getType",
                                           "Device_getVersion",
                                           "Device_wait",
                                           "Event_createFromSyncFenceFd",
                                           "Event_free",
                                           "Event_getSyncFenceFd",
                                           "Event_wait",
                                           "Execution_burstCompute",
                                           "Execution_compute",
                                           "Execution_create",
                                           "Execution_enableInputAndOutputPadding",
                                           "Execution_free",
                                           "Execution_getDuration",
                                           "Execution_getOutputOperandDimensions",
                                           "Execution_getOutputOperandRank",
                                           "Execution_setInput",
                                           "Execution_setInputFromMemory",
                                           "Execution_setLoopTimeout",
                                           "Execution_setMeasureTiming",
                                           "Execution_setOutput",
                                           "Execution_setOutputFromMemory",
                                           "Execution_setReusable",
                                           "Execution_setTimeout",
                                           "Execution_startCompute",
                                           "Execution_startComputeWithDependencies",
                                           "MemoryDesc_addInputRole",
                                           "MemoryDesc_addOutputRole",
                                           "MemoryDesc_create",
                                           "MemoryDesc_finish",
                                           "MemoryDesc_free",
                                           "MemoryDesc_setDimensions",
                                           "Memory_copy",
                                           "Memory_createFromAHardwareBuffer",
                                           "Memory_createFromDesc",
                                           "Memory_createFromFd",
                                           "Memory_free",
                                           "Model_addOperand",
                                           "Model_addOperation",
                                           "Model_create",
                                           "Model_finish",
                                           "Model_free",
                                           "Model_getSupportedOperationsForDevices",
                                           "Model_identifyInputsAndOutputs",
                                           "Model_relaxComputationFloat32toFloat16",
                                           "Model_setOperandSymmPerChannelQuantParams",
                                           "Model_setOperandValue",
                                           "Model_setOperandValueFromMemory",
                                           "Model_setOperandValueFromModel",
                                           "_getDefaultLoopTimeout",
                                           "_getDevice",
                                           "_getDeviceCount",
                                           "_getMaximumLoopTimeout",
                                           "_getRuntimeFeatureLevel"})));
}

TEST(SymbolsTest, PlatformNodeHoldsThoseOfAndroid) {
  ExportedSymbols symbols(AVOCET_NNAPI_LIBRARY);
  EXPECT_THAT(symbols.of("LIBNEURALNETWORKS_PLATFORM"),
              ElementsAreArray(withPrefix({"Compilation_addExtensionAttribute", "Device_getExtensionSupport",
                                           "Execution_addExtensionAttribute", "Model_getExtensionOperandType",
                                           "Model_getExtensionOperationType", "Model_setOperandExtensionData"})));
}

TEST(SymbolsTest, NothingElseIsExported) {
  EXPECT_THAT(ExportedSymbols(AVOCET_NNAPI_LIBRARY).of("none"), ::testing::IsEmpty());
}

} // namespace
