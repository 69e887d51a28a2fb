#pragma once
/// \file
/// Field tables of all record types in a report, and the report versions that introduced fields. To
/// add a field, add a line to a table. Internal to this module. Pure data.

#include <span>
#include <string_view>

#include "engine/report/field_table.h"
#include "engine/report/recorder.h"
#include "engine/values/value_keys.h"

namespace lacuna {

inline constexpr std::string_view kReportSchema = "lacuna-report";
/// Version 7: the share of the live bytes taken by code scales and by 16-bit rows; settings added
/// since version 6.
inline constexpr int kBytesReportVersion = 7;
inline constexpr int kReportVersion = kBytesReportVersion;
/// Version 6: the setting `precision`, with the model's `precision` as the resolved value of auto.
/// Earlier reports only have the precision that the session used.
inline constexpr int kPrecisionReportVersion = 6;
/// Version 5: a turn refers to the earlier one whose messages it begins with, and lists only the
/// others.
inline constexpr int kContinuesReportVersion = 5;
/// Version 4: conversations may have cache settings of their own, so each generation names its
/// conversation. Up to here, each turn lists all its messages.
inline constexpr int kOwnSettingsReportVersion = 4;
/// Version 3: samples of quality. Settings added later are absent and have their defaults.
inline constexpr int kQualityReportVersion = 3;
/// Version 2: turns may overlap, so each records its start and each cancel the turn it stopped.
/// Turns also record the options of their answers and the number of drafted tokens.
inline constexpr int kOverlapReportVersion = 2;
/// Version 1: turns do not overlap; settings as in version 2.
inline constexpr int kSequentialReportVersion = 1;

template <>
inline constexpr KeyTable<3, AnswerForm> kKeys<AnswerForm>{
    {{AnswerForm::Free, "free"},
     {AnswerForm::Grammar, "grammar"},
     {AnswerForm::JsonSchema, "json_schema"}}};

template <>
std::span<const Field<SafePoint>> fieldsOf<SafePoint>();
template <>
std::span<const Field<KvExtent>> fieldsOf<KvExtent>();
template <>
std::span<const Field<ModelFacts>> fieldsOf<ModelFacts>();
template <>
std::span<const Field<MachineFacts>> fieldsOf<MachineFacts>();
template <>
std::span<const Field<Error>> fieldsOf<Error>();
template <>
std::span<const Field<ChatMessage>> fieldsOf<ChatMessage>();
template <>
std::span<const Field<AnswerRules>> fieldsOf<AnswerRules>();
template <>
std::span<const Field<TurnFinished>> fieldsOf<TurnFinished>();
/// The member "continues" refers to another turn, so it is written and read together with the list
/// of turns.
template <>
std::span<const Field<RecordedTurn>> fieldsOf<RecordedTurn>();
template <>
std::span<const Field<RecordedRetention>> fieldsOf<RecordedRetention>();
template <>
std::span<const Field<ConfigApplied>> fieldsOf<ConfigApplied>();
template <>
std::span<const Field<RuleViolation>> fieldsOf<RuleViolation>();
template <>
std::span<const Field<ConfigRejected>> fieldsOf<ConfigRejected>();
template <>
std::span<const Field<CompactionNote>> fieldsOf<CompactionNote>();
template <>
std::span<const Field<CompactionHappened>> fieldsOf<CompactionHappened>();
template <>
std::span<const Field<TextPin>> fieldsOf<TextPin>();
template <>
std::span<const Field<TokenSpan>> fieldsOf<TokenSpan>();
template <>
std::span<const Field<SpanRestored>> fieldsOf<SpanRestored>();
template <>
std::span<const Field<PrefixLoad>> fieldsOf<PrefixLoad>();
template <>
std::span<const Field<PrefixStats>> fieldsOf<PrefixStats>();
template <>
std::span<const Field<PrefixDiskStats>> fieldsOf<PrefixDiskStats>();
template <>
std::span<const Field<PrefixCacheChanged>> fieldsOf<PrefixCacheChanged>();
template <>
std::span<const Field<KeptBytes>> fieldsOf<KeptBytes>();
template <>
std::span<const Field<QualitySampled>> fieldsOf<QualitySampled>();
/// JSON also stores these as rows of numbers under one list of columns, because there are many.
template <>
std::span<const Field<StepSample>> fieldsOf<StepSample>();

// Values that are neither plain nor described by a table.

[[nodiscard]] OrderedJson written(const EngineConfig& config);
/// Unknown settings are errors in every version; settings may be missing in older reports.
void read(EngineConfig& config, const LocatedValue& from);
[[nodiscard]] OrderedJson written(ErrorCode code);
void read(ErrorCode& code, const LocatedValue& from);
/// [time in nanoseconds, bytes]
[[nodiscard]] OrderedJson written(const AnswerMark& mark);
void read(std::vector<AnswerMark>& marks, const LocatedValue& from);
/// [token, value]
[[nodiscard]] OrderedJson written(const LogitBias& bias);
void read(std::vector<LogitBias>& biases, const LocatedValue& from);

}  // namespace lacuna
