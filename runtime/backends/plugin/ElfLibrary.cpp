//===- ElfLibrary.cpp - Whether a file is a complete shared library --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginLibrary.h"
#include "avocet/base/File.h"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <optional>
#include <span>

namespace avocet::runtime::plugin {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

/// A struct at an offset of the file; nothing if it is not all in the file.
template <typename Struct> std::optional<Struct> structAt(std::span<const uint8_t> file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Struct))
    return std::nullopt;
  Struct result;
  std::memcpy(&result, file.data() + offset, sizeof(Struct));
  return result;
}

/// Class, byte order and processor.
bool areForSameProcessor(const Header &left, const Header &right) {
  return left.e_ident[EI_CLASS] == right.e_ident[EI_CLASS] && left.e_ident[EI_DATA] == right.e_ident[EI_DATA] &&
         left.e_machine == right.e_machine;
}

Status checkProcessor(const Header &header) {
  AVOCET_ASSIGN_OR_RETURN(const Mapping program, Mapping::mapFile("/proc/self/exe"));
  const std::optional<Header> own = structAt<Header>(program.bytes(), 0);
  if (own && !areForSameProcessor(header, *own))
    return invalidArgument(fmt::format("it is for another processor (ELF machine {}, class {}; this program is {}, {})",
                                       header.e_machine, header.e_ident[EI_CLASS], own->e_machine,
                                       own->e_ident[EI_CLASS]));
  return Status::ok();
}

Status checkSegments(const Header &header, std::span<const uint8_t> file) {
  if (header.e_phentsize != sizeof(Segment))
    return invalidArgument("it is a damaged ELF file: its program headers have another size");
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const std::optional<Segment> segment = structAt<Segment>(file, header.e_phoff + i * sizeof(Segment));
    if (!segment || segment->p_filesz > file.size() || segment->p_offset > file.size() - segment->p_filesz)
      return invalidArgument("it is truncated: a segment reaches past its end");
  }
  return Status::ok();
}

} // namespace

Status checkElfLibrary(const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const Mapping memory, Mapping::mapFile(path));
  const std::span<const uint8_t> file = memory.bytes();
  const std::optional<Header> header = structAt<Header>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return invalidArgument("it is no ELF file; a plug-in is a shared library");
  AVOCET_RETURN_IF_ERROR(checkProcessor(*header));
  if (header->e_type != ET_DYN)
    return invalidArgument("it is an ELF file, but no shared library");
  return checkSegments(*header, file);
}

} // namespace avocet::runtime::plugin
