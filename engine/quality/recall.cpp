#include "engine/quality/recall.h"

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/generation.h"
#include "engine/generate/prompt.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

/// A member that must be there and of a kind.
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
        return fail(ErrorCode::Config, format("{}.messages is not a list with messages", path));
    std::vector<ChatMessage> messages;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const std::string at = format("{}.messages[{}]", path, i);
        if (!(*found)[i].is_object()) return fail(ErrorCode::Config, format("{} is no object", at));
        LACUNA_TRY(auto role, textMember((*found)[i], "role", at));
        LACUNA_TRY(auto content, textMember((*found)[i], "content", at));
        messages.push_back({std::move(role), std::move(content)});
    }
    return messages;
}

Result<RecallCase> caseFromJson(const Json& object, std::string_view path) {
    if (!object.is_object()) return fail(ErrorCode::Config, format("{} is no object", path));
    RecallCase one;
    LACUNA_TRY(one.kind, textMember(object, "kind", path));
    const auto length = object.find("approx_tokens");
    const bool whole = length != object.end() && length->is_number_integer();
    const std::int64_t tokens = whole ? length->get<std::int64_t>() : -1;
    if (tokens < 0 || tokens > 100'000'000)
        return fail(ErrorCode::Config,
                    format("{}.approx_tokens is not a whole number from 0", path));
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
        : model_(model), pool_(pool), options_(options) {}

    [[nodiscard]] Status ask(const RecallCase& one);
    [[nodiscard]] Status askInTurns(const RecallCase& one);
    [[nodiscard]] RecallOutcome& outcome() { return outcome_; }

  private:
    [[nodiscard]] Result<std::unique_ptr<Sequence>> newSequence() const;
    [[nodiscard]] Status readText(Sequence& sequence, std::span<const TokenId> text,
                                  const GenerationSettings& settings, RecallRow& row);
    /// The answer to `prompt`, from its first step to its end.
    [[nodiscard]] Result<std::unique_ptr<Generation>> answer(Sequence& sequence,
                                                             std::vector<TokenId> prompt,
                                                             const GenerationSettings& settings,
                                                             RecallRow& row);
    void finish(const Sequence& sequence, const Generation& generation, RecallRow row);
    void countCompaction(const CompactionReport& report, RecallRow& row);
    [[nodiscard]] GenerationSettings settingsFor(std::size_t promptTokens) const;
    [[nodiscard]] StopAsked stopAsked() const {
        return [stop = options_.stop] { return stop.stop_requested(); };
    }
    void count(const RecallRow& row);

    Transformer& model_;
    ThreadPool& pool_;
    const RecallOptions& options_;
    const SteadyClock clock_;
    RecallOutcome outcome_;
};

Result<std::unique_ptr<Sequence>> RecallRun::newSequence() const {
    const ModelSpec& spec = model_.model().spec;
    const CompactorModel compactor =
        compactorModel(spec, options_.sampling.seed.value_or(0), options_.profiles);
    return Sequence::create([&spec, kv = options_.kv] { return makeModelCache(spec, kv); },
                            [this, compactor](const KvShape& made) {
                                return std::make_unique<Compactor>(compactor, made, pool_, clock_);
                            });
}

GenerationSettings RecallRun::settingsFor(std::size_t promptTokens) const {
    GenerationSettings settings{
        .kv = options_.kv,
        .sampling = options_.sampling,
        .prefillPolicy = options_.prefillPolicy,
        .prefillChunk = options_.prefillChunk,
        .maxTokens = options_.maxTokens,
        .context = options_.context > 0 ? options_.context : model_.model().spec.context};
    if (options_.budgetShare) {
        const auto share =
            static_cast<int>(std::ceil(*options_.budgetShare * static_cast<double>(promptTokens)));
        settings.kv.budget = std::max(share, settings.kv.nSink + settings.kv.keepRecent + 1);
    }
    return settings;
}

void RecallRun::countCompaction(const CompactionReport& report, RecallRow& row) {
    if (report.result != CompactionResult::Done) return;
    ++outcome_.compactions;
    outcome_.compactionMs += report.totalMs;
    outcome_.queriesMs += report.queriesMs;
    row.evictions += report.slotsBefore - report.slotsAfter;
}

/// Feeds the text in chunks and compacts once. A compaction that fails is an error: the rate would
/// be of another setting.
Status RecallRun::readText(Sequence& sequence, std::span<const TokenId> text,
                           const GenerationSettings& settings, RecallRow& row) {
    const ForwardOptions forward{.cancelled = [this] { return options_.stop.stop_requested(); }};
    const auto step = static_cast<std::size_t>(std::max(settings.prefillChunk, 1));
    for (std::size_t at = 0; at < text.size(); at += step) {
        const auto chunk = text.subspan(at, std::min(step, text.size() - at));
        const BatchRun run{
            .tokens = chunk,
            .cache = &sequence.cache(),
            .logits = LogitsFor::None,
            .observer = sequence.compactor().observer(sequence.cache(), settings.kv)};
        LACUNA_TRY([[maybe_unused]] const auto none, model_.forward(std::span(&run, 1), forward));
        sequence.appended(chunk);
    }
    const QueryReader reader = queryReader({.model = &model_,
                                            .tokens = sequence.tokens(),
                                            .type = settings.kv.type,
                                            .chunk = settings.prefillChunk,
                                            .cancelled = forward.cancelled});
    const CompactionReport report =
        sequence.compactor().compact(sequence.cache(), settings.kv, {.reader = reader});
    if (report.result == CompactionResult::Aborted)
        return fail(ErrorCode::Cancelled, report.reason);
    if (report.result == CompactionResult::Failed)
        return fail(ErrorCode::Unsupported, report.reason);
    countCompaction(report, row);
    const KvStats stats = sequence.cache().stats();
    outcome_.liveBytes += stats.liveBytes;
    outcome_.logicalBytes += stats.logicalBytes;
    return {};
}

Status RecallRun::ask(const RecallCase& one) {
    if (options_.protocol == RecallProtocol::TurnByTurn) return askInTurns(one);
    LACUNA_TRY(auto prompt, promptTokens(model_.model(), one.messages, stopAsked()));
    RecallRow row;
    row.kind = format("{}@{}", one.kind, one.approxTokens);
    row.key = one.key;
    row.promptTokens = static_cast<std::int64_t>(prompt.size());
    LACUNA_TRY(auto sequence, newSequence());
    const bool early = options_.protocol == RecallProtocol::BeforeQuestion;
    std::size_t text = prompt.size();
    if (early) {
        LACUNA_TRY(text, tokensBeforeQuestion(model_.model(), one.messages, prompt));
    }
    GenerationSettings settings = settingsFor(text);
    if (early && text > 0) {
        LACUNA_TRY_STATUS(readText(*sequence, std::span(prompt).first(text), settings, row));
        settings.kv.method = CompactionMethod::None;
    }
    LACUNA_TRY(const auto generation, answer(*sequence, std::move(prompt), settings, row));
    finish(*sequence, *generation, std::move(row));
    return {};
}

Status RecallRun::askInTurns(const RecallCase& one) {
    LACUNA_TRY(auto sequence, newSequence());
    RecallRow row;
    row.kind = format("{}@{}", one.kind, one.approxTokens);
    row.key = one.key;
    std::unique_ptr<Generation> last;
    std::vector<ChatMessage> said;
    for (const ChatMessage& message : one.messages) {
        said.push_back(message);
        if (message.role != "user") continue;
        LACUNA_TRY(auto prompt, promptTokens(model_.model(), said, stopAsked()));
        row.promptTokens = static_cast<std::int64_t>(prompt.size());
        const GenerationSettings settings = settingsFor(prompt.size());
        LACUNA_TRY(last, answer(*sequence, std::move(prompt), settings, row));
        said.push_back({"assistant", last->text()});
    }
    if (last == nullptr)
        return fail(ErrorCode::InvalidArgument,
                    format("a case of kind {} asks nothing: none of its messages is the person's",
                           one.kind));
    finish(*sequence, *last, std::move(row));
    return {};
}

Result<std::unique_ptr<Generation>> RecallRun::answer(Sequence& sequence,
                                                      std::vector<TokenId> prompt,
                                                      const GenerationSettings& settings,
                                                      RecallRow& row) {
    GenerationRequest request{
        .prompt = std::move(prompt), .stopStrings = {}, .seed = options_.sampling.seed.value_or(0)};
    LACUNA_TRY(auto generation, Generation::start(model_, sequence, std::move(request), settings));
    const ForwardOptions forward{.cancelled = [this] { return options_.stop.stop_requested(); }};
    while (!generation->finished()) {
        LACUNA_TRY(const auto step, generation->step(model_, settings, forward, clock_));
        if (step.compaction) countCompaction(*step.compaction, row);
    }
    return generation;
}

void RecallRun::finish(const Sequence& sequence, const Generation& generation, RecallRow row) {
    row.tokens.assign(generation.answer().begin(), generation.answer().end());
    row.text = generation.text();
    row.hit = row.text.find(row.key) != std::string::npos;
    if (options_.protocol != RecallProtocol::BeforeQuestion) {
        const KvStats stats = sequence.cache().stats();
        outcome_.liveBytes += stats.liveBytes;
        outcome_.logicalBytes += stats.logicalBytes;
    }
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
    outcome_.promptTokens += row.promptTokens;
    outcome_.evictions += row.evictions;
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

Result<std::size_t> tokensBeforeQuestion(const LoadedModel& model,
                                         std::span<const ChatMessage> messages,
                                         std::span<const TokenId> prompt) {
    std::vector<ChatMessage> without(messages.begin(), messages.end());
    if (without.empty()) return std::size_t{0};
    std::string& text = without.back().content;
    const std::size_t blank = text.rfind("\n\n");
    text.resize(blank == std::string::npos ? 0 : blank + 2);
    LACUNA_TRY(const std::vector<TokenId> other, promptTokens(model, without));
    const auto apart = std::mismatch(prompt.begin(), prompt.end(), other.begin(), other.end());
    const auto common = static_cast<std::size_t>(apart.first - prompt.begin());
    return std::min(common, prompt.size() - 1);
}

Result<RecallOutcome> runRecall(Transformer& model, ThreadPool& pool,
                                std::span<const RecallCase> cases, const RecallOptions& options) {
    if (options.budgetShare && !(*options.budgetShare > 0 && *options.budgetShare <= 1))
        return fail(ErrorCode::Range, format("the budget share is {}; allowed is above 0, up to 1",
                                             *options.budgetShare));
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
    if (options.kv.method != CompactionMethod::None && outcome.evictions == 0)
        outcome.note = "nothing was evicted or merged, so this rate says nothing about compaction";
    return std::move(outcome);
}

OrderedJson recallJson(const RecallOutcome& outcome, RecallDetail detail) {
    OrderedJson kinds = OrderedJson::object();
    for (const auto& [kind, count] : outcome.byKind) kinds[kind] = countJson(count);
    OrderedJson json{{"total", countJson(outcome.total)},     {"by_kind", std::move(kinds)},
                     {"prompt_tokens", outcome.promptTokens}, {"evictions", outcome.evictions},
                     {"compactions", outcome.compactions},    {"live_bytes", outcome.liveBytes},
                     {"logical_bytes", outcome.logicalBytes}, {"seconds", outcome.seconds},
                     {"compaction_ms", outcome.compactionMs}};
    if (outcome.queriesMs > 0) json["queries_ms"] = outcome.queriesMs;
    if (!outcome.note.empty()) json["note"] = outcome.note;
    if (detail == RecallDetail::Summary) return json;
    OrderedJson rows = OrderedJson::array();
    for (const RecallRow& row : outcome.rows)
        rows.push_back({{"kind", row.kind},
                        {"prompt_tokens", row.promptTokens},
                        {"greedy_ids", row.tokens},
                        {"text", row.text},
                        {"key", row.key},
                        {"hit", row.hit},
                        {"evictions", row.evictions}});
    json["rows"] = std::move(rows);
    return json;
}

}  // namespace lacuna
