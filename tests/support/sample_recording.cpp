#include "tests/support/sample_recording.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace lacuna::test {
namespace {

StepSample sample(std::int64_t index, EngineState phase, std::int64_t tokens) {
    StepSample s;
    s.timeNs = 1'000'000 * index;
    s.at = {.turn = 1, .index = index};
    s.conversation = ConversationId(3);
    s.revision = Revision(index > 2 ? 1 : 0);
    s.phase = phase;
    s.tokens = phase == EngineState::Prefill ? 16 : 1;
    s.stepMs = 1.5 * static_cast<double>(index);
    s.kv = {.tokens = tokens,
            .slotsTotal = tokens * 4,
            .slotsLargestHead = static_cast<int>(tokens),
            .logicalBytes = tokens * 128,
            .liveBytes = tokens * 64,
            .allocatedBytes = 32'768,
            .reallocations = 0,
            .compactions = index > 2 ? 1 : 0};
    s.compaction = {.enabled = index > 2,
                    .due = false,
                    .slots = static_cast<int>(tokens),
                    .target = 32,
                    .trigger = 40};
    s.rssBytes = 50'000'000;
    return s;
}

CompactionHappened compaction(CompactionResult result, CompactionCause cause, double totalMs) {
    CompactionHappened happened;
    happened.timeNs = 3'100'000;
    happened.at = {.turn = 1, .index = 3};
    happened.conversation = ConversationId(3);
    happened.revision = Revision(1);
    CompactionReport& r = happened.report;
    r.result = result;
    r.cause = cause;
    r.method = CompactionMethod::AttentionMatching;
    if (result != CompactionResult::Done)
        r.notes = {noteOf(CompactionReason::Recorded, "=2+3 keys, \"not finite\"")};
    r.tokens = 64;
    r.slotsBefore = 256;
    r.slotsAfter = result == CompactionResult::Done ? 128 : 256;
    r.liveBytesBefore = 8'192;
    r.liveBytesAfter = result == CompactionResult::Done ? 4'096 : 8'192;
    r.referenceQueries = 48;
    if (result == CompactionResult::Done) r.heldOutError = 0.0625;
    r.requestedRatio = 4;
    r.achievedRatio = result == CompactionResult::Done ? 2 : 1;
    if (result == CompactionResult::Done)
        r.kept = KeptInformation{.all = 0.97,
                                 .worst = 0.81,
                                 .worstFirst = 48,
                                 .worstEnd = 64,
                                 .klMean = 0.02,
                                 .klP99 = 0.4,
                                 .sameTop = 0.96,
                                 .tokens = 200};
    r.queriesMs = totalMs / 8;
    r.scoreMs = totalMs / 4;
    r.selectMs = totalMs / 4;
    r.fitMs = totalMs / 4;
    r.applyMs = totalMs / 8;
    r.totalMs = totalMs;
    r.stallMs = totalMs;
    return happened;
}

RecordedTurn firstTurn(const EngineConfig& config) {
    RecordedTurn turn;
    turn.fingerprint = "0123456789abcdef";
    turn.started.conversation = ConversationId(3);
    turn.started.turn = 1;
    turn.started.messages = {
        {"system", "Be brief."},
        {"user", "<script>alert(1)</script> & **bold** `code`\n```\n| a | b |\x01"}};
    turn.started.stopStrings = {"\nUser:"};
    turn.started.rules = {.bias = {{5, -1.5}, {7, -100}},
                          .logprobs = 2,
                          .kind = AnswerForm::Grammar,
                          .form = "root ::= \"a\" | [^<&]+"};
    turn.started.config = config;
    turn.started.seed = 18'446'744'073'709'551'615ULL;
    turn.started.promptTokens = 1'234;
    turn.started.reusedTokens = 34;
    turn.started.reuseNote = "compacted: the prompt is read anew";
    TurnFinished finished;
    finished.conversation = turn.started.conversation;
    finished.turn = 1;
    finished.at = {.turn = 1, .index = 7};
    finished.reason = FinishReason::Stop;
    finished.tokens = {5, 6, 7, 2};
    finished.text = "=SUM(A1), said \"she\"\nand left";
    finished.stats = {.promptTokens = 1'234,
                      .reusedTokens = 34,
                      .generatedTokens = 4,
                      .compactions = 1,
                      .draftedTokens = 3,
                      .acceptedTokens = 1,
                      .decodeSteps = 3,
                      .prefillSeconds = 2.5,
                      .decodeSeconds = 0.25,
                      .timeToFirstTokenSeconds = 2.625};
    turn.finished = std::move(finished);
    return turn;
}

RecordedTurn failedTurn(const EngineConfig& config) {
    RecordedTurn turn = firstTurn(config);
    turn.started.turn = 2;
    turn.kept = 1;  // the cache of the first turn
    turn.started.messages.erase(turn.started.messages.begin());
    turn.started.revision = Revision(1);
    turn.started.reuseNote.clear();
    turn.finished->turn = 2;
    turn.finished->at = {.turn = 2, .index = 0};
    turn.finished->reason = FinishReason::Error;
    turn.finished->error =
        Error{ErrorCode::ContextFull, "the prompt has 9 tokens and the context has room for 8", {}};
    turn.finished->tokens.clear();
    turn.finished->text.clear();
    turn.finished->stats = {.promptTokens = 1'234, .reusedTokens = 34};
    return turn;
}

RecordedTurn openTurn(const EngineConfig& config) {
    RecordedTurn turn = firstTurn(config);
    turn.started.turn = 3;
    turn.finished.reset();
    return turn;
}

QualitySampled quality(std::int64_t index, double kl, bool sameTop) {
    QualitySampled sampled;
    sampled.timeNs = 1'000'000 * index;
    sampled.at = {.turn = 1, .index = index};
    sampled.conversation = ConversationId(3);
    sampled.revision = Revision(1);
    sampled.sample = {.tokens = 60 + index,
                      .kl = kl,
                      .sameTop = sameTop,
                      .outputError = 0.25,
                      .costMs = 1.5,
                      .decodeMs = 13.5,
                      .shadowBytes = 8'192};
    return sampled;
}

}  // namespace

Recording sampleRecording() {
    Recording r;
    r.startedUnixMs = 1'795'255'200'000;  // 2026-11-21T10:00:00Z
    r.model = ModelFacts{.path = "models/small.gguf",
                         .name = "small <b>model</b>",
                         .architecture = "llama",
                         .fileType = "Q8_0",
                         .licence = "apache-2.0",
                         .fingerprint = "0123456789abcdef",
                         .templateNote = "",
                         .parameters = 29'000'000,
                         .weightBytes = 31'000'000,
                         .layers = 2,
                         .heads = 8,
                         .kvHeads = 2,
                         .headDim = 64,
                         .vocabulary = 8'192,
                         .context = 4'096,
                         .precision = Precision::Exact,
                         .precisionKl = 0.25,
                         .precisionNote = "auto is float32; int8 0.75, above 0.0005"};
    r.machine = MachineFacts{.cpu = "Some CPU",
                             .isa = "avx2",
                             .cores = 2,
                             .memoryBytes = std::int64_t{8} << 30,
                             .availableBytes = std::int64_t{4} << 30,
                             .system = "Linux 6.1 x86_64"};
    EngineConfig changed;
    changed.kv.method = CompactionMethod::AttentionMatching;
    changed.kv.amRatio = 2.5;
    changed.kv.skipLayers = {0};
    r.turns = {firstTurn(r.initialConfig), failedTurn(changed), openTurn(changed)};
    r.generations = {ConfigApplied{.revision = Revision(1),
                                   .config = changed,
                                   .at = {.turn = 1, .index = 3},
                                   .timeNs = 3'000'000,
                                   .changes = settingsDiff(r.initialConfig, changed)}};
    EngineConfig own = changed;
    own.kv.amRatio = 5;
    r.generations.push_back({.revision = Revision(3),
                             .conversation = ConversationId(4),
                             .own = true,
                             .config = own,
                             .at = {.turn = 1, .index = 5},
                             .timeNs = 3'500'000,
                             .changes = settingsDiff(changed, own)});
    r.generations.push_back({.revision = Revision(4),
                             .conversation = ConversationId(4),
                             .own = false,
                             .ownBefore = true,
                             .config = changed,
                             .at = {.turn = 1, .index = 6},
                             .timeNs = 3'600'000,
                             .changes = settingsDiff(own, changed)});
    r.commands = {
        {{.turn = 1, .index = 3}, SetConfig{Revision(1), changed}},
        {{.turn = 1, .index = 3}, CompactNow{ConversationId(3)}},
        {{.turn = 1, .index = 5},
         SetCacheSettings{Revision(3), ConversationId(4), cacheSettingsOf(own)}},
        {{.turn = 1, .index = 6}, SetCacheSettings{Revision(4), ConversationId(4), std::nullopt}},
        {{.turn = 1, .index = 7}, CancelTurn{}}};
    r.rejections = {
        ConfigRejected{.revision = Revision(2),
                       .violations = {{.rule = "AM-RANGE",
                                       .field = "am_ratio",
                                       .found = "8.1",
                                       .allowed = "1 to 8",
                                       .nearest = "8",
                                       .sentence = "am_ratio is 8.1; allowed is 1 to 8."}},
                       .timeNs = 4'000'000}};
    r.samples = {sample(1, EngineState::Prefill, 16), sample(2, EngineState::Prefill, 32),
                 sample(3, EngineState::Decode, 33), sample(4, EngineState::Idle, 33)};
    r.samplesSeen = 9;
    r.compactions = {compaction(CompactionResult::Done, CompactionCause::ConfigChange, 2.0),
                     compaction(CompactionResult::Skipped, CompactionCause::Manual, 0),
                     compaction(CompactionResult::Failed, CompactionCause::Budget, 1.0)};
    r.restores = {SpanRestored{.at = {.turn = 1, .index = 8},
                               .conversation = ConversationId(3),
                               .first = 5,
                               .count = 7,
                               .restoredTokens = 30,
                               .rereadTokens = 3,
                               .keptTokens = 7,
                               .seconds = 0.5,
                               .ended = true},
                  SpanRestored{.at = {.turn = 1, .index = 9},
                               .conversation = ConversationId(3),
                               .first = 900,
                               .count = 1,
                               .ended = true,
                               .error = Error{ErrorCode::Range, "no such tokens", {}}},
                  SpanRestored{.at = {.turn = 1, .index = 10},
                               .conversation = ConversationId(3),
                               .first = 2,
                               .count = 5,
                               .spans = {{9, 11}, {2, 5}},
                               .forQuestion = true,
                               .offered = true,
                               .restoredTokens = 20,
                               .rereadTokens = 4,
                               .seconds = 0.25,
                               .ended = true}};
    r.kept = PrefixCacheChanged{};
    r.kept->stats.limitBytes = 64 << 20;
    r.kept->stats.bytes = 24 << 20;
    r.kept->stats.entries = 4;
    r.kept->stats.lookups = 12;
    r.kept->stats.matches = {3, 2, 0, 6, 1};
    r.kept->stats.misses = {2, 0, 1, 0, 0, 0};
    r.kept->stats.tokensQueried = 9'000;
    r.kept->stats.tokensReused = 6'500;
    r.kept->stats.savedSeconds = 3.5;
    r.kept->disk.limitBytes = 1 << 30;
    r.kept->disk.bytes = 5 << 20;
    r.kept->disk.files = 20;
    r.kept->disk.lookups = 3;
    r.kept->disk.hits = 1;
    r.kept->disk.misses = {0, 0, 0, 0, 2, 0};
    r.kept->disk.tokensReused = 256;
    r.kept->disk.savedSeconds = -0.25;
    r.kept->disk.last = {.reason = LoadReason::Faster,
                         .tokens = 256,
                         .bytes = 1 << 20,
                         .loadMs = 12,
                         .computeMs = 300,
                         .tookMs = 10};
    r.quality = {quality(4, 0.125, true), quality(5, 0.5, false)};
    r.quality[1].sample.outputError.reset();
    r.qualitySeen = 3;
    r.notices = {"A policy was replaced."};
    return r;
}

void dropSplit(Json& report) {
    Json& columns = report["samples"]["columns"];
    for (const char* name : {"scale_bytes", "exact_window_bytes"}) {
        const auto column = static_cast<std::size_t>(
            std::distance(columns.begin(), std::find(columns.begin(), columns.end(), name)));
        columns.erase(column);
        for (Json& row : report["samples"]["rows"]) row.erase(column);
    }
}

void listAllMessages(Json& report) {
    std::map<std::int64_t, Json> messagesOf;
    for (Json& turn : report["turns"]) {
        Json all = Json::array();
        if (const Json& continued = turn["continues"]; !continued.is_null()) {
            const Json& earlier = messagesOf[continued["turn"].get<std::int64_t>()];
            for (std::size_t i = 0; i < continued["messages"].get<std::size_t>(); ++i)
                all.push_back(earlier.at(i));
        }
        for (const Json& own : turn["messages"]) all.push_back(own);
        turn.erase("continues");
        turn["messages"] = all;
        messagesOf[turn["turn"].get<std::int64_t>()] = all;
    }
}

}  // namespace lacuna::test
