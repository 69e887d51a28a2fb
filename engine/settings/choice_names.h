#pragma once
/// \file
/// Names of all choices as written and read by settings, reports and the command line: one table
/// for each enumeration, in the order of its enumerators. Plain data.

#include <array>
#include <cstddef>
#include <string_view>

#include "engine/generate/generation_options.h"
#include "engine/kv/kv_options.h"
#include "engine/values/bring_back_values.h"
#include "engine/values/compaction_values.h"
#include "engine/values/precision.h"

namespace lacuna {

template <class Enum>
inline constexpr auto kChoiceNames = nullptr;

template <std::size_t N>
using ChoiceTable = std::array<std::string_view, N>;

template <>
inline constexpr ChoiceTable<2> kChoiceNames<bool>{"off", "on"};
template <>
inline constexpr auto kChoiceNames<CompactionMethod> = kKeysAlone<CompactionMethod>;
template <>
inline constexpr auto kChoiceNames<EvictionPolicy> = kEvictionPolicyNames;
template <>
inline constexpr ChoiceTable<3> kChoiceNames<LayerCoherence>{"per_head", "per_layer",
                                                             "cross_layer"};
template <>
inline constexpr ChoiceTable<4> kChoiceNames<EvictionBudgets>{"auto", "equal", "adaptive",
                                                              "whole_model"};
template <>
inline constexpr ChoiceTable<3> kChoiceNames<ScoreSource>{"auto", "repetition", "surrogate"};
template <>
inline constexpr ChoiceTable<7> kChoiceNames<HeadBudgets>{
    "auto", "uniform", "entropy", "coverage", "task_free", "questions", "reconstruction"};
template <>
inline constexpr ChoiceTable<4> kChoiceNames<QuerySource>{"captured", "context", "repeat",
                                                          "random"};
template <>
inline constexpr ChoiceTable<2> kChoiceNames<CompactWhen>{"at_budget", "turn_late"};
template <>
inline constexpr ChoiceTable<2> kChoiceNames<PrefillPolicy>{"after_prefill", "per_chunk"};
template <>
inline constexpr ChoiceTable<2> kChoiceNames<LayerCaches>{"auto", "uniform"};
template <>
inline constexpr auto kChoiceNames<StateType> = kStateTypeNames;
template <>
inline constexpr ChoiceTable<3> kChoiceNames<KvRotation>{"auto", "hadamard", "calibrated"};
template <>
inline constexpr auto kChoiceNames<PrecisionChoice> = kKeysAlone<PrecisionChoice>;
template <>
inline constexpr auto kChoiceNames<BringBackMode> = kKeysAlone<BringBackMode>;
template <>
inline constexpr ChoiceTable<2> kChoiceNames<StepPasses>{"shared", "apart"};
template <>
inline constexpr ChoiceTable<2> kChoiceNames<DraftSource>{"lookup", "mtp"};

/// @pre value is an enumerator
template <class Enum>
[[nodiscard]] constexpr std::string_view choiceName(Enum value) {
    return kChoiceNames<Enum>[static_cast<std::size_t>(value)];
}

}  // namespace lacuna
