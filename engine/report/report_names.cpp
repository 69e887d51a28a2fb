#include "engine/report/report_names.h"

#include <array>
#include <utility>

#include "engine/base/check.h"

namespace lacuna {
namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<FinishReason, 6> kReasons{{{FinishReason::Stop, "stop"},
                                           {FinishReason::StopString, "stop_string"},
                                           {FinishReason::Length, "length"},
                                           {FinishReason::ContextFull, "context_full"},
                                           {FinishReason::Cancelled, "cancelled"},
                                           {FinishReason::Error, "error"}}};
constexpr Names<EngineState, 5> kStates{{{EngineState::NoModel, "no_model"},
                                         {EngineState::Loading, "loading"},
                                         {EngineState::Idle, "idle"},
                                         {EngineState::Prefill, "prefill"},
                                         {EngineState::Decode, "decode"}}};
constexpr Names<CompactionCause, 4> kCauses{{{CompactionCause::Budget, "budget"},
                                             {CompactionCause::Manual, "manual"},
                                             {CompactionCause::ConfigChange, "config_change"},
                                             {CompactionCause::MemoryLimit, "memory_limit"}}};
constexpr Names<CompactionResult, 5> kResults{{{CompactionResult::Done, "done"},
                                               {CompactionResult::Skipped, "skipped"},
                                               {CompactionResult::Failed, "failed"},
                                               {CompactionResult::Started, "started"},
                                               {CompactionResult::Aborted, "aborted"}}};
constexpr Names<CompactionMethod, 3> kMethods{{{CompactionMethod::None, "none"},
                                               {CompactionMethod::L2, "l2"},
                                               {CompactionMethod::AttentionMatching, "am"}}};

constexpr Names<Precision, 2> kPrecisions{{{Precision::Fast, "fast"}, {Precision::Exact, "exact"}}};

template <class Enum, std::size_t N>
std::string_view nameIn(const Names<Enum, N>& names, Enum value) {
    for (const auto& [one, name] : names)
        if (one == value) return name;
    LACUNA_REQUIRE(false, "every enumerator has a name");
    return {};
}

template <class Enum, std::size_t N>
std::optional<Enum> valueIn(const Names<Enum, N>& names, std::string_view wanted) {
    for (const auto& [one, name] : names)
        if (name == wanted) return one;
    return std::nullopt;
}

}  // namespace

std::string_view reportName(FinishReason reason) {
    return nameIn(kReasons, reason);
}
std::string_view reportName(EngineState state) {
    return nameIn(kStates, state);
}
std::string_view reportName(CompactionCause cause) {
    return nameIn(kCauses, cause);
}
std::string_view reportName(CompactionResult result) {
    return nameIn(kResults, result);
}
std::string_view reportName(CompactionMethod method) {
    return nameIn(kMethods, method);
}
std::string_view reportName(Precision precision) {
    return nameIn(kPrecisions, precision);
}

std::optional<FinishReason> finishReasonNamed(std::string_view name) {
    return valueIn(kReasons, name);
}
std::optional<EngineState> engineStateNamed(std::string_view name) {
    return valueIn(kStates, name);
}
std::optional<CompactionCause> compactionCauseNamed(std::string_view name) {
    return valueIn(kCauses, name);
}
std::optional<CompactionResult> compactionResultNamed(std::string_view name) {
    return valueIn(kResults, name);
}
std::optional<CompactionMethod> compactionMethodNamed(std::string_view name) {
    return valueIn(kMethods, name);
}
std::optional<Precision> precisionNamed(std::string_view name) {
    return valueIn(kPrecisions, name);
}

}  // namespace lacuna
