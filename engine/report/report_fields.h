#pragma once
/// \file
/// The fields of a report, one table for each kind of record in it, and the versions that they came
/// with. A new field is a line here. Internal to this room. Pure data.

#include <span>
#include <string_view>

#include "engine/report/field_table.h"
#include "engine/report/recorder.h"
#include "engine/values/value_keys.h"

namespace lacuna {

inline constexpr std::string_view kReportSchema = "lacuna-report";
/// Version 7: what of the live bytes scales of codes and rows in 16 bits take; the settings that
/// came since version 6.
inline constexpr int kBytesReportVersion = 7;
inline constexpr int kReportVersion = kBytesReportVersion;
/// Version 6: the setting `precision`; auto stands for the `precision` of the model. Before, that
/// was what the session ran with.
inline constexpr int kPrecisionReportVersion = 6;
/// Version 5: a turn names the earlier one whose messages it begins with, and lists only the rest.
inline constexpr int kContinuesReportVersion = 5;
/// Version 4: conversations may have cache settings of their own, so each generation says whose it
/// is. Each turn lists all its messages, as in the versions before.
inline constexpr int kOwnSettingsReportVersion = 4;
/// Version 3: samples of quality. Settings that came later were not there and have their defaults,
/// as in the versions before.
inline constexpr int kQualityReportVersion = 3;
/// Version 2: turns may overlap, so each says where it began and each cancel whose answer it
/// stopped; each says what was asked of its answer, and how many tokens were drafted for it.
inline constexpr int kOverlapReportVersion = 2;
/// One turn after another; settings as in version 2.
inline constexpr int kSequentialReportVersion = 1;

template <>
inline constexpr KeyTable<3, AnswerForm> kKeys<AnswerForm>{
    {{AnswerForm::Free, "free"},
     {AnswerForm::Grammar, "grammar"},
     {AnswerForm::JsonSchema, "json_schema"}}};

template <>
std::span<const Field<SafePoint>> fieldsOf<SafePoint>();
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
/// Member "continues" names another turn: whoever knows all turns writes and reads it.
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
std::span<const Field<SpanBroughtBack>> fieldsOf<SpanBroughtBack>();
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
/// Rows of numbers under one list of columns in JSON as well, because there are many.
template <>
std::span<const Field<StepSample>> fieldsOf<StepSample>();

// Values that are neither plain nor described by a table.

[[nodiscard]] OrderedJson written(const EngineConfig& config);
/// Strangers are refused in every version; a setting may be missing where reports are older.
void read(EngineConfig& config, const PlacedValue& from);
[[nodiscard]] OrderedJson written(ErrorCode code);
void read(ErrorCode& code, const PlacedValue& from);
/// [time in nanoseconds, bytes]
[[nodiscard]] OrderedJson written(const AnswerMark& mark);
void read(std::vector<AnswerMark>& marks, const PlacedValue& from);
/// [token, value]
[[nodiscard]] OrderedJson written(const LogitBias& bias);
void read(std::vector<LogitBias>& biases, const PlacedValue& from);

}  // namespace lacuna
