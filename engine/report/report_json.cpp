// Writes and reads the lossless document, which contains everything that a replay or another
// analysis needs. Single records are described in report_fields.cpp; this file handles what spans
// several. JsonReading is strict: a missing, mistyped or out-of-range value is an error that names
// the field, because a replay of guessed values would prove nothing.

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/report/report.h"
#include "engine/report/report_fields.h"
#include "engine/report/report_figures.h"

namespace lacuna {
namespace {

OrderedJson turnJson(const RecordedTurn& turn, const Recording& recording) {
    OrderedJson json = written(turn);
    if (turn.kept > 0)
        json["continues"] = {{"turn", recording.turns[turn.continues].started.turn},
                             {"messages", turn.kept}};
    return json;
}

/// Writes when each command was taken; changed settings are listed with the generations.
OrderedJson commandJson(const RecordedCommand& recorded) {
    OrderedJson object{{"at", written(recorded.at)}};
    const auto set = [&object](Revision revision) {
        object["kind"] = "set_config";
        object["revision"] = revision.value;
    };
    if (const auto* change = std::get_if<SetConfig>(&recorded.command)) {
        set(change->revision);
    } else if (const auto* own = std::get_if<SetCacheSettings>(&recorded.command)) {
        set(own->revision);
    } else if (const auto* compact = std::get_if<CompactNow>(&recorded.command)) {
        object["kind"] = "compact_now";
        object["conversation"] = compact->conversation.value;
    } else if (const auto* span = std::get_if<BringBack>(&recorded.command)) {
        object["kind"] = "bring_back";
        object["conversation"] = span->conversation.value;
        object["first"] = span->first;
        object["count"] = span->count;
        object["restored"] = span->restored.value_or(0);
        object["spans"] = written(span->spans);
        object["for_question"] = span->forQuestion;
    } else if (const auto* pin = std::get_if<PinText>(&recorded.command)) {
        object["kind"] = "pin";
        object["conversation"] = pin->conversation.value;
        object["spans"] = written(pin->spans.value_or(KeptSpans()));
    } else if (const auto* recoding = std::get_if<FinishRecoding>(&recorded.command)) {
        object["kind"] = "finish_recoding";
        object["conversation"] = written(recoding->conversation);
    } else if (const auto* heads = std::get_if<UseHeadProfiles>(&recorded.command)) {
        object["kind"] = "use_heads";
        object["fingerprint"] = heads->fingerprint;
        object["profiles"] = OrderedJson::array();
        for (const auto& profile :
             {heads->profiles.taskFree, heads->profiles.questions, heads->profiles.copyScores})
            if (profile != nullptr) object["profiles"].push_back(headProfileJson(*profile));
        if (!heads->profiles.surrogateHash.empty())
            object["surrogate"] = heads->profiles.surrogateHash;
        if (!heads->profiles.centresHash.empty())
            object["query_centres"] = heads->profiles.centresHash;
    } else {
        object["kind"] = "cancel";
        const auto only = std::get<CancelTurn>(recorded.command).conversation;
        object["conversation"] = only ? OrderedJson(only->value) : OrderedJson(nullptr);
    }
    return object;
}

OrderedJson samplesJson(const Recording& recording) {
    OrderedJson columns = OrderedJson::array();
    for (const Field<StepSample>& field : fieldsOf<StepSample>())
        columns.push_back(std::string(field.name));
    OrderedJson rows = OrderedJson::array();
    for (const StepSample& sample : recording.samples) {
        OrderedJson row = OrderedJson::array();
        for (const Field<StepSample>& field : fieldsOf<StepSample>())
            row.push_back(field.get(sample));
        rows.push_back(std::move(row));
    }
    return {{"seen", recording.samplesSeen},
            {"kept", recording.samples.size()},
            {"columns", std::move(columns)},
            {"rows", std::move(rows)}};
}

template <class T, class Convert>
OrderedJson listJson(const std::vector<T>& items, Convert convert) {
    OrderedJson list = OrderedJson::array();
    for (const T& item : items) list.push_back(convert(item));
    return list;
}

// ---------------------------------------------------------------- reading

/// Start of a turn in a sequential report: after the end of the previous one.
SafePoint pauseAfter(const std::vector<RecordedTurn>& turns) {
    if (turns.empty()) return {};
    const RecordedTurn& last = turns.back();
    return {.turn = last.started.turn, .index = last.finished ? last.finished->at.index + 1 : 0};
}

/// Reads which messages of an earlier turn this one begins with.
void readContinued(RecordedTurn& turn, const std::vector<RecordedTurn>& turns,
                   const LocatedValue& from) {
    ObjectReader reader(from);
    const LocatedValue number = reader.member("turn");
    const LocatedValue messages = reader.member("messages");
    const std::int64_t wanted = number.count();
    turn.kept = static_cast<std::size_t>(messages.count());
    for (std::size_t i = turns.size(); i-- > 0;) {
        const RecordedTurn& one = turns[i];
        if (one.started.turn != wanted || one.started.conversation != turn.started.conversation)
            continue;
        turn.continues = i;
        const std::size_t all = one.kept + one.started.messages.size();
        if (turn.kept > all) messages.wrong(format("{}; turn {} has {}", turn.kept, wanted, all));
        return;
    }
    number.wrong(format("{}, which is not an earlier turn of this conversation", wanted));
}

RecordedTurn readTurn(const LocatedValue& from, const std::vector<RecordedTurn>& turns) {
    RecordedTurn turn;
    read(turn, from);
    const int version = from.reading.version();
    if (version < kOverlapReportVersion) turn.started.at = pauseAfter(turns);
    if (version < kContinuesReportVersion || from.reading.error()) return turn;
    const Json& continues = from.json.at("continues");
    const std::string path = from.path();
    if (!continues.is_null())
        readContinued(turn, turns, {continues, path, "continues", from.reading});
    return turn;
}

/// Returns the revision of the latest change of settings among these commands.
std::optional<Revision> newestRevision(const std::vector<RecordedCommand>& commands) {
    for (auto one = commands.rbegin(); one != commands.rend(); ++one) {
        if (const auto* all = std::get_if<SetConfig>(&one->command)) return all->revision;
        if (const auto* own = std::get_if<SetCacheSettings>(&one->command)) return own->revision;
    }
    return std::nullopt;
}

RecordedCommand readCommand(const LocatedValue& from, const Recording& recording) {
    ObjectReader reader(from);
    RecordedCommand recorded{{}, CancelTurn{}};
    read(recorded.at, reader.member("at"));
    const LocatedValue kind = reader.member("kind");
    const std::string name = kind.text();
    const auto conversation = [&reader] {
        return ConversationId(reader.member("conversation").count());
    };
    if (name == "set_config") {
        const LocatedValue number = reader.member("revision");
        const Revision revision(number.count());
        const auto generation =
            std::ranges::find(recording.generations, revision, &ConfigApplied::revision);
        if (generation == recording.generations.end())
            number.wrong(format("{}, which is not among the generations", revision.value));
        else if (newestRevision(recording.commands) == revision)
            recorded.command = FinishRecoding{};  // how reports without finish_recoding record it
        else
            recorded.command = commandOf(*generation);
    } else if (name == "compact_now") {
        recorded.command = CompactNow{conversation()};
    } else if (name == "bring_back") {
        BringBack span{.conversation = conversation()};
        span.first = reader.member("first").count();
        span.count = reader.member("count").count();
        span.restored = reader.member("restored").count();
        if (reader.has("for_question")) {
            read(span.spans, reader.member("spans"));
            read(span.forQuestion, reader.member("for_question"));
        }
        recorded.command = span;
    } else if (name == "pin") {
        PinText pin{.conversation = conversation(), .messages = {}, .pins = {}};
        read(pin.spans.emplace(), reader.member("spans"));
        recorded.command = std::move(pin);
    } else if (name == "finish_recoding") {
        recorded.command = FinishRecoding{conversation()};
    } else if (name == "cancel") {
        const bool whose = from.reading.version() >= kOverlapReportVersion;
        if (whose && !reader.member("conversation").json.is_null())
            recorded.command = CancelTurn{conversation()};
    } else if (name == "use_heads") {
        UseHeadProfiles heads{.fingerprint = reader.member("fingerprint").text(), .profiles = {}};
        readItems(reader.member("profiles"), [&heads](const LocatedValue& item) {
            auto profile = headProfileFromJson(item.json);
            if (profile)
                heads.profiles.add(std::move(*profile));
            else
                item.wrong(profile.error().what);
        });
        if (reader.has("surrogate"))
            heads.profiles.surrogateHash = reader.member("surrogate").text();
        if (reader.has("query_centres"))
            heads.profiles.centresHash = reader.member("query_centres").text();
        recorded.command = std::move(heads);
    } else {
        kind.wrong(format(
            "'{}'; expected set_config, compact_now, bring_back, pin, finish_recoding, use_heads "
            "or cancel",
            name));
    }
    return recorded;
}

/// Returns the columns in reports of a version.
std::vector<const Field<StepSample>*> sampleFields(int version) {
    std::vector<const Field<StepSample>*> fields;
    for (const Field<StepSample>& field : fieldsOf<StepSample>())
        if (field.presence.since <= version) fields.push_back(&field);
    return fields;
}

StepSample readSample(std::span<const Field<StepSample>* const> fields, const LocatedValue& row) {
    StepSample sample;
    if (!row.json.is_array() || row.json.size() != fields.size()) {
        row.reading.note(ErrorCode::Config,
                         format("{} does not have {} values", row.path(), fields.size()));
        return sample;
    }
    for (std::size_t i = 0; i < fields.size(); ++i)
        fields[i]->set(sample, {row.json[i], row.owner, fields[i]->name, row.reading});
    return sample;
}

void readSamples(Recording& recording, const LocatedValue& from) {
    constexpr std::size_t kMaxRows = 2'000'000;
    JsonReading& reading = from.reading;
    ObjectReader reader(from);
    recording.samplesSeen = reader.member("seen").count();
    const std::int64_t kept = reader.member("kept").count();
    const std::vector<std::string> columns = reader.member("columns").texts();
    const auto fields = sampleFields(reading.version());
    if (!std::ranges::equal(columns, fields, {}, {}, &Field<StepSample>::name))
        reading.note(ErrorCode::Config, "samples.columns are not those of this version");
    const LocatedValue rows = reader.member("rows");
    if (rows.list().size() > kMaxRows)
        reading.note(ErrorCode::Config, format("samples.rows has more than {} rows", kMaxRows));
    readItems(rows, [&](const LocatedValue& row) {
        recording.samples.push_back(readSample(fields, row));
    });
    if (kept != static_cast<std::int64_t>(recording.samples.size()))
        reading.note(ErrorCode::Config, format("samples.kept is {} and there are {} rows", kept,
                                               recording.samples.size()));
}

void readQuality(Recording& recording, const LocatedValue& from) {
    ObjectReader reader(from);
    recording.qualitySeen = reader.member("seen").count();
    read(recording.quality, reader.member("rows"));
}

/// Returns the version of a supported report.
Result<int> versionOf(const Json& report) {
    if (!report.is_object())
        return fail(ErrorCode::Incompatible, "this is not a report: it is not a JSON object");
    const auto schema = report.find("schema");
    if (schema == report.end() || *schema != kReportSchema)
        return fail(ErrorCode::Incompatible,
                    format("this is not a report: schema is {}; expected \"{}\"",
                           schema == report.end() ? "missing" : schema->dump(), kReportSchema));
    const auto found = report.find("version");
    for (int version = kSequentialReportVersion; version <= kReportVersion; ++version)
        if (found != report.end() && *found == version) return version;
    return fail(ErrorCode::Incompatible,
                format("version is {}; this program reads versions {} to {}",
                       found == report.end() ? "missing" : found->dump(), kSequentialReportVersion,
                       kReportVersion));
}

void readRetention(Recording& recording, const LocatedValue& from) {
    ObjectReader reader(from);
    recording.retentionSeen = reader.member("seen").count();
    readItems(reader.member("rows"), [&](const LocatedValue& item) {
        read(recording.retention.emplace_back(), item);
        if (!item.reading.error() &&
            !wellFormed(recording.retention, recording.retention.size() - 1))
            item.reading.note(ErrorCode::Config,
                              format("{} does not match its counts", item.path()));
    });
}

/// Reports list only the keys of a change; its values follow from the configurations before and
/// after.
void fillChanges(Recording& recording) {
    ConversationSettings settings(recording.initialConfig);
    for (ConfigApplied& applied : recording.generations) {
        const auto& id = applied.conversation;
        applied.ownBefore = id && settings.hasOwn(*id);
        SettingsDiff changes =
            settingsDiff(id ? settings.of(*id) : settings.shared(), applied.config);
        for (SettingChange& change : changes) {
            const SettingChange* const listed = findChange(applied.changes, *change.spec);
            change.deferred = listed != nullptr && listed->deferred;
        }
        applied.changes = std::move(changes);
        settings.take(id, applied.own, applied.config);
    }
}

/// Reads generations before commands, which refer to them.
void readAll(Recording& recording, const LocatedValue& from) {
    ObjectReader reader(from);
    for (const char* name : {"schema", "version"}) static_cast<void>(reader.member(name));
    for (const char* name : {"program", "started"}) static_cast<void>(reader.member(name).text());
    read(recording.startedUnixMs, reader.member("started_unix_ms"));
    if (reader.has("started_ns")) read(recording.startedNs, reader.member("started_ns"));
    read(recording.model, reader.member("model"));
    if (reader.has("earlier_models"))
        read(recording.earlierModels, reader.member("earlier_models"));
    read(recording.machine, reader.member("machine"));
    read(recording.initialConfig, reader.member("initial_config"));
    readItems(reader.member("turns"), [&recording](const LocatedValue& item) {
        recording.turns.push_back(readTurn(item, recording.turns));
    });
    read(recording.generations, reader.member("generations"));
    fillChanges(recording);
    readItems(reader.member("commands"), [&recording](const LocatedValue& item) {
        recording.commands.push_back(readCommand(item, recording));
    });
    read(recording.rejections, reader.member("rejections"));
    read(recording.compactions, reader.member("compactions"));
    if (reader.has("restores")) read(recording.restores, reader.member("restores"));
    if (reader.has("kept_texts")) read(recording.kept, reader.member("kept_texts"));
    if (reader.has("kept_bytes")) read(recording.keptBytes, reader.member("kept_bytes"));
    if (from.reading.version() >= kQualityReportVersion)
        readQuality(recording, reader.member("quality"));
    if (reader.has("retention")) readRetention(recording, reader.member("retention"));
    read(recording.notices, reader.member("notices"));
    readSamples(recording, reader.member("samples"));
}

}  // namespace

OrderedJson reportJson(const Recording& recording) {
    OrderedJson report;
    report["schema"] = kReportSchema;
    report["version"] = kReportVersion;
    report["program"] = "Lacuna " LACUNA_VERSION;
    report["started"] = utcTime(recording.startedUnixMs);
    report["started_unix_ms"] = recording.startedUnixMs;
    report["started_ns"] = recording.startedNs;
    report["model"] = written(recording.model);
    report["earlier_models"] = written(recording.earlierModels);
    report["machine"] = written(recording.machine);
    report["initial_config"] = written(recording.initialConfig);
    report["turns"] = listJson(recording.turns, [&recording](const RecordedTurn& turn) {
        return turnJson(turn, recording);
    });
    report["commands"] = listJson(recording.commands, commandJson);
    report["generations"] = written(recording.generations);
    report["rejections"] = written(recording.rejections);
    report["compactions"] = written(recording.compactions);
    report["restores"] = written(recording.restores);
    report["kept_texts"] = written(recording.kept);
    report["kept_bytes"] = written(recording.keptBytes);
    report["quality"] = {{"seen", recording.qualitySeen}, {"rows", written(recording.quality)}};
    report["retention"] = {{"seen", recording.retentionSeen},
                           {"rows", written(recording.retention)}};
    report["notices"] = recording.notices;
    report["samples"] = samplesJson(recording);
    return report;
}

std::string reportJsonText(const Recording& recording) {
    OrderedJson report = reportJson(recording);
    const OrderedJson rows = std::exchange(report["samples"]["rows"], "@rows");
    std::string text = dumpJson(report, 1);
    std::string lines = "[";
    for (std::size_t i = 0; i < rows.size(); ++i)
        lines += (i == 0 ? "\n   " : ",\n   ") + dumpJson(rows[i]);
    lines += rows.empty() ? "]" : "\n  ]";
    // The samples come last, so the last mark is the placeholder, even if a message contains the
    // same text.
    const std::string mark = "\"@rows\"";
    text.replace(text.rfind(mark), mark.size(), lines);
    return text + "\n";
}

Result<Recording> recordingFromJson(const Json& report) {
    LACUNA_TRY(const int version, versionOf(report));
    Recording recording;
    JsonReading reading(version);
    readAll(recording, {report, {}, {}, reading});
    LACUNA_TRY_STATUS(reading.status());
    return recording;
}

}  // namespace lacuna
