#include "app/bench/ruler.h"

#include <algorithm>

#include "engine/base/hash.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/generate/prompt.h"
#include "engine/quality/recall_cases.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kRowStream = 0x72756c6572;  // "ruler"

/// Returns the tokens of the prompt; if `asked` is empty, only the part read before the compaction.
Result<std::vector<TokenId>> tokensFor(const LoadedModel& model, const std::string& asked,
                                       const std::string& prefix, const StopRequested& stop) {
    std::vector<PromptSpan> spans;
    if (model.templateText) {
        LACUNA_TRY(RenderOptions options, renderOptions(model.tokenizer));
        options.stop = stop;
        const ChatMessage message{.role = "user", .content = asked};
        LACUNA_TRY(spans, model.chatTemplate.render(std::span(&message, 1), options));
    } else {
        spans.push_back({asked + (prefix.empty() ? "" : "\n"), PromptSpan::Source::Message});
    }
    spans.push_back({prefix, PromptSpan::Source::Message});
    return promptIds(model.tokenizer, spans, stop);
}

/// Returns whether a cache with these options equals an uncompressed cache until it is compacted.
bool beginsWhole(KvOptions kv, const KvOptions& whole) {
    return kv.type == whole.type && kv.quant == whole.quant && kv.values == whole.values &&
           kv.window == whole.window && kv.layerCaches == whole.layerCaches;
}

class RulerRun {
  public:
    RulerRun(Transformer& model, ThreadPool& pool, const RulerOptions& options)
        : model_(model),
          options_(options),
          text_(options.text),
          fullOptions_(withFullCache(options)),
          asker_(model, pool, options_),
          fullAsker_(model, pool, fullOptions_) {}

    [[nodiscard]] Result<RulerQuestion> question(std::string_view task, int row) const;
    [[nodiscard]] Result<RulerRow> ask(RulerQuestion question) const;
    [[nodiscard]] const RulerText& text() const { return text_; }

  private:
    static CaseOptions withFullCache(CaseOptions options) {
        options.kv = {};
        options.budgetShare.reset();
        return options;
    }
    [[nodiscard]] Result<std::string> fullAnswer(Sequence& sequence, const RulerPrompt& prompt,
                                                 int answerTokens) const;
    [[nodiscard]] Status compactAndAnswer(Sequence& sequence, const RulerPrompt& prompt,
                                          GenerationSettings settings, RulerRow& row) const;
    [[nodiscard]] Status read(const CaseRunner& asker, Sequence& sequence,
                              const RulerPrompt& prompt) const {
        return asker.read(sequence, std::span(prompt.tokens).first(prompt.textTokens),
                          asker.settingsFor(prompt.textTokens));
    }

    Transformer& model_;
    const RulerOptions& options_;
    const RulerText text_;
    const CaseOptions fullOptions_;
    const CaseRunner asker_;
    const CaseRunner fullAsker_;
};

Result<RulerQuestion> RulerRun::question(std::string_view task, int row) const {
    return rulerQuestion(
        model_.model(), text_,
        {.task = task, .row = row, .length = options_.length, .seed = options_.seed},
        asker_.stopRequested());
}

Result<std::string> RulerRun::fullAnswer(Sequence& sequence, const RulerPrompt& prompt,
                                         int answerTokens) const {
    GenerationSettings settings = fullAsker_.settingsFor(prompt.textTokens);
    settings.maxTokens = answerTokens;
    LACUNA_TRY(const auto generation,
               fullAsker_.answer(sequence, prompt.tokens, settings, [](const auto&) {}));
    return generation->text();
}

Status RulerRun::compactAndAnswer(Sequence& sequence, const RulerPrompt& prompt,
                                  GenerationSettings settings, RulerRow& row) const {
    if (settings.kv.method != CompactionMethod::None) {
        LACUNA_TRY(const CompactionReport report, asker_.compact(sequence, settings));
        if (report.result == CompactionResult::Done && report.slotsAfter < report.slotsBefore)
            ++row.compactions;
        else
            row.fullReason = exclusionText(report.notes);
        row.compaction = report;
    }
    row.liveOfLogical = liveOfLogical(sequence.cache().stats());
    row.bitsPerNumber = bitsPerNumber(sequence.cache().stats());
    settings.kv.method = CompactionMethod::None;
    settings.maxTokens = row.question.answerTokens;
    LACUNA_TRY(const auto generation,
               asker_.answer(sequence, prompt.tokens, settings, [](const auto&) {}));
    row.answer = generation->text();
    row.score = rulerScore(row.answer, row.question);
    return {};
}

Result<RulerRow> RulerRun::ask(RulerQuestion question) const {
    RulerRow row;
    row.question = std::move(question);
    const int room = row.question.answerTokens;
    LACUNA_TRY(const RulerPrompt prompt,
               rulerPrompt(model_.model(), row.question, asker_.stopRequested()));
    row.textTokens = static_cast<std::int64_t>(prompt.textTokens);
    row.tokens = static_cast<std::int64_t>(prompt.tokens.size()) + room;
    const bool together = beginsWhole(options_.kv, fullOptions_.kv);
    const CaseRunner& reader = together ? asker_ : fullAsker_;
    LACUNA_TRY(auto sequence, reader.newSequence());
    LACUNA_TRY_STATUS(read(reader, *sequence, prompt));
    LACUNA_TRY(row.whole, fullAnswer(*sequence, prompt, room));
    row.full = rulerScore(row.whole, row.question);
    if (options_.kv == fullOptions_.kv) {
        row.answer = row.whole;
        row.score = row.full;
        return row;
    }
    const GenerationSettings settings = asker_.settingsFor(prompt.textTokens);
    // Read the text only once: remove question and answer from the sequence.
    const auto asked = static_cast<int>(sequence->tokens().size() - prompt.textTokens);
    if (together && asked <= sequence->cache().capabilities().rollbackLimit) {
        LACUNA_TRY_STATUS(sequence->dropNewest(asked));
    } else {
        LACUNA_TRY(sequence, asker_.newSequence());
        LACUNA_TRY_STATUS(read(asker_, *sequence, prompt));
    }
    LACUNA_TRY_STATUS(compactAndAnswer(*sequence, prompt, settings, row));
    return row;
}

Status checkOptions(const RulerOptions& options, int modelContext) {
    LACUNA_TRY_STATUS(checkCaseOptions(options));
    const int context = options.context > 0 ? options.context : modelContext;
    if (options.length > context)
        return fail(ErrorCode::Range, format("RULER at {} tokens exceeds the context of {}",
                                             options.length, context));
    if (options.rows < 1)
        return fail(ErrorCode::Range,
                    format("{} questions per task (--rows) measure nothing", options.rows));
    for (std::size_t i = 0; i < options.tasks.size(); ++i)
        if (std::ranges::count(options.tasks, options.tasks[i]) > 1)
            return fail(ErrorCode::InvalidArgument,
                        format("the task {} is named twice", options.tasks[i]));
    return {};
}

std::vector<std::string> tasksOf(const RulerOptions& options) {
    if (!options.tasks.empty()) return options.tasks;
    return {rulerTaskNames().begin(), rulerTaskNames().end()};
}

}  // namespace

Result<RulerQuestion> rulerQuestion(const LoadedModel& model, const RulerText& text,
                                    const RulerCase& request, const StopRequested& stop) {
    const auto tokens = [&](const RulerQuestion& made) -> Result<std::int64_t> {
        LACUNA_TRY(const auto prompt,
                   tokensFor(model, made.context + made.question, made.answerPrefix, stop));
        return static_cast<std::int64_t>(prompt.size());
    };
    const std::uint64_t seed = randomBits(request.seed ^ hash64(request.task), kRowStream,
                                          static_cast<std::uint64_t>(request.row));
    return makeRulerQuestion(text, {.task = request.task, .length = request.length, .seed = seed},
                             tokens);
}

Result<RulerPrompt> rulerPrompt(const LoadedModel& model, const RulerQuestion& question,
                                StopRequested stop) {
    RulerPrompt made;
    LACUNA_TRY(made.tokens,
               tokensFor(model, question.context + question.question, question.answerPrefix, stop));
    LACUNA_TRY(const auto textAlone, tokensFor(model, question.context, "", stop));
    made.textTokens = tokensOfText(made.tokens, textAlone);
    return made;
}

RulerOutcome rulerOutcome(const RulerOptions& options, std::vector<RulerRow> rows) {
    const std::vector<std::string> tasks = tasksOf(options);
    RulerOutcome out;
    out.length = options.length;
    out.rows = options.rows;
    const auto perTask = static_cast<std::size_t>(options.rows);
    double live = 0;
    double bits = 0;
    std::size_t untouched = 0;
    std::string why;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        RulerTaskScore score{.task = tasks[t]};
        for (std::size_t r = 0; r < perTask; ++r) {
            const RulerRow& row = rows[t * perTask + r];
            score.full += 100 * row.full / options.rows;
            score.score += 100 * row.score / options.rows;
            live += row.liveOfLogical;
            bits += row.bitsPerNumber;
            out.compactions += row.compactions;
            untouched += row.compactions == 0 ? 1 : 0;
            if (row.compaction) out.loss.add(*row.compaction);
            if (!row.fullReason.empty()) why = ": " + row.fullReason;
        }
        out.scoreFull += score.full / static_cast<double>(tasks.size());
        out.score += score.score / static_cast<double>(tasks.size());
        out.tasks.push_back(std::move(score));
    }
    out.liveOfLogical = live / static_cast<double>(rows.size());
    out.bitsPerNumber = bits / static_cast<double>(rows.size());
    if (options.kv.method != CompactionMethod::None && untouched == rows.size())
        out.note = "nothing was evicted or merged, so compaction was not measured" + why;
    else if (options.kv.method != CompactionMethod::None && untouched > 0)
        out.note = format(
            "{} of {} texts were not compacted, so the score is partly that of the full cache{}",
            untouched, rows.size(), why);
    out.questions = std::move(rows);
    return out;
}

Result<RulerOutcome> runRuler(Transformer& model, ThreadPool& pool, const RulerOptions& options) {
    LACUNA_TRY_STATUS(checkOptions(options, model.model().spec.context));
    const RulerRun run(model, pool, options);
    if (run.text().sentenceCount() == 0)
        return fail(ErrorCode::InvalidArgument, "the running text has no words");
    const std::vector<std::string> tasks = tasksOf(options);
    // Report tasks that do not fit before any computation.
    for (const std::string& task : tasks) LACUNA_TRY_STATUS(run.question(task, 0));
    const auto total = static_cast<std::int64_t>(tasks.size()) * options.rows;
    std::vector<RulerRow> rows;
    for (const std::string& task : tasks)
        for (int row = 0; row < options.rows; ++row) {
            if (options.stop.stop_requested())
                return fail(ErrorCode::Cancelled, "RULER was stopped");
            if (options.progress)
                options.progress(static_cast<std::int64_t>(rows.size()), total, task);
            LACUNA_TRY(auto question, run.question(task, row));
            LACUNA_TRY(auto answered, run.ask(std::move(question)));
            rows.push_back(std::move(answered));
        }
    if (options.progress) options.progress(total, total, "");
    return rulerOutcome(options, std::move(rows));
}

OrderedJson rulerJson(const RulerOutcome& outcome) {
    OrderedJson tasks = OrderedJson::object();
    for (const RulerTaskScore& one : outcome.tasks)
        tasks[one.task] = OrderedJson{{"full", one.full}, {"score", one.score}};
    const std::optional<double> share = outcome.share();
    OrderedJson json{{"length", outcome.length},
                     {"rows", outcome.rows},
                     {"score_full", outcome.scoreFull},
                     {"score", outcome.score},
                     {"share", share ? OrderedJson(*share) : OrderedJson(nullptr)},
                     {"by_task", std::move(tasks)},
                     {"live_of_logical", outcome.liveOfLogical},
                     {"bits_per_number", outcome.bitsPerNumber},
                     {"compactions", outcome.compactions}};
    outcome.loss.addTo(json);
    if (!outcome.note.empty()) json["note"] = outcome.note;
    return json;
}

OrderedJson rulerRowsJson(const RulerOutcome& outcome) {
    OrderedJson rows = OrderedJson::array();
    for (const RulerRow& row : outcome.questions) {
        rows.push_back({{"task", row.question.task},
                        {"tokens", row.tokens},
                        {"text_tokens", row.textTokens},
                        {"context", row.question.context},
                        {"question", row.question.question},
                        {"answer_prefix", row.question.answerPrefix},
                        {"answers", row.question.answers},
                        {"full_text", row.whole},
                        {"text", row.answer},
                        {"full", row.full},
                        {"score", row.score},
                        {"live_of_logical", row.liveOfLogical},
                        {"bits_per_number", row.bitsPerNumber},
                        {"compactions", row.compactions}});
        addLossJson(rows.back(), row.compaction);
    }
    return rows;
}

}  // namespace lacuna
