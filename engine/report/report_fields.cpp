#include "engine/report/report_fields.h"

#include "engine/base/string_format.h"
#include "engine/report/report_figures.h"
#include "engine/settings/config_json.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {

OrderedJson written(const EngineConfig& config) {
    return configToJson(config);
}

namespace {

struct LaterSetting {
    int since;  ///< first report version that has it
    std::string_view key;
};
/// Settings that are missing in reports of earlier versions; they have their defaults then.
constexpr LaterSetting kLaterSettings[] = {{kPrecisionReportVersion, "precision"},
                                           {kBytesReportVersion, "score_source"},
                                           {kBytesReportVersion, "demote_structure"},
                                           {kBytesReportVersion, "exact_window"},
                                           {kBytesReportVersion, "kv_rotation"},
                                           {kBytesReportVersion, "extra_bits"},
                                           {kBytesReportVersion, "prefix_cache"},
                                           {kBytesReportVersion, "prefix_disk"},
                                           {kBytesReportVersion, "bring_back"},
                                           // Added without a new version: they may be missing in
                                           // every report.
                                           {kReportVersion + 1, "loss_limit"},
                                           {kReportVersion + 1, "compaction_floor"},
                                           {kReportVersion + 1, "state_memory"},
                                           {kReportVersion + 1, "state_type"},
                                           {kReportVersion + 1, "draft_source"}};

}  // namespace

/// Unknown settings are errors in every version; settings may be missing in older reports.
void read(EngineConfig& config, const LocatedValue& from) {
    auto reading = configFromJson(from.json, from.path());
    if (!reading) return from.reading.note(reading.error());
    const int version = from.reading.version();
    for (const LaterSetting& later : kLaterSettings)
        if (version < later.since)
            std::erase(reading->missing, format("{}.{}", from.path(), later.key));
    if (!reading->unknownFields.empty())
        from.reading.note(ErrorCode::Config,
                          format("{} is not a setting", reading->unknownFields.front()));
    if (version < kOverlapReportVersion) {
        // Later settings must not change sessions that predate them.
        reading->config.parallel = 1;
        if (!from.json.contains("background")) reading->config.kv.background = false;
    } else if (version >= kOwnSettingsReportVersion && !reading->missing.empty()) {
        from.reading.note(ErrorCode::Config, format("{} is missing", reading->missing.front()));
    }
    if (!from.json.contains("prefix_cache")) reading->config.prefixCacheMiB = 0;
    if (!from.json.contains("loss_limit"))
        reading->config.kv.lossLimit.level = LossLimit::Level::Off;
    if (!from.json.contains("compaction_floor")) reading->config.kv.compactionFloor = 0;
    if (!from.json.contains("state_type")) reading->config.kv.stateType = StateType::Float32;
    if (!from.json.contains("bring_back")) reading->config.bringBack = BringBackMode::Off;
    config = reading->config;
}

OrderedJson written(ErrorCode code) {
    return std::string(errorName(code));
}

void read(ErrorCode& code, const LocatedValue& from) {
    const std::string name = from.text();
#define LACUNA_X(enumerator, text, cls) \
    if (name == text) return static_cast<void>(code = ErrorCode::enumerator);
    LACUNA_ERROR_CODES(LACUNA_X)
#undef LACUNA_X
    from.wrong("'" + name + "', which is unknown");
}

OrderedJson written(const AnswerMark& mark) {
    return OrderedJson::array({mark.timeNs, mark.bytes});
}

/// Requires ascending marks, so that they can be searched.
void read(std::vector<AnswerMark>& marks, const LocatedValue& from) {
    for (const Json& pair : from.list()) {
        const bool two = pair.is_array() && pair.size() == 2 && pair[0].is_number_integer() &&
                         pair[1].is_number_integer();
        const AnswerMark mark =
            two ? AnswerMark{pair[0].get<std::int64_t>(), pair[1].get<std::int64_t>()}
                : AnswerMark{};
        const bool rises =
            marks.empty() ? mark.bytes >= 0
                          : mark.timeNs >= marks.back().timeNs && mark.bytes >= marks.back().bytes;
        if (!two || !rises) {
            from.reading.note(
                ErrorCode::Config,
                format("{} holds {}; expected increasing [time, bytes]", from.path(), pair.dump()));
            return;
        }
        marks.push_back(mark);
    }
}

OrderedJson written(const LogitBias& bias) {
    return OrderedJson::array({bias.token, bias.value});
}

void read(std::vector<LogitBias>& biases, const LocatedValue& from) {
    for (const Json& pair : from.list()) {
        const bool two = pair.is_array() && pair.size() == 2 && pair[1].is_number();
        const auto token = two ? tokenOf(pair[0]) : std::nullopt;
        if (!token) {
            from.reading.note(ErrorCode::Config, format("{} holds {}; expected [token, value]",
                                                        from.path(), pair.dump()));
            return;
        }
        biases.push_back({*token, pair[1].get<double>()});
    }
}

namespace {

constexpr Field<ModelFacts> ofDraft(Field<ModelFacts> field) {
    field.presence.with = "draft_path";
    field.stands = [](const ModelFacts& model) { return !model.draftPath.empty(); };
    return field;
}

constexpr Field<ModelFacts> ofRotations(Field<ModelFacts> field) {
    field.presence.with = "rotations";
    field.stands = [](const ModelFacts& model) { return !model.rotationsHash.empty(); };
    return field;
}

constexpr Field<RecordedRetention> ofUnequalLayers(Field<RecordedRetention> field) {
    field.presence.with = "layer_heads";
    field.stands = [](const RecordedRetention& held) { return !held.layerHeads.empty(); };
    return field;
}

/// One extent for each layer, because caches are sized by them.
void readExtents(ModelFacts& model, const LocatedValue& from) {
    read(model.extents, from);
    if (model.extents.size() == static_cast<std::size_t>(model.layers)) return;
    from.wrong(format("{} extents; expected one for each of the {} layers", model.extents.size(),
                      model.layers));
    model.extents.clear();
}

void readCacheLayers(ModelFacts& model, const LocatedValue& from) {
    read(model.cacheLayers, from);
    const auto known = [&](int layer) { return layer < model.layers; };
    if (model.cacheLayers.size() == static_cast<std::size_t>(model.layers) &&
        std::ranges::all_of(model.cacheLayers, known))
        return;
    from.wrong(format("a list that does not name a layer for each of the {} layers", model.layers));
    model.cacheLayers.clear();
}

constexpr Field<RecordedTurn> ofPins(Field<RecordedTurn> field) {
    field.stands = [](const RecordedTurn& turn) { return !turn.started.pins.empty(); };
    return field;
}

constexpr Field<RecordedTurn> ofPrecision(Field<RecordedTurn> field) {
    field.stands = [](const RecordedTurn& turn) { return turn.started.precision.has_value(); };
    return field;
}

constexpr Field<ModelFacts> ofLayerDamage(Field<ModelFacts> field) {
    field.presence.with = "layer_damage";
    field.stands = [](const ModelFacts& model) { return !model.layerLossHash.empty(); };
    return field;
}

/// Reports that predate background work have no stall time: the total was the stall.
void readTotal(CompactionHappened& happened, const LocatedValue& from) {
    happened.report.totalMs = happened.report.stallMs = from.amount();
}

/// Members that a turn and its end have in common are stored with the turn.
void readFinished(RecordedTurn& turn, const LocatedValue& from) {
    read(turn.finished, from);
    if (!turn.finished) return;
    turn.finished->conversation = turn.started.conversation;
    turn.finished->turn = turn.started.turn;
    turn.finished->stats.promptTokens = turn.started.promptTokens;
    turn.finished->stats.reusedTokens = turn.started.reusedTokens;
}

/// Only ends are recorded.
void readEnd(SpanRestored& back, const LocatedValue& from) {
    read(back.error, from);
    back.ended = true;
}

/// May be negative: reading from disk can take longer than computing.
void readSaved(PrefixDiskStats& stats, const LocatedValue& from) {
    if (from.json.is_number())
        stats.savedSeconds = from.json.get<double>();
    else
        from.wrong(format("{}; expected a number", from.json.dump()));
}

/// Counts indexed by `Enum`, written as an object with a member per enumerator.
template <class Enum, auto counts>
constexpr Field<RecordOf<counts>> countsBy(std::string_view name) {
    using R = RecordOf<counts>;
    return {.name = name,
            .get =
                [](const R& record) {
                    OrderedJson object = OrderedJson::object();
                    for (const auto& [one, key] : kKeys<Enum>)
                        object[std::string(key)] = (record.*counts)[static_cast<std::size_t>(one)];
                    return object;
                },
            .set =
                [](R& record, const LocatedValue& from) {
                    ObjectReader reader(from);
                    for (const auto& [one, key] : kKeys<Enum>)
                        (record.*counts)[static_cast<std::size_t>(one)] =
                            reader.member(key).count();
                }};
}

template <class Record>
constexpr Field<Record> derived(std::string_view name, OrderedJson (*get)(const Record&)) {
    return {.name = name, .get = get};
}

}  // namespace

// ---------------------------------------------------------------- the tables

template <>
std::span<const Field<SafePoint>> fieldsOf<SafePoint>() {
    static constexpr Field<SafePoint> kFields[] = {field<&SafePoint::turn>("turn"),
                                                   field<&SafePoint::index>("index")};
    return kFields;
}

template <>
std::span<const Field<KvExtent>> fieldsOf<KvExtent>() {
    static constexpr Field<KvExtent> kFields[] = {
        field<&KvExtent::heads>("heads"),
        field<&KvExtent::keyDim>("key_dim"),
        field<&KvExtent::valueDim>("value_dim"),
        field<&KvExtent::valuesInKeys>("values_in_keys", {.with = "values_in_keys"}),
    };
    return kFields;
}

template <>
std::span<const Field<ModelFacts>> fieldsOf<ModelFacts>() {
    static constexpr Field<ModelFacts> kFields[] = {
        field<&ModelFacts::path>("path"),
        field<&ModelFacts::name>("name"),
        field<&ModelFacts::architecture>("architecture"),
        field<&ModelFacts::fileType>("file_type"),
        field<&ModelFacts::licence>("licence"),
        field<&ModelFacts::fingerprint>("fingerprint"),
        field<&ModelFacts::templateNote>("template_note"),
        field<&ModelFacts::parameters>("parameters"),
        field<&ModelFacts::weightBytes>("weight_bytes"),
        field<&ModelFacts::layers>("layers"),
        field<&ModelFacts::heads>("heads"),
        field<&ModelFacts::kvHeads>("kv_heads"),
        field<&ModelFacts::headDim>("head_dim"),
        {.name = "kv_extents",
         .get = [](const ModelFacts& model) { return written(model.extents); },
         .set = readExtents,
         .presence = {.with = "kv_extents"},
         .column = Column::None,
         .stands = [](const ModelFacts& model) { return !model.extents.empty(); }},
        {.name = "cache_layers",
         .get = [](const ModelFacts& model) { return written(model.cacheLayers); },
         .set = readCacheLayers,
         .presence = {.with = "kv_extents"},
         .column = Column::None,
         .stands = [](const ModelFacts& model) { return !model.extents.empty(); }},
        field<&ModelFacts::vocabulary>("vocabulary"),
        field<&ModelFacts::context>("context"),
        field<&ModelFacts::precision>("precision"),
        field<&ModelFacts::precisionKl>("precision_kl", {.with = "precision_note"}),
        field<&ModelFacts::precisionNote>("precision_note", {.with = "precision_note"}),
        ofRotations(field<&ModelFacts::rotationsHash>("rotations")),
        ofLayerDamage(field<&ModelFacts::layerLossHash>("layer_damage")),
        ofDraft(field<&ModelFacts::draftPath>("draft_path")),
        ofDraft(field<&ModelFacts::draftFingerprint>("draft_fingerprint")),
    };
    return kFields;
}

template <>
std::span<const Field<MachineFacts>> fieldsOf<MachineFacts>() {
    static constexpr Field<MachineFacts> kFields[] = {
        field<&MachineFacts::cpu>("cpu"),
        field<&MachineFacts::isa>("isa"),
        field<&MachineFacts::cores>("cores"),
        field<&MachineFacts::memoryBytes>("memory_bytes"),
        field<&MachineFacts::availableBytes>("available_bytes"),
        field<&MachineFacts::system>("system"),
    };
    return kFields;
}

template <>
std::span<const Field<Error>> fieldsOf<Error>() {
    static constexpr Field<Error> kFields[] = {field<&Error::code>("code"),
                                               field<&Error::what>("what")};
    return kFields;
}

template <>
std::span<const Field<ChatMessage>> fieldsOf<ChatMessage>() {
    static constexpr Field<ChatMessage> kFields[] = {field<&ChatMessage::role>("role"),
                                                     field<&ChatMessage::content>("content")};
    return kFields;
}

template <>
std::span<const Field<AnswerRules>> fieldsOf<AnswerRules>() {
    static constexpr Field<AnswerRules> kFields[] = {
        field<&AnswerRules::bias>("logit_bias"),
        field<&AnswerRules::logprobs>("logprobs"),
        field<&AnswerRules::logprobsOfDraw>("logprobs_of_draw", {.with = "logprobs_of_draw"}),
        field<&AnswerRules::kind>("form"),
        field<&AnswerRules::form>("form_text"),
    };
    return kFields;
}

template <>
std::span<const Field<TurnFinished>> fieldsOf<TurnFinished>() {
    using Finished = TurnFinished;
    static constexpr Field<TurnFinished> kFields[] = {
        field<&Finished::at>("at"),
        field<&Finished::reason>("reason"),
        field<&Finished::error>("error"),
        field<&Finished::tokens>("tokens"),
        field<&Finished::text>("text"),
        field<&Finished::stats, &TurnStats::generatedTokens>("generated_tokens"),
        field<&Finished::stats, &TurnStats::compactions>("compactions"),
        field<&Finished::stats, &TurnStats::decodeSteps>("decode_steps", {.since = 2}),
        field<&Finished::stats, &TurnStats::shiftedTokens>("shifted_tokens",
                                                           {.with = "shifted_tokens"}),
        field<&Finished::stats, &TurnStats::restoredTokens>("restored_tokens",
                                                            {.with = "restored_tokens"}),
        field<&Finished::stats, &TurnStats::draftedTokens>("drafted_tokens", {.since = 2}),
        field<&Finished::stats, &TurnStats::acceptedTokens>("accepted_tokens", {.since = 2}),
        field<&Finished::stats, &TurnStats::prefillSeconds>("prefill_seconds"),
        field<&Finished::stats, &TurnStats::decodeSeconds>("decode_seconds"),
        field<&Finished::stats, &TurnStats::timeToFirstTokenSeconds>("time_to_first_token_seconds",
                                                                     {}, Column::None),
        derived<Finished>("time_to_first_token_seconds",
                          [](const Finished& f) { return written(firstTokenSeconds(f)); }),
        derived<Finished>("prefill_tokens_per_second",
                          [](const Finished& f) { return written(prefillSpeed(f)); }),
        derived<Finished>("decode_tokens_per_second",
                          [](const Finished& f) { return written(decodeSpeed(f)); }),
    };
    return kFields;
}

template <>
std::span<const Field<RecordedTurn>> fieldsOf<RecordedTurn>() {
    using Turn = RecordedTurn;
    static constexpr Field<RecordedTurn> kFields[] = {
        field<&Turn::started, &TurnStarted::turn>("turn"),
        field<&Turn::started, &TurnStarted::at>("began", {.since = 2}),
        field<&Turn::started, &TurnStarted::conversation>("conversation"),
        field<&Turn::fingerprint>("model"),
        field<&Turn::started, &TurnStarted::revision>("revision"),
        field<&Turn::started, &TurnStarted::seed>("seed"),
        field<&Turn::started, &TurnStarted::config>("config"),
        {.name = "continues",
         .get = [](const Turn&) { return OrderedJson(nullptr); },
         .set = [](Turn&, const LocatedValue&) {},
         .presence = {.since = 5}},
        field<&Turn::started, &TurnStarted::messages>("messages"),
        field<&Turn::started, &TurnStarted::stopStrings>("stop_strings"),
        field<&Turn::started, &TurnStarted::rules>("rules", {.since = 2}),
        field<&Turn::started, &TurnStarted::promptTokens>("prompt_tokens"),
        field<&Turn::started, &TurnStarted::reusedTokens>("reused_tokens"),
        field<&Turn::started, &TurnStarted::reuseNote>("reuse_note"),
        field<&Turn::started, &TurnStarted::match>("prefix_match", {.with = "prefix_match"}),
        field<&Turn::started, &TurnStarted::prefix, &PrefixUse::shared>(
            "prefix_shared", {.with = "prefix_match"}, Column::None),
        field<&Turn::started, &TurnStarted::prefix, &PrefixUse::salt>(
            "prefix_salt", {.with = "prefix_match"}, Column::None),
        ofPrecision(field<&Turn::started, &TurnStarted::precision>(
            "precision", {.with = "precision"}, Column::Last)),
        ofPins(field<&Turn::started, &TurnStarted::pins>("pins", {.with = "pins"}, Column::None)),
        {.name = "finished",
         .get = [](const Turn& turn) { return written(turn.finished); },
         .set = readFinished},
        field<&Turn::marks>("marks", {.with = "marks"}, Column::None),
    };
    return kFields;
}

template <>
std::span<const Field<RecordedRetention>> fieldsOf<RecordedRetention>() {
    using Held = RecordedRetention;
    static constexpr Field<RecordedRetention> kFields[] = {
        field<&Held::timeNs>("time_ns"),
        field<&Held::conversation>("conversation"),
        field<&Held::layers>("layers"),
        field<&Held::kvHeads>("kv_heads"),
        ofUnequalLayers(field<&Held::layerHeads>("layer_heads")),
        field<&Held::sinks>("sinks"),
        field<&Held::recent>("recent"),
        field<&Held::tokens>("tokens"),
        field<&Held::liveBytes>("live_bytes"),
        field<&Held::slots>("slots"),
        field<&Held::holderRuns>("holder_runs"),
        field<&Held::weightRuns>("weight_runs"),
        {.name = "continues",
         .get = [](const Held& held) { return OrderedJson(held.continues); },
         .set = [](Held& held, const LocatedValue& from) { held.continues = from.bits(); }},
        field<&Held::kept>("kept"),
        field<&Held::text>("text"),
        field<&Held::lengths>("lengths"),
    };
    return kFields;
}

template <>
std::span<const Field<TextPin>> fieldsOf<TextPin>() {
    static constexpr Field<TextPin> kFields[] = {
        field<&TextPin::message>("message"),
        field<&TextPin::first>("first"),
        field<&TextPin::last>("last"),
    };
    return kFields;
}

template <>
std::span<const Field<TokenSpan>> fieldsOf<TokenSpan>() {
    static constexpr Field<TokenSpan> kFields[] = {
        field<&TokenSpan::first>("first"),
        field<&TokenSpan::last>("last"),
    };
    return kFields;
}

/// A change is written as its keys; the values follow from the configurations (report_json.cpp).
/// Unknown settings are skipped.
template <bool kDeferred>
constexpr Field<ConfigApplied> changedKeysField(std::string_view name) {
    return {.name = name,
            .get =
                [](const ConfigApplied& applied) {
                    return written(changedKeys(applied.changes, kDeferred));
                },
            .set =
                [](ConfigApplied& applied, const LocatedValue& from) {
                    for (const std::string& key : from.texts())
                        if (const SettingSpec* spec = findSetting(key))
                            applied.changes.push_back({spec, {}, {}, kDeferred});
                }};
}

template <>
std::span<const Field<ConfigApplied>> fieldsOf<ConfigApplied>() {
    static constexpr Field<ConfigApplied> kFields[] = {
        field<&ConfigApplied::revision>("revision"),
        field<&ConfigApplied::timeNs>("time_ns"),
        field<&ConfigApplied::at>("at"),
        field<&ConfigApplied::conversation>("conversation", {.since = 4}),
        field<&ConfigApplied::own>("own", {.since = 4}),
        changedKeysField<false>("live"),
        changedKeysField<true>("deferred"),
        field<&ConfigApplied::config>("config"),
    };
    return kFields;
}

template <>
std::span<const Field<RuleViolation>> fieldsOf<RuleViolation>() {
    static constexpr Field<RuleViolation> kFields[] = {
        field<&RuleViolation::rule>("rule"),       field<&RuleViolation::field>("field"),
        field<&RuleViolation::found>("found"),     field<&RuleViolation::allowed>("allowed"),
        field<&RuleViolation::nearest>("nearest"), field<&RuleViolation::sentence>("sentence"),
    };
    return kFields;
}

template <>
std::span<const Field<ConfigRejected>> fieldsOf<ConfigRejected>() {
    static constexpr Field<ConfigRejected> kFields[] = {
        field<&ConfigRejected::revision>("revision"),
        field<&ConfigRejected::timeNs>("time_ns"),
        field<&ConfigRejected::violations>("violations"),
    };
    return kFields;
}

namespace {

OrderedJson valuesOf(const CompactionNote& note) {
    OrderedJson list = OrderedJson::array();
    for (const NoteValue& value : note.values)
        std::visit([&list](const auto& one) { list.push_back(one); }, value);
    return list;
}

void readValues(CompactionNote& note, const LocatedValue& from) {
    for (const Json& value : from.list()) {
        if (value.is_number_integer())
            note.values.emplace_back(value.get<std::int64_t>());
        else if (value.is_number())
            note.values.emplace_back(value.get<double>());
        else if (value.is_string())
            note.values.emplace_back(value.get<std::string>());
        else
            return from.reading.note(
                ErrorCode::Config,
                format("{} holds {}; expected numbers and texts", from.path(), value.dump()));
    }
}

/// Reports that predate typed reasons only have the sentence.
void readSentence(CompactionHappened& happened, const LocatedValue& from) {
    std::string sentence = from.text();
    if (sentence.empty()) return;
    happened.report.notes = {noteOf(CompactionReason::Recorded, std::move(sentence))};
}

void readNotes(CompactionHappened& happened, const LocatedValue& from) {
    happened.report.notes.clear();
    read(happened.report.notes, from);
}

/// Null if nothing was measured.
template <auto Member>
constexpr Field<CompactionHappened> ofKept(std::string_view name, Column column = Column::InPlace) {
    return {.name = name,
            .get = [](const CompactionHappened& happened) -> OrderedJson {
                const auto& kept = happened.report.kept;
                return kept ? written((*kept).*Member) : OrderedJson(nullptr);
            },
            .set =
                [](CompactionHappened& happened, const LocatedValue& from) {
                    if (from.json.is_null()) return;
                    if (!happened.report.kept) happened.report.kept.emplace();
                    read((*happened.report.kept).*Member, from);
                },
            .presence = {.with = "limited"},
            .column = column};
}

}  // namespace

template <>
std::span<const Field<CompactionNote>> fieldsOf<CompactionNote>() {
    static constexpr Field<CompactionNote> kFields[] = {
        field<&CompactionNote::reason>("reason"),
        {.name = "values", .get = valuesOf, .set = readValues},
        {.name = "error",
         .get = [](const CompactionNote& note) { return written(note.error); },
         .set = [](CompactionNote& note, const LocatedValue& from) { read(note.error, from); },
         .presence = {.with = "error"},
         .stands = [](const CompactionNote& note) { return note.error.has_value(); }},
    };
    return kFields;
}

template <>
std::span<const Field<CompactionHappened>> fieldsOf<CompactionHappened>() {
    using Happened = CompactionHappened;
    using Report = CompactionReport;
    static constexpr Field<CompactionHappened> kFields[] = {
        field<&Happened::timeNs>("time_ns"),
        field<&Happened::at>("at", {}, Column::None),
        onlyColumn<&Happened::at, &SafePoint::turn>("turn"),
        onlyColumn<&Happened::at, &SafePoint::index>("index"),
        field<&Happened::conversation>("conversation"),
        field<&Happened::revision>("revision"),
        field<&Happened::report, &Report::id>("id", {.with = "id"}),
        field<&Happened::report, &Report::result>("result"),
        field<&Happened::report, &Report::cause>("cause"),
        field<&Happened::report, &Report::method>("method"),
        {.name = "reason",
         .get =
             [](const Happened& happened) {
                 return OrderedJson(exclusionText(happened.report.notes));
             },
         .set = readSentence,
         .column = Column::Last},
        {.name = "notes",
         .get = [](const Happened& happened) { return written(happened.report.notes); },
         .set = readNotes,
         .presence = {.with = "notes"},
         .column = Column::None},
        field<&Happened::report, &Report::tokens>("tokens"),
        field<&Happened::report, &Report::slotsBefore>("slots_before"),
        field<&Happened::report, &Report::slotsAfter>("slots_after"),
        field<&Happened::report, &Report::liveBytesBefore>("live_bytes_before"),
        field<&Happened::report, &Report::liveBytesAfter>("live_bytes_after"),
        field<&Happened::report, &Report::referenceQueries>("reference_queries"),
        field<&Happened::report, &Report::heldOutError>("held_out_error"),
        field<&Happened::report, &Report::requestedRatio>("asked_ratio", {.with = "asked_ratio"}),
        field<&Happened::report, &Report::achievedRatio>("achieved_ratio", {.with = "asked_ratio"}),
        field<&Happened::report, &Report::limited>("limited", {.with = "limited"}),
        ofKept<&KeptInformation::all>("kept_information"),
        ofKept<&KeptInformation::worst>("kept_worst"),
        ofKept<&KeptInformation::error>("kept_error", Column::None),
        ofKept<&KeptInformation::worstFirst>("worst_first", Column::None),
        ofKept<&KeptInformation::worstEnd>("worst_end", Column::None),
        ofKept<&KeptInformation::klMean>("kl_mean"),
        ofKept<&KeptInformation::klP99>("kl_p99"),
        ofKept<&KeptInformation::sameTop>("same_top"),
        ofKept<&KeptInformation::tokens>("measured_tokens", Column::None),
        field<&Happened::report, &Report::measureMs>("measure_ms", {.with = "limited"}),
        field<&Happened::report, &Report::queriesMs>("queries_ms", {.with = "queries_ms"}),
        field<&Happened::report, &Report::scoreMs>("score_ms"),
        field<&Happened::report, &Report::selectMs>("select_ms"),
        field<&Happened::report, &Report::fitMs>("fit_ms"),
        field<&Happened::report, &Report::applyMs>("apply_ms"),
        {.name = "total_ms",
         .get = [](const Happened& happened) { return OrderedJson(happened.report.totalMs); },
         .set = readTotal},
        zeroOrOne<&Happened::report, &Report::background>("background", {.with = "background_ms"},
                                                          Column::None),
        field<&Happened::report, &Report::stallMs>("stall_ms", {.with = "background_ms"}),
        field<&Happened::report, &Report::backgroundMs>("background_ms", {.with = "background_ms"}),
    };
    return kFields;
}

template <>
std::span<const Field<SpanRestored>> fieldsOf<SpanRestored>() {
    using Back = SpanRestored;
    static constexpr Field<SpanRestored> kFields[] = {
        field<&Back::at>("at", {}, Column::None),
        onlyColumn<&Back::at, &SafePoint::turn>("turn"),
        onlyColumn<&Back::at, &SafePoint::index>("index"),
        field<&Back::conversation>("conversation"),
        field<&Back::first>("first"),
        field<&Back::count>("count"),
        field<&Back::spans>("spans", {.with = "for_question"}, Column::None),
        zeroOrOne<&Back::forQuestion>("for_question", {.with = "for_question"}),
        zeroOrOne<&Back::offered>("offered", {.with = "for_question"}),
        field<&Back::restoredTokens>("restored_tokens"),
        field<&Back::rereadTokens>("reread_tokens"),
        field<&Back::keptTokens>("kept_tokens"),
        field<&Back::seconds>("seconds"),
        {.name = "error",
         .get = [](const Back& back) { return written(back.error); },
         .set = readEnd,
         .column = Column::None},
        {.name = "refused",
         .get =
             [](const Back& back) {
                 return OrderedJson(back.error ? back.error->what : std::string());
             },
         .column = Column::Last},
    };
    return kFields;
}
template <>
std::span<const Field<PrefixLoad>> fieldsOf<PrefixLoad>() {
    using Load = PrefixLoad;
    static constexpr Field<PrefixLoad> kFields[] = {
        field<&Load::reason>("reason"),        field<&Load::tokens>("tokens"),
        field<&Load::bytes>("bytes"),          field<&Load::loadMs>("load_ms"),
        field<&Load::computeMs>("compute_ms"), field<&Load::tookMs>("took_ms"),
    };
    return kFields;
}
template <>
std::span<const Field<PrefixStats>> fieldsOf<PrefixStats>() {
    using Stats = PrefixStats;
    static constexpr Field<PrefixStats> kFields[] = {
        field<&Stats::limitBytes>("limit_bytes"),
        field<&Stats::bytes>("bytes"),
        field<&Stats::bytesAlone>("bytes_alone"),
        field<&Stats::entries>("entries"),
        field<&Stats::lookups>("lookups"),
        countsBy<PrefixMatch, &Stats::matches>("matches"),
        countsBy<PrefixMiss, &Stats::misses>("misses"),
        field<&Stats::tokensQueried>("tokens_queried"),
        field<&Stats::tokensReused>("tokens_reused"),
        field<&Stats::savedSeconds>("saved_seconds"),
        field<&Stats::inserts>("inserts"),
        field<&Stats::replaced>("replaced"),
        field<&Stats::refreshed>("refreshed"),
        field<&Stats::covered>("covered"),
        field<&Stats::rejectedShort>("rejected_short"),
        field<&Stats::rejectedLarge>("rejected_large"),
        field<&Stats::rejectedDifferent>("rejected_different"),
        field<&Stats::failures>("failures"),
        field<&Stats::evictedForLimit>("evicted_for_limit"),
        field<&Stats::evictedForCaches>("evicted_for_caches"),
    };
    return kFields;
}
template <>
std::span<const Field<PrefixDiskStats>> fieldsOf<PrefixDiskStats>() {
    using Stats = PrefixDiskStats;
    static constexpr Field<PrefixDiskStats> kFields[] = {
        field<&Stats::limitBytes>("limit_bytes"),
        field<&Stats::bytes>("bytes"),
        field<&Stats::files>("files"),
        field<&Stats::tokens>("tokens"),
        field<&Stats::lookups>("lookups"),
        field<&Stats::hits>("hits"),
        countsBy<PrefixMiss, &Stats::misses>("misses"),
        field<&Stats::tokensReused>("tokens_reused"),
        {.name = "saved_seconds",
         .get = [](const Stats& stats) { return OrderedJson(stats.savedSeconds); },
         .set = readSaved},
        field<&Stats::bytesRead>("bytes_read"),
        field<&Stats::readSeconds>("read_seconds"),
        field<&Stats::pagesWritten>("pages_written"),
        field<&Stats::bytesWritten>("bytes_written"),
        field<&Stats::bytesWrittenToday>("bytes_written_today"),
        field<&Stats::notStorable>("not_storable"),
        field<&Stats::dropped>("dropped"),
        field<&Stats::writeFailures>("write_failures"),
        field<&Stats::skippedInPause>("rested"),
        field<&Stats::rejectedLarge>("rejected_large"),
        field<&Stats::evicted>("evicted"),
        field<&Stats::quarantined>("quarantined"),
        field<&Stats::queued>("queued"),
        field<&Stats::queuedBytes>("queued_bytes"),
        field<&Stats::problem>("trouble"),
        field<&Stats::fidelity>("codec", {.with = "codec"}),
        field<&Stats::last>("last"),
    };
    return kFields;
}
template <>
std::span<const Field<PrefixCacheChanged>> fieldsOf<PrefixCacheChanged>() {
    static constexpr Field<PrefixCacheChanged> kFields[] = {
        field<&PrefixCacheChanged::stats>("memory"),
        field<&PrefixCacheChanged::disk>("disk"),
    };
    return kFields;
}
template <>
std::span<const Field<KeptBytes>> fieldsOf<KeptBytes>() {
    static constexpr Field<KeptBytes> kFields[] = {
        field<&KeptBytes::timeNs>("time_ns"),
        field<&KeptBytes::memoryBytes>("memory_bytes"),
        field<&KeptBytes::diskBytes>("disk_bytes"),
    };
    return kFields;
}
template <>
std::span<const Field<QualitySampled>> fieldsOf<QualitySampled>() {
    using Sampled = QualitySampled;
    static constexpr Field<QualitySampled> kFields[] = {
        field<&Sampled::timeNs>("time_ns"),
        field<&Sampled::at, &SafePoint::turn>("turn"),
        field<&Sampled::at, &SafePoint::index>("index"),
        field<&Sampled::conversation>("conversation"),
        field<&Sampled::revision>("revision"),
        field<&Sampled::sample, &LiveQuality::tokens>("tokens"),
        field<&Sampled::sample, &LiveQuality::kl>("kl"),
        zeroOrOne<&Sampled::sample, &LiveQuality::sameTop>("same_top"),
        field<&Sampled::sample, &LiveQuality::outputError>("output_error"),
        field<&Sampled::sample, &LiveQuality::costMs>("cost_ms"),
        field<&Sampled::sample, &LiveQuality::decodeMs>("decode_ms"),
        field<&Sampled::sample, &LiveQuality::pauseMs>("pause_ms", {.with = "pause_ms"}),
        field<&Sampled::sample, &LiveQuality::shadowBytes>("shadow_bytes"),
    };
    return kFields;
}

template <>
std::span<const Field<StepSample>> fieldsOf<StepSample>() {
    using Step = StepSample;
    static constexpr Field<StepSample> kFields[] = {
        field<&Step::timeNs>("time_ns"),
        field<&Step::at, &SafePoint::turn>("turn"),
        field<&Step::at, &SafePoint::index>("index"),
        field<&Step::conversation>("conversation"),
        field<&Step::revision>("revision"),
        field<&Step::phase>("phase"),
        field<&Step::tokens>("tokens"),
        field<&Step::stepMs>("step_ms"),
        field<&Step::kv, &KvStats::tokens>("cache_tokens"),
        field<&Step::kv, &KvStats::slotsTotal>("slots_total"),
        field<&Step::kv, &KvStats::slotsLargestHead>("slots_largest_head"),
        field<&Step::kv, &KvStats::logicalBytes>("logical_bytes"),
        field<&Step::kv, &KvStats::liveBytes>("live_bytes"),
        field<&Step::kv, &KvStats::scaleBytes>("scale_bytes", {.since = kBytesReportVersion}),
        field<&Step::kv, &KvStats::exactBytes>("exact_window_bytes",
                                               {.since = kBytesReportVersion}),
        field<&Step::kv, &KvStats::allocatedBytes>("allocated_bytes"),
        field<&Step::kv, &KvStats::stateBytes>("state_bytes", {.with = "state_bytes"}),
        field<&Step::kv, &KvStats::checkpointBytes>("checkpoint_bytes",
                                                    {.with = "checkpoint_bytes"}),
        field<&Step::kv, &KvStats::reallocations>("reallocations"),
        field<&Step::kv, &KvStats::compactions>("compactions"),
        zeroOrOne<&Step::compaction, &CompactionState::enabled>("compaction_enabled"),
        zeroOrOne<&Step::compaction, &CompactionState::due>("compaction_due"),
        field<&Step::compaction, &CompactionState::slots>("slots"),
        field<&Step::compaction, &CompactionState::target>("target"),
        field<&Step::compaction, &CompactionState::trigger>("trigger"),
        field<&Step::rssBytes>("rss_bytes"),
        field<&Step::prefixBytes>("prefix_bytes", {.with = "prefix_bytes"}),
        field<&Step::prefixDiskBytes>("prefix_disk_bytes", {.with = "prefix_disk_bytes"}),
    };
    return kFields;
}

}  // namespace lacuna
