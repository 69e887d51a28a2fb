#pragma once
/// \file
/// Names of our enumerations as reports and the command line write and read them: one table each.
/// Pure functions.

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/check.h"
#include "engine/compress/compactor.h"
#include "engine/generate/answer_rules.h"
#include "engine/generate/finish_reason.h"
#include "engine/kv/kv_options.h"
#include "engine/session/event.h"

namespace lacuna {

template <std::size_t N, class Enum>
using NameTable = std::array<std::pair<Enum, std::string_view>, N>;

/// All enumerators with their names, each name once.
template <class Enum>
inline constexpr int kNames = 0;
template <>
inline constexpr NameTable<6, FinishReason> kNames<FinishReason>{
    {{FinishReason::Stop, "stop"},
     {FinishReason::StopString, "stop_string"},
     {FinishReason::Length, "length"},
     {FinishReason::ContextFull, "context_full"},
     {FinishReason::Cancelled, "cancelled"},
     {FinishReason::Error, "error"}}};
template <>
inline constexpr NameTable<5, EngineState> kNames<EngineState>{{{EngineState::NoModel, "no_model"},
                                                                {EngineState::Loading, "loading"},
                                                                {EngineState::Idle, "idle"},
                                                                {EngineState::Prefill, "prefill"},
                                                                {EngineState::Decode, "decode"}}};
template <>
inline constexpr NameTable<4, CompactionCause> kNames<CompactionCause>{
    {{CompactionCause::Budget, "budget"},
     {CompactionCause::Manual, "manual"},
     {CompactionCause::ConfigChange, "config_change"},
     {CompactionCause::MemoryLimit, "memory_limit"}}};
template <>
inline constexpr NameTable<5, CompactionResult> kNames<CompactionResult>{
    {{CompactionResult::Done, "done"},
     {CompactionResult::Skipped, "skipped"},
     {CompactionResult::Failed, "failed"},
     {CompactionResult::Started, "started"},
     {CompactionResult::Aborted, "aborted"}}};
template <>
inline constexpr NameTable<3, CompactionMethod> kNames<CompactionMethod>{
    {{CompactionMethod::None, "none"},
     {CompactionMethod::Eviction, "l2"},
     {CompactionMethod::AttentionMatching, "am"}}};
template <>
inline constexpr NameTable<2, Precision> kNames<Precision>{
    {{Precision::Fast, "fast"}, {Precision::Exact, "exact"}}};
template <>
inline constexpr NameTable<3, AnswerForm> kNames<AnswerForm>{
    {{AnswerForm::Free, "free"},
     {AnswerForm::Grammar, "grammar"},
     {AnswerForm::JsonSchema, "json_schema"}}};

template <class Enum>
[[nodiscard]] std::string_view reportName(Enum value) {
    for (const auto& [one, name] : kNames<Enum>)
        if (one == value) return name;
    LACUNA_REQUIRE(false, "every enumerator has a name");
    return {};
}

/// The enumerator of a name; nothing when there is none.
template <class Enum>
[[nodiscard]] std::optional<Enum> reportValue(std::string_view wanted) {
    for (const auto& [value, name] : kNames<Enum>)
        if (name == wanted) return value;
    return std::nullopt;
}

}  // namespace lacuna
