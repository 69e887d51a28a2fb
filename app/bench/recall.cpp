#include "app/bench/recall.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/generate/bring_back.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/look_back.h"
#include "engine/generate/prompt.h"
#include "engine/generate/text_pass.h"
#include "engine/model/model_cache.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {
namespace {

/// Returns a required string member.
Result<std::string> textMember(const Json& object, std::string_view key, std::string_view path) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string())
        return fail(ErrorCode::Config,
                    format("{}.{} is {}; expected text", path, key,
                           found == object.end() ? "missing" : found->type_name()));
    return found->get<std::string>();
}

Result<std::vector<ChatMessage>> messagesMember(const Json& object, std::string_view path) {
    const auto found = object.find("messages");
    if (found == object.end() || !found->is_array() || found->empty())
        return fail(ErrorCode::Config, format("{}.messages is not a list of messages", path));
    std::vector<ChatMessage> messages;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const std::string at = format("{}.messages[{}]", path, i);
        if (!(*found)[i].is_object())
            return fail(ErrorCode::Config, format("{} is not an object", at));
        LACUNA_TRY(auto role, textMember((*found)[i], "role", at));
        LACUNA_TRY(auto content, textMember((*found)[i], "content", at));
        messages.push_back({std::move(role), std::move(content)});
    }
    return messages;
}

Result<RecallCase> caseFromJson(const Json& object, std::string_view path) {
    if (!object.is_object()) return fail(ErrorCode::Config, format("{} is not an object", path));
    RecallCase one;
    LACUNA_TRY(one.kind, textMember(object, "kind", path));
    const auto length = object.find("approx_tokens");
    const bool whole = length != object.end() && length->is_number_integer();
    const std::int64_t tokens = whole ? length->get<std::int64_t>() : -1;
    if (tokens < 0 || tokens > 100'000'000)
        return fail(ErrorCode::Config,
                    format("{}.approx_tokens is not a whole number of 0 or more", path));
    one.approxTokens = static_cast<int>(tokens);
    LACUNA_TRY(one.messages, messagesMember(object, path));
    LACUNA_TRY(one.answer, textMember(object, "answer", path));
    LACUNA_TRY(one.key, textMember(object, "key", path));
    if (one.key.empty())
        return fail(ErrorCode::Config,
                    format("{}.key is empty; every answer would contain it", path));
    return one;
}

class RecallRun {
  public:
    RecallRun(Transformer& model, ThreadPool& pool, const RecallOptions& options)
        : model_(model), pool_(pool), options_(options), asker_(model, pool, options) {}

    [[nodiscard]] Status ask(const RecallCase& one);
    [[nodiscard]] Status askInTurns(const RecallCase& one);
    [[nodiscard]] RecallOutcome& outcome() { return outcome_; }

  private:
    [[nodiscard]] Status compact(Sequence& sequence, const GenerationSettings& settings,
                                 RecallRow& row);
    [[nodiscard]] Status storeAndLoad(Sequence& sequence) const;
    [[nodiscard]] Result<std::unique_ptr<Generation>> answer(Sequence& sequence,
                                                             std::vector<TokenId> prompt,
                                                             const GenerationSettings& settings,
                                                             RecallRow& row);
    void finish(const Sequence& sequence, const Generation& generation, RecallRow row);
    [[nodiscard]] Result<std::unique_ptr<Generation>> askACopy(Sequence& sequence,
                                                               std::vector<TokenId> prompt,
                                                               const GenerationSettings& settings,
                                                               RecallRow& row);
    [[nodiscard]] Result<TokenSpan> lineOf(std::string_view key,
                                           std::span<const TokenId> text) const;
    [[nodiscard]] Result<KeptSpans> spansToRestore(const Sequence& sequence, KvCache& whole,
                                                   std::span<const TokenId> prompt,
                                                   const GenerationSettings& settings,
                                                   const RecallRow& row);
    [[nodiscard]] Result<bool> restore(Sequence& sequence, KvCache& whole,
                                       std::span<const TokenId> prompt,
                                       const GenerationSettings& settings, RecallRow& row);
    [[nodiscard]] Status askRestored(Sequence& sequence, std::unique_ptr<KvCache> whole,
                                     std::vector<TokenId> prompt,
                                     const GenerationSettings& settings, RecallRow row);
    void countCompaction(const CompactionReport& report, RecallRow& row);
    void countBytes(const KvStats& stats, RecallRow& row);
    void count(const RecallRow& row);

    Transformer& model_;
    ThreadPool& pool_;
    const RecallOptions& options_;
    const CaseRunner asker_;
    RecallOutcome outcome_;
};

void RecallRun::countCompaction(const CompactionReport& report, RecallRow& row) {
    row.compaction = report;
    outcome_.measureMs += report.measureMs;
    if (report.result != CompactionResult::Done) return;
    ++outcome_.compactions;
    outcome_.compactionMs += report.totalMs;
    outcome_.queriesMs += report.queriesMs;
    row.evictions += report.slotsBefore - report.slotsAfter;
}

void RecallRun::countBytes(const KvStats& stats, RecallRow& row) {
    outcome_.liveBytes += stats.liveBytes;
    outcome_.logicalBytes += stats.logicalBytes;
    row.liveOfLogical = liveOfLogical(stats);
    row.bitsPerNumber = bitsPerNumber(stats);
}

Status RecallRun::compact(Sequence& sequence, const GenerationSettings& settings, RecallRow& row) {
    LACUNA_TRY(const CompactionReport report, asker_.compact(sequence, settings));
    countCompaction(report, row);
    if (report.result != CompactionResult::Done) outcome_.fullReason = exclusionText(report.notes);
    countBytes(sequence.cache().stats(), row);
    return {};
}

Status RecallRun::ask(const RecallCase& one) {
    if (options_.protocol == RecallProtocol::TurnByTurn) return askInTurns(one);
    LACUNA_TRY(auto prompt, promptTokens(model_.model(), one.messages, asker_.stopRequested()));
    RecallRow row;
    row.kind = format("{}@{}", one.kind, one.approxTokens);
    row.key = one.key;
    row.promptTokens = static_cast<std::int64_t>(prompt.size());
    LACUNA_TRY(auto sequence, asker_.newSequence());
    const bool early = options_.protocol == RecallProtocol::BeforeQuestion;
    std::size_t text = prompt.size();
    if (early) {
        LACUNA_TRY(text, tokensBeforeQuestion(model_.model(), one.messages, prompt));
    }
    GenerationSettings settings = asker_.settingsFor(text);
    if (early && text > 0) {
        LACUNA_TRY_STATUS(asker_.read(*sequence, std::span(prompt).first(text), settings));
        if (options_.stored != nullptr) {
            LACUNA_TRY_STATUS(storeAndLoad(*sequence));
        }
        std::unique_ptr<KvCache> whole;
        const bool restores = options_.restore != RecallRestore::Nothing;
        if (restores) {
            LACUNA_TRY(whole, sequence->cache().share());
        }
        if (options_.stored == nullptr) LACUNA_TRY_STATUS(compact(*sequence, settings, row));
        if (restores)
            return askRestored(*sequence, std::move(whole), std::move(prompt), settings,
                               std::move(row));
        settings.kv.method = CompactionMethod::None;
    }
    LACUNA_TRY(const auto generation, answer(*sequence, std::move(prompt), settings, row));
    finish(*sequence, *generation, std::move(row));
    return {};
}

/// Replaces the cache by its encoded and decoded version.
Status RecallRun::storeAndLoad(Sequence& sequence) const {
    const TokenRun run{0, sequence.cache().offset().value};
    LACUNA_TRY(const std::vector<std::byte> page, options_.stored->encode(sequence.cache(), run));
    LACUNA_TRY(auto loaded, makeModelCache(model_.model(), options_.kv));
    LACUNA_TRY_STATUS(options_.stored->decode(page, run, *loaded));
    sequence.exchangeCache(std::move(loaded));
    return {};
}

/// Answers on a copy of the cache, which itself stays unchanged.
Result<std::unique_ptr<Generation>> RecallRun::askACopy(Sequence& sequence,
                                                        std::vector<TokenId> prompt,
                                                        const GenerationSettings& settings,
                                                        RecallRow& row) {
    LACUNA_TRY(auto copy, sequence.cache().share());
    LACUNA_TRY(auto other, asker_.newSequence());
    other->adopt(std::move(copy), {sequence.tokens().begin(), sequence.tokens().end()});
    GenerationSettings asking = settings;
    asking.kv.method = CompactionMethod::None;
    return answer(*other, std::move(prompt), asking, row);
}

/// Returns the spans to restore, the most important last.
Result<KeptSpans> RecallRun::spansToRestore(const Sequence& sequence, KvCache& whole,
                                            std::span<const TokenId> prompt,
                                            const GenerationSettings& settings,
                                            const RecallRow& row) {
    const std::size_t text = sequence.tokens().size();
    if (options_.restore == RecallRestore::Answer) {
        LACUNA_TRY(const TokenSpan line, lineOf(row.key, prompt.first(text)));
        return KeptSpans{line};
    }
    const CompactorModel facts = compactorModel(model_.model(), 0, {});
    LACUNA_TRY(auto reading, whole.share());
    LookBackLimits limits = options_.needed;
    limits.room = roomForMore(sequence, settings.kv);
    return neededBy(
        {.text = sequence.tokens(), .question = prompt.subspan(text), .cache = sequence.cache()},
        *reading,
        {.model = model_,
         .pool = pool_,
         .facts = facts,
         .chunk = settings.prefillChunk,
         .cancelled = asker_.stopRequested()},
        limits);
}

/// Returns whether the requested tokens could be restored.
Result<bool> RecallRun::restore(Sequence& sequence, KvCache& whole, std::span<const TokenId> prompt,
                                const GenerationSettings& settings, RecallRow& row) {
    const SteadyClock clock;
    const std::int64_t begin = clock.nowNs();
    LACUNA_TRY(const KeptSpans spans, spansToRestore(sequence, whole, prompt, settings, row));
    row.restoredTokens = tokensOf(spans);
    if (spans.empty()) {
        outcome_.restoreMs += millisecondsSince(clock, begin);
        return true;
    }
    LACUNA_TRY(auto start, whole.share());
    // The restored cache ends one token early, as does a hit in the prefix cache.
    LACUNA_TRY_STATUS(start->rollback(1));
    const auto back = bringBack(sequence, spans, std::move(start),
                                {.model = model_,
                                 .kv = settings.kv,
                                 .chunk = settings.prefillChunk,
                                 .reader = queryReader({.model = &model_,
                                                        .tokens = sequence.tokens(),
                                                        .type = settings.kv.type,
                                                        .chunk = settings.prefillChunk,
                                                        .cancelled = asker_.stopRequested()}),
                                 .cancelled = asker_.stopRequested()});
    outcome_.restoreMs += millisecondsSince(clock, begin);
    if (back) {
        outcome_.restoredTokens += row.restoredTokens;
        return true;
    }
    if (back.error().code != ErrorCode::Range) return tl::unexpected<Error>(back.error());
    row.restoreNote = back.error().what;
    return false;
}

/// Asks before and after restoring tokens.
Status RecallRun::askRestored(Sequence& sequence, std::unique_ptr<KvCache> whole,
                              std::vector<TokenId> prompt, const GenerationSettings& settings,
                              RecallRow row) {
    LACUNA_TRY(const auto before, askACopy(sequence, prompt, settings, row));
    LACUNA_TRY(const bool restored, restore(sequence, *whole, prompt, settings, row));
    if (restored) {
        LACUNA_TRY(const auto after, askACopy(sequence, std::move(prompt), settings, row));
        row.hitRestored = after->text().find(row.key) != std::string::npos;
    }
    finish(sequence, *before, std::move(row));
    return {};
}

/// Returns the tokens of the last line of a text that contains `key`. Errors: InvalidArgument (no
/// such line), those of decoding.
Result<TokenSpan> RecallRun::lineOf(std::string_view key, std::span<const TokenId> text) const {
    const Tokenizer& tokenizer = model_.model().tokenizer;
    std::string all;
    std::vector<std::size_t> ends;
    for (const TokenId token : text) {
        LACUNA_TRY(const std::string piece, tokenizer.pieceBytes(token, SpecialOutput::Show));
        all += piece;
        ends.push_back(all.size());
    }
    const std::size_t at = all.rfind(key);
    if (at == std::string::npos)
        return fail(ErrorCode::InvalidArgument, format("the text does not contain {}", key));
    const std::size_t before = all.rfind('\n', at);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    const std::size_t last = std::min(all.find('\n', at), all.size());
    const auto tokenOf = [&](std::size_t byte) {
        return std::ranges::upper_bound(ends, byte) - ends.begin();
    };
    return TokenSpan{tokenOf(first), tokenOf(last - 1) + 1};
}

Status RecallRun::askInTurns(const RecallCase& one) {
    LACUNA_TRY(auto sequence, asker_.newSequence());
    RecallRow row;
    row.kind = format("{}@{}", one.kind, one.approxTokens);
    row.key = one.key;
    std::unique_ptr<Generation> last;
    std::vector<ChatMessage> said;
    for (const ChatMessage& message : one.messages) {
        said.push_back(message);
        if (message.role != "user") continue;
        LACUNA_TRY(auto prompt, promptTokens(model_.model(), said, asker_.stopRequested()));
        row.promptTokens = static_cast<std::int64_t>(prompt.size());
        const GenerationSettings settings = asker_.settingsFor(prompt.size());
        LACUNA_TRY(last, answer(*sequence, std::move(prompt), settings, row));
        said.push_back({"assistant", last->text()});
    }
    if (last == nullptr)
        return fail(
            ErrorCode::InvalidArgument,
            format("a case of kind {} has no question: none of its messages is from the user",
                   one.kind));
    finish(*sequence, *last, std::move(row));
    return {};
}

Result<std::unique_ptr<Generation>> RecallRun::answer(Sequence& sequence,
                                                      std::vector<TokenId> prompt,
                                                      const GenerationSettings& settings,
                                                      RecallRow& row) {
    return asker_.answer(sequence, std::move(prompt), settings,
                         [&](const CompactionReport& report) { countCompaction(report, row); });
}

void RecallRun::finish(const Sequence& sequence, const Generation& generation, RecallRow row) {
    row.tokens.assign(generation.answer().begin(), generation.answer().end());
    row.text = generation.text();
    row.hit = row.text.find(row.key) != std::string::npos;
    if (options_.protocol != RecallProtocol::BeforeQuestion)
        countBytes(sequence.cache().stats(), row);
    count(row);
    outcome_.rows.push_back(std::move(row));
}

void RecallRun::count(const RecallRow& row) {
    auto& kinds = outcome_.byKind;
    auto found = std::ranges::find(kinds, row.kind, &std::pair<std::string, RecallCount>::first);
    if (found == kinds.end()) found = kinds.insert(kinds.end(), {row.kind, RecallCount{}});
    for (RecallCount* counter : {&found->second, &outcome_.total}) {
        ++counter->cases;
        counter->hits += row.hit ? 1 : 0;
    }
    if (row.hitRestored) {
        const std::int64_t hit = *row.hitRestored ? 1 : 0;
        ++outcome_.allRestored.cases;
        outcome_.allRestored.hits += hit;
        outcome_.missedRestored.cases += row.hit ? 0 : 1;
        outcome_.missedRestored.hits += row.hit ? 0 : hit;
    }
    outcome_.restoresRefused += row.restoreNote.empty() ? 0 : 1;
    outcome_.promptTokens += row.promptTokens;
    outcome_.evictions += row.evictions;
    if (row.compaction) outcome_.loss.add(*row.compaction);
}

OrderedJson countJson(const RecallCount& count) {
    return {{"cases", count.cases}, {"hits", count.hits}, {"rate", count.rate()}};
}

}  // namespace

Result<std::vector<RecallCase>> recallCasesFromJson(const Json& list) {
    if (!list.is_array()) return fail(ErrorCode::Config, "the recall cases are not a list");
    std::vector<RecallCase> cases;
    for (std::size_t i = 0; i < list.size(); ++i) {
        LACUNA_TRY(auto one, caseFromJson(list[i], format("cases[{}]", i)));
        cases.push_back(std::move(one));
    }
    return cases;
}

Result<RecallOutcome> runRecall(Transformer& model, ThreadPool& pool,
                                std::span<const RecallCase> cases, const RecallOptions& options) {
    LACUNA_TRY_STATUS(checkCaseOptions(options));
    if (options.restore != RecallRestore::Nothing &&
        options.protocol != RecallProtocol::BeforeQuestion)
        return fail(ErrorCode::Conflict,
                    "restoring can only be measured with texts compacted before the question");
    if (options.stored != nullptr && options.protocol != RecallProtocol::BeforeQuestion)
        return fail(ErrorCode::Conflict,
                    "a stored cache can only be measured between text and question");
    if (options.limit > 0)
        cases = cases.first(std::min(cases.size(), static_cast<std::size_t>(options.limit)));
    RecallRun run(model, pool, options);
    const SteadyClock clock;
    const std::int64_t begin = clock.nowNs();
    const auto total = static_cast<std::int64_t>(cases.size());
    for (std::int64_t done = 0; done < total; ++done) {
        if (options.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "the recall run was stopped");
        LACUNA_TRY_STATUS(run.ask(cases[static_cast<std::size_t>(done)]));
        if (options.progress) options.progress(done + 1, total);
    }
    RecallOutcome& outcome = run.outcome();
    outcome.seconds = secondsSince(clock, begin);
    double shares = 0;
    double bits = 0;
    for (const RecallRow& row : outcome.rows) {
        shares += row.liveOfLogical;
        bits += row.bitsPerNumber;
    }
    if (!outcome.rows.empty()) {
        outcome.liveOfLogical = shares / static_cast<double>(outcome.rows.size());
        outcome.bitsPerNumber = bits / static_cast<double>(outcome.rows.size());
    }
    const auto untouched = std::ranges::count(outcome.rows, 0, &RecallRow::evictions);
    const std::string why = outcome.fullReason.empty() ? "" : ": " + outcome.fullReason;
    if (options.kv.method != CompactionMethod::None && outcome.evictions == 0)
        outcome.note = "nothing was evicted or merged, so compaction was not measured" + why;
    else if (options.kv.method != CompactionMethod::None && untouched > 0)
        outcome.note = format(
            "{} of {} texts were not compacted, so the rate is partly that of the full cache{}",
            untouched, outcome.rows.size(), why);
    return std::move(outcome);
}

OrderedJson recallJson(const RecallOutcome& outcome, RecallDetail detail) {
    OrderedJson kinds = OrderedJson::object();
    for (const auto& [kind, count] : outcome.byKind) kinds[kind] = countJson(count);
    OrderedJson json{
        {"total", countJson(outcome.total)},        {"by_kind", std::move(kinds)},
        {"prompt_tokens", outcome.promptTokens},    {"evictions", outcome.evictions},
        {"compactions", outcome.compactions},       {"live_bytes", outcome.liveBytes},
        {"logical_bytes", outcome.logicalBytes},    {"live_of_logical", outcome.liveOfLogical},
        {"bits_per_number", outcome.bitsPerNumber}, {"seconds", outcome.seconds},
        {"compaction_ms", outcome.compactionMs}};
    if (outcome.queriesMs > 0) json["queries_ms"] = outcome.queriesMs;
    if (outcome.measureMs > 0) json["measure_ms"] = outcome.measureMs;
    outcome.loss.addTo(json);
    if (outcome.allRestored.cases + outcome.restoresRefused > 0)
        json["restored"] = {{"all", countJson(outcome.allRestored)},
                            {"missed_before", countJson(outcome.missedRestored)},
                            {"refused", outcome.restoresRefused},
                            {"tokens", outcome.restoredTokens},
                            {"ms", outcome.restoreMs}};
    if (!outcome.note.empty()) json["note"] = outcome.note;
    if (detail == RecallDetail::Summary) return json;
    OrderedJson rows = OrderedJson::array();
    for (const RecallRow& row : outcome.rows) {
        rows.push_back({{"kind", row.kind},
                        {"prompt_tokens", row.promptTokens},
                        {"greedy_ids", row.tokens},
                        {"text", row.text},
                        {"key", row.key},
                        {"hit", row.hit},
                        {"evictions", row.evictions},
                        {"live_of_logical", row.liveOfLogical},
                        {"bits_per_number", row.bitsPerNumber}});
        addLossJson(rows.back(), row.compaction);
        if (row.hitRestored) rows.back()["hit_restored"] = *row.hitRestored;
        if (row.restoredTokens > 0) rows.back()["restored_tokens"] = row.restoredTokens;
        if (!row.restoreNote.empty()) rows.back()["restore_note"] = row.restoreNote;
    }
    json["rows"] = std::move(rows);
    return json;
}

}  // namespace lacuna
