// Reading a report back, strictly: a figure that is missing, of another kind or out of range is an
// error that names the field, because a replay on guessed values would prove nothing.

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/report/object_reader.h"
#include "engine/report/report.h"
#include "engine/report/report_names.h"
#include "engine/report/report_quality.h"
#include "engine/report/report_samples.h"
#include "engine/report/report_schema.h"
#include "engine/report/rules_json.h"
#include "engine/settings/config_json.h"

namespace lacuna {
namespace {

SafePoint readPoint(ObjectReader& reader, std::string_view key) {
    ObjectReader point(reader.member(key), reader.pathOf(key), reader.problem());
    const std::int64_t turn = point.count("turn");
    return {.turn = turn, .index = point.count("index")};
}

/// What the report's version decides about its parts.
struct Dialect {
    bool sequential = false;  ///< version 1
    bool quality = true;      ///< from version 3
    bool own = true;      ///< from version 4: every setting is there, generations say whose they are
    bool shared = true;   ///< from version 5: turns continue earlier ones
};

EngineConfig readConfig(ObjectReader& reader, std::string_view key, Dialect dialect) {
    auto reading = configFromJson(reader.member(key), reader.pathOf(key));
    if (!reading) {
        reader.problem().note(reading.error());
        return {};
    }
    if (!reading->strangers.empty())
        reader.problem().note(ErrorCode::Config,
                              format("{} is not a setting", reading->strangers.front()));
    if (dialect.sequential) {
        // What later settings would change of a session that knew nothing of them.
        reading->config.parallel = 1;
        if (!reader.member(key).contains("background")) reading->config.kv.background = false;
    } else if (dialect.own && !reading->missing.empty())
        reader.problem().note(ErrorCode::Config, format("{} is missing", reading->missing.front()));
    return reading->config;
}

ModelFacts readModel(const Json& json, ReadProblem& problem) {
    ObjectReader reader(json, "model", problem);
    ModelFacts model;
    model.path = reader.text("path");
    model.name = reader.text("name");
    model.architecture = reader.text("architecture");
    model.fileType = reader.text("file_type");
    model.licence = reader.text("licence");
    model.fingerprint = reader.text("fingerprint");
    model.templateNote = reader.text("template_note");
    model.parameters = reader.count("parameters");
    model.weightBytes = reader.count("weight_bytes");
    model.layers = reader.smallCount("layers");
    model.heads = reader.smallCount("heads");
    model.kvHeads = reader.smallCount("kv_heads");
    model.headDim = reader.smallCount("head_dim");
    model.vocabulary = reader.smallCount("vocabulary");
    model.context = reader.smallCount("context");
    model.precision = reader.named<Precision>("precision", precisionNamed);
    if (reader.has("draft_path")) {
        model.draftPath = reader.text("draft_path");
        model.draftFingerprint = reader.text("draft_fingerprint");
    }
    return model;
}

MachineFacts readMachine(const Json& json, ReadProblem& problem) {
    ObjectReader reader(json, "machine", problem);
    MachineFacts machine;
    machine.cpu = reader.text("cpu");
    machine.isa = reader.text("isa");
    machine.cores = reader.smallCount("cores");
    machine.memoryBytes = reader.count("memory_bytes");
    machine.availableBytes = reader.count("available_bytes");
    machine.system = reader.text("system");
    return machine;
}

std::optional<ErrorCode> errorCodeNamed(std::string_view name) {
#define LACUNA_X(enumerator, text, cls) \
    if (name == text) return ErrorCode::enumerator;
    LACUNA_ERROR_CODES(LACUNA_X)
#undef LACUNA_X
    return std::nullopt;
}

std::optional<Error> readError(const Json& json, std::string path, ReadProblem& problem) {
    if (json.is_null()) return std::nullopt;
    ObjectReader reader(json, std::move(path), problem);
    const ErrorCode code = reader.named<ErrorCode>("code", errorCodeNamed);
    return Error{code, reader.text("what"), {}};
}

std::vector<TokenId> readTokens(ObjectReader& reader, std::string_view key) {
    std::vector<TokenId> tokens;
    for (const Json& item : reader.list(key)) {
        if (item.is_number_unsigned() && item.get<std::uint64_t>() <= 0x7fffffffU) {
            tokens.push_back(item.get<TokenId>());
            continue;
        }
        reader.problem().note(ErrorCode::Config, format("{} holds {}; expected token ids",
                                                        reader.pathOf(key), item.dump()));
        break;
    }
    return tokens;
}

TurnFinished readFinished(const Json& json, const std::string& path, const TurnStarted& started,
                          Dialect dialect, ReadProblem& problem) {
    ObjectReader reader(json, path, problem);
    TurnFinished finished;
    finished.conversation = started.conversation;
    finished.turn = started.turn;
    finished.at = readPoint(reader, "at");
    finished.reason = reader.named<FinishReason>("reason", finishReasonNamed);
    finished.error = readError(reader.member("error"), reader.pathOf("error"), problem);
    finished.tokens = readTokens(reader, "tokens");
    finished.text = reader.text("text");
    finished.stats.promptTokens = started.promptTokens;
    finished.stats.reusedTokens = started.reusedTokens;
    finished.stats.generatedTokens = reader.count("generated_tokens");
    finished.stats.compactions = reader.count("compactions");
    if (!dialect.sequential) {
        finished.stats.decodeSteps = reader.count("decode_steps");
        finished.stats.draftedTokens = reader.count("drafted_tokens");
        finished.stats.acceptedTokens = reader.count("accepted_tokens");
    }
    if (reader.has("shifted_tokens")) finished.stats.shiftedTokens = reader.count("shifted_tokens");
    finished.stats.prefillSeconds = reader.amount("prefill_seconds");
    finished.stats.decodeSeconds = reader.amount("decode_seconds");
    finished.stats.timeToFirstTokenSeconds = reader.amount("time_to_first_token_seconds");
    return finished;
}

/// Where a turn of a sequential report began: after the end of the one before.
SafePoint pauseAfter(const std::vector<RecordedTurn>& turns) {
    if (turns.empty()) return {};
    const RecordedTurn& last = turns.back();
    return {.turn = last.started.turn, .index = last.finished ? last.finished->at.index + 1 : 0};
}

/// Which messages of an earlier turn this one begins with.
void readContinued(ObjectReader& turnReader, const std::vector<RecordedTurn>& turns,
                   RecordedTurn& turn) {
    ObjectReader reader(turnReader.member("continues"), turnReader.pathOf("continues"),
                        turnReader.problem());
    const std::int64_t number = reader.count("turn");
    const std::int64_t messages = reader.count("messages");
    for (std::size_t i = turns.size(); i-- > 0;) {
        const RecordedTurn& one = turns[i];
        if (one.started.turn != number || one.started.conversation != turn.started.conversation)
            continue;
        turn.continues = i;
        turn.kept = static_cast<std::size_t>(messages);
        if (turn.kept > one.kept + one.started.messages.size())
            reader.problem().note(
                ErrorCode::Config,
                format("{} is {}; turn {} has {}", reader.pathOf("messages"), messages, number,
                       one.kept + one.started.messages.size()));
        return;
    }
    reader.problem().note(ErrorCode::Config,
                          format("{} is {}, which is no earlier turn of this conversation",
                                 reader.pathOf("turn"), number));
}

RecordedTurn readTurn(const Json& json, const std::string& path, const Recording& recording,
                      Dialect dialect, ReadProblem& problem) {
    ObjectReader reader(json, path, problem);
    RecordedTurn turn;
    TurnStarted& started = turn.started;
    started.turn = reader.count("turn");
    started.at = dialect.sequential ? pauseAfter(recording.turns) : readPoint(reader, "began");
    started.conversation = ConversationId(reader.count("conversation"));
    turn.fingerprint = reader.text("model");
    started.revision = Revision(reader.count("revision"));
    started.seed = reader.bits("seed");
    started.config = readConfig(reader, "config", dialect);
    if (dialect.shared && !reader.member("continues").is_null())
        readContinued(reader, recording.turns, turn);
    readList(reader, "messages", [&](const Json& item, const std::string& at) {
        ObjectReader message(item, at, problem);
        std::string role = message.text("role");
        started.messages.push_back({std::move(role), message.text("content")});
    });
    started.stopStrings = reader.texts("stop_strings");
    if (!dialect.sequential)
        started.rules = readRules(reader.member("rules"), reader.pathOf("rules"), problem);
    started.promptTokens = reader.count("prompt_tokens");
    started.reusedTokens = reader.count("reused_tokens");
    started.reuseNote = reader.text("reuse_note");
    const Json& finished = reader.member("finished");
    if (!finished.is_null())
        turn.finished =
            readFinished(finished, reader.pathOf("finished"), started, dialect, problem);
    return turn;
}

ConfigApplied readGeneration(const Json& json, const std::string& path, Dialect dialect,
                             ReadProblem& problem) {
    ObjectReader reader(json, path, problem);
    ConfigApplied applied;
    applied.revision = Revision(reader.count("revision"));
    applied.timeNs = reader.count("time_ns");
    applied.at = readPoint(reader, "at");
    if (dialect.own) {
        if (!reader.member("conversation").is_null())
            applied.conversation = ConversationId(reader.count("conversation"));
        applied.own = reader.flag("own");
    }
    applied.live = reader.texts("live");
    applied.deferred = reader.texts("deferred");
    applied.config = readConfig(reader, "config", dialect);
    return applied;
}

ConfigRejected readRejection(const Json& json, const std::string& path, ReadProblem& problem) {
    ObjectReader reader(json, path, problem);
    ConfigRejected rejected;
    rejected.revision = Revision(reader.count("revision"));
    rejected.timeNs = reader.count("time_ns");
    readList(reader, "violations", [&](const Json& item, const std::string& at) {
        ObjectReader one(item, at, problem);
        RuleViolation violation;
        violation.rule = one.text("rule");
        violation.field = one.text("field");
        violation.found = one.text("found");
        violation.allowed = one.text("allowed");
        violation.nearest = one.text("nearest");
        violation.sentence = one.text("sentence");
        rejected.violations.push_back(std::move(violation));
    });
    return rejected;
}

RecordedCommand readCommand(const Json& json, const std::string& path, const Recording& recording,
                            Dialect dialect, ReadProblem& problem) {
    ObjectReader reader(json, path, problem);
    RecordedCommand recorded{readPoint(reader, "at"), CancelTurn{}};
    const std::string kind = reader.text("kind");
    if (kind == "set_config") {
        const Revision revision(reader.count("revision"));
        const auto generation =
            std::ranges::find(recording.generations, revision, &ConfigApplied::revision);
        if (generation == recording.generations.end())
            problem.note(ErrorCode::Config, format("{} is {}, which is not among the generations",
                                                   reader.pathOf("revision"), revision.value));
        else
            recorded.command = commandOf(*generation);
    } else if (kind == "compact_now") {
        recorded.command = CompactNow{ConversationId(reader.count("conversation"))};
    } else if (kind == "cancel") {
        if (!dialect.sequential && !reader.member("conversation").is_null())
            recorded.command = CancelTurn{ConversationId(reader.count("conversation"))};
    } else {
        problem.note(ErrorCode::Config,
                     format("{} is '{}'; expected set_config, compact_now or cancel",
                            reader.pathOf("kind"), kind));
    }
    return recorded;
}

CompactionHappened readCompaction(const Json& json, const std::string& path, ReadProblem& problem) {
    ObjectReader reader(json, path, problem);
    CompactionHappened happened;
    happened.timeNs = reader.count("time_ns");
    happened.at = readPoint(reader, "at");
    happened.conversation = ConversationId(reader.count("conversation"));
    happened.revision = Revision(reader.count("revision"));
    CompactionReport& report = happened.report;
    report.result = reader.named<CompactionResult>("result", compactionResultNamed);
    report.cause = reader.named<CompactionCause>("cause", compactionCauseNamed);
    report.method = reader.named<CompactionMethod>("method", compactionMethodNamed);
    report.reason = reader.text("reason");
    report.tokens = reader.count("tokens");
    report.slotsBefore = reader.count("slots_before");
    report.slotsAfter = reader.count("slots_after");
    report.liveBytesBefore = reader.count("live_bytes_before");
    report.liveBytesAfter = reader.count("live_bytes_after");
    report.referenceQueries = reader.count("reference_queries");
    report.heldOutError = reader.optionalAmount("held_out_error");
    if (reader.has("queries_ms")) report.queriesMs = reader.amount("queries_ms");
    report.scoreMs = reader.amount("score_ms");
    report.selectMs = reader.amount("select_ms");
    report.fitMs = reader.amount("fit_ms");
    report.applyMs = reader.amount("apply_ms");
    report.totalMs = reader.amount("total_ms");
    report.stallMs = report.totalMs;
    if (!reader.has("background_ms")) return happened;  // written before there were any
    report.background = reader.count("background") != 0;
    report.stallMs = reader.amount("stall_ms");
    report.backgroundMs = reader.amount("background_ms");
    return happened;
}

void readQualities(ObjectReader& report, Recording& recording) {
    ReadProblem& problem = report.problem();
    ObjectReader reader(report.member("quality"), report.pathOf("quality"), problem);
    recording.qualitySeen = reader.count("seen");
    readList(reader, "rows", [&](const Json& row, const std::string& path) {
        recording.quality.push_back(readQuality(row, path, problem));
    });
}

Status checkSchema(const Json& report) {
    if (!report.is_object())
        return fail(ErrorCode::Incompatible, "this is no report: it is not a JSON object");
    const auto schema = report.find("schema");
    if (schema == report.end() || *schema != kReportSchema)
        return fail(ErrorCode::Incompatible,
                    format("this is no report: schema is {}; expected \"{}\"",
                           schema == report.end() ? "missing" : schema->dump(), kReportSchema));
    const auto version = report.find("version");
    if (version == report.end() ||
        (*version != kReportVersion && *version != kOwnSettingsReportVersion &&
         *version != kQualityReportVersion && *version != kOverlapReportVersion && *version != kSequentialReportVersion))
        return fail(ErrorCode::Incompatible,
                    format("version is {}; this program reads versions {} to {}",
                           version == report.end() ? "missing" : version->dump(),
                           kSequentialReportVersion, kReportVersion));
    return {};
}

void readAll(const Json& json, Recording& recording, ReadProblem& problem) {
    ObjectReader reader(json, "", problem);
    static_cast<void>(reader.member("schema"));
    const Json& version = reader.member("version");
    const Dialect dialect{.sequential = version == kSequentialReportVersion,
                          .quality = version >= kQualityReportVersion,
                          .own = version >= kOwnSettingsReportVersion,
                          .shared = version >= kReportVersion};
    static_cast<void>(reader.text("program"));
    static_cast<void>(reader.text("started"));
    recording.startedUnixMs = reader.count("started_unix_ms");
    if (const Json& model = reader.member("model"); !model.is_null())
        recording.model = readModel(model, problem);
    recording.machine = readMachine(reader.member("machine"), problem);
    recording.initialConfig = readConfig(reader, "initial_config", dialect);
    readList(reader, "turns", [&](const Json& item, const std::string& path) {
        recording.turns.push_back(readTurn(item, path, recording, dialect, problem));
    });
    readList(reader, "generations", [&](const Json& item, const std::string& path) {
        recording.generations.push_back(readGeneration(item, path, dialect, problem));
    });
    readList(reader, "commands", [&](const Json& item, const std::string& path) {
        recording.commands.push_back(readCommand(item, path, recording, dialect, problem));
    });
    readList(reader, "rejections", [&](const Json& item, const std::string& path) {
        recording.rejections.push_back(readRejection(item, path, problem));
    });
    readList(reader, "compactions", [&](const Json& item, const std::string& path) {
        recording.compactions.push_back(readCompaction(item, path, problem));
    });
    if (dialect.quality) readQualities(reader, recording);
    recording.notices = reader.texts("notices");
    readSamples(reader, recording);
}

}  // namespace

Result<Recording> recordingFromJson(const Json& report) {
    LACUNA_TRY_STATUS(checkSchema(report));
    Recording recording;
    ReadProblem problem;
    readAll(report, recording, problem);
    if (problem.error()) return tl::unexpected<Error>(*problem.error());
    return recording;
}

}  // namespace lacuna
