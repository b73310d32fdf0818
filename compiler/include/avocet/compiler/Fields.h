//===- Fields.h - The members of requests and answers -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of the structs in Compiler.h by name. Message.h writes and reads them in all forms: as an argument of the
// shared library, of a callback, and as a message to a compile worker. A new member needs its declaration in Compiler.h
// and its line here; a member without a line does not compile. A name, once used, keeps its meaning: the peer may be of
// another version.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_FIELDS_H
#define AVOCET_COMPILER_FIELDS_H

#include "avocet/compiler/Compiler.h"

#include <tuple>

namespace avocet::compiler {

/// The name of a member, which compilers print at the end of "[member = &avocet::compiler::InputShape::extents]".
template <auto member> constexpr std::string_view nameOfMember() {
  constexpr std::string_view kStart = "member = &";
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find(kStart) + kStart.size());
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}
static_assert(nameOfMember<&InputShape::extents>() == "extents");

template <typename Member> struct Field {
  std::string_view name;
  Member member; ///< pointer to it
};

template <auto... members>
inline constexpr std::tuple kMembers(Field<decltype(members)>{nameOfMember<members>(), members}...);

/// A tuple of Field for each struct with fields.
template <typename T> inline constexpr auto kFields = nullptr;

template <typename T>
concept HasFields = !std::is_same_v<decltype(kFields<T>), const std::nullptr_t>;

/// The greatest valid number of an enumeration.
template <typename Enum> inline constexpr auto kLast = static_cast<Enum>(UINT32_MAX);
template <> inline constexpr auto kLast<InputFormat> = InputFormat::Onnx;
template <> inline constexpr auto kLast<Severity> = Severity::Note;
template <> inline constexpr auto kLast<StatusCode> = StatusCode::Internal;

template <> inline constexpr auto kFields<InputShape> = kMembers<&InputShape::name, &InputShape::extents>;
template <> inline constexpr auto kFields<NamedExtent> = kMembers<&NamedExtent::name, &NamedExtent::extent>;
template <> inline constexpr auto kFields<InputValue> = kMembers<&InputValue::name, &InputValue::bytes>;
template <> inline constexpr auto kFields<TensorLayout> = kMembers<&TensorLayout::name, &TensorLayout::layout>;

template <>
inline constexpr auto kFields<ModelRequest> =
    kMembers<&ModelRequest::modelPath, &ModelRequest::modelBytes, &ModelRequest::format, &ModelRequest::signature,
             &ModelRequest::shapes, &ModelRequest::extents, &ModelRequest::values, &ModelRequest::layouts,
             &ModelRequest::pools, &ModelRequest::target, &ModelRequest::prefersTargetOfModule, &ModelRequest::progress,
             &ModelRequest::cancelled>;

template <>
inline constexpr auto kFields<CompileRequest> =
    std::tuple_cat(kFields<ModelRequest>,
                   kMembers<&CompileRequest::stopAfter, &CompileRequest::startAt, &CompileRequest::isSpecialized,
                            &CompileRequest::sourceMap, &CompileRequest::hints, &CompileRequest::irFormat,
                            &CompileRequest::optimize, &CompileRequest::optimizeSeconds, &CompileRequest::threads,
                            &CompileRequest::simulate, &CompileRequest::alternative, &CompileRequest::afterPass,
                            &CompileRequest::elidesConstants, &CompileRequest::runsStep, &CompileRequest::remark>);

template <> inline constexpr auto kFields<JudgeRequest> = kFields<ModelRequest>;

template <>
inline constexpr auto kFields<DivideRequest> =
    std::tuple_cat(kFields<ModelRequest>, kMembers<&DivideRequest::irFormat, &DivideRequest::remark>);

template <>
inline constexpr auto kFields<Alternative> =
    kMembers<&Alternative::what, &Alternative::predictedCycles, &Alternative::simulatedCycles, &Alternative::isKept>;

template <>
inline constexpr auto kFields<PassResult> =
    kMembers<&PassResult::phase, &PassResult::pass, &PassResult::isFailed, &PassResult::ir>;

template <>
inline constexpr auto kFields<OptionalStep::Subject> =
    kMembers<&OptionalStep::Subject::location, &OptionalStep::Subject::operation>;

template <>
inline constexpr auto kFields<OptionalStep> =
    kMembers<&OptionalStep::kind, &OptionalStep::phase, &OptionalStep::transform, &OptionalStep::pattern,
             &OptionalStep::subject>;

template <>
inline constexpr auto kFields<Remark::Argument> = kMembers<&Remark::Argument::key, &Remark::Argument::value>;

template <>
inline constexpr auto kFields<Remark> =
    kMembers<&Remark::kind, &Remark::category, &Remark::name, &Remark::location, &Remark::arguments>;

template <>
inline constexpr auto kFields<Diagnostic> =
    kMembers<&Diagnostic::severity, &Diagnostic::location, &Diagnostic::message>;

template <>
inline constexpr auto kFields<Refusal> = kMembers<&Refusal::location, &Refusal::operation, &Refusal::operand,
                                                  &Refusal::rule, &Refusal::value, &Refusal::limit, &Refusal::index>;

template <>
inline constexpr auto kFields<PhaseCost> =
    kMembers<&PhaseCost::phase, &PhaseCost::milliseconds, &PhaseCost::peakMemoryBytes>;

template <> inline constexpr auto kFields<NamedFile> = kMembers<&NamedFile::name, &NamedFile::bytes>;

template <>
inline constexpr auto kFields<Verdict> =
    kMembers<&Verdict::status, &Verdict::diagnostics, &Verdict::refusals, &Verdict::isTooLarge>;

template <>
inline constexpr auto kFields<CompileResult> = std::tuple_cat(
    kFields<Verdict>,
    kMembers<&CompileResult::modelCache, &CompileResult::dataCache, &CompileResult::ir, &CompileResult::phases,
             &CompileResult::needsSpecialization, &CompileResult::valueInputs, &CompileResult::valueNames>);

template <>
inline constexpr auto kFields<DivideResult> = std::tuple_cat(kFields<Verdict>, kMembers<&DivideResult::files>);

/// Converts to any member, in unevaluated initializers.
struct AnyMember {
  template <typename T> operator T() const;
};

/// Number of members of an aggregate; all those of its base count as one.
template <typename T, typename... Members> constexpr size_t countMembers() {
  if constexpr (requires { T{Members{}..., AnyMember{}}; })
    return countMembers<T, Members..., AnyMember>();
  else
    return sizeof...(Members);
}

template <typename T> inline constexpr size_t kNumFields = std::tuple_size_v<std::remove_cvref_t<decltype(kFields<T>)>>;
template <typename T, typename Base>
inline constexpr bool kListsAll = kNumFields<T> - kNumFields<Base> + 1 == countMembers<T>();

static_assert(kNumFields<ModelRequest> == countMembers<ModelRequest>());
static_assert(kListsAll<CompileRequest, ModelRequest> && kListsAll<JudgeRequest, ModelRequest> &&
              kListsAll<DivideRequest, ModelRequest>);
static_assert(kNumFields<Verdict> + 1 == countMembers<Verdict>()); // all but `storage`
static_assert(kListsAll<CompileResult, Verdict> && kListsAll<DivideResult, Verdict>);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_FIELDS_H
