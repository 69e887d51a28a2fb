#include "engine/quality/comparison.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/model/model_cache.h"
#include "engine/quality/loss_figures.h"
#include "engine/quality/quality_meter.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {
/// Runs one side of a comparison.
class ComparisonRun::Side {
  public:
    Side(Transformer& model, ThreadPool& pool, const GenerationSettings& settings,
         const ComparisonOptions& options, int number)
        : model_(model),
          pool_(pool),
          settings_(settings),
          options_(options),
          number_(number),
          tap_(model),
          meter_(model, pool, clock_) {}

    [[nodiscard]] Status begin(const std::vector<TokenId>& prompt);
    [[nodiscard]] bool finished() const { return generation_->finished(); }
    [[nodiscard]] Status step();
    /// @pre the side is finished
    [[nodiscard]] ComparedRun take();

  private:
    [[nodiscard]] Result<std::unique_ptr<Sequence>> newSequence() const;
    [[nodiscard]] Status stepAndMeasure();
    [[nodiscard]] Status count(const GenerationStep& step);
    void reportProgress();

    Transformer& model_;
    ThreadPool& pool_;
    const GenerationSettings& settings_;
    const ComparisonOptions& options_;
    const int number_;
    const SteadyClock clock_;
    LogitsTap tap_;
    QualityMeter meter_;
    std::unique_ptr<Sequence> sequence_;
    std::unique_ptr<Generation> generation_;
    ComparedRun run_;
    std::vector<double> kl_;
    std::int64_t sameTop_ = 0;
    std::size_t reported_ = 0;  ///< bytes of the answer already passed to the callback
};

Result<std::unique_ptr<Sequence>> ComparisonRun::Side::newSequence() const {
    const CompactorModel compactor =
        compactorModel(model_.model(), options_.seed, options_.profiles);
    return Sequence::create(
        [&loaded = model_.model(), kv = settings_.kv] { return makeModelCache(loaded, kv); },
        [this, compactor](const KvShape& made) {
            return std::make_unique<Compactor>(compactor, made, pool_, clock_);
        });
}

Status ComparisonRun::Side::count(const GenerationStep& step) {
    (step.prefill ? run_.prefillSeconds : run_.decodeSeconds) += step.stepMs * 1e-3;
    (step.prefill ? run_.prefillTokens : run_.decodeTokens) += step.tokens;
    if (!step.compaction) return {};
    if (step.compaction->result == CompactionResult::Failed)
        return fail(ErrorCode::Unsupported,
                    format("a compaction failed: {}", exclusionText(step.compaction->notes)));
    run_.compaction = step.compaction;
    if (step.compaction->result != CompactionResult::Done) return {};
    ++run_.compactions;
    run_.evictions += step.compaction->slotsBefore - step.compaction->slotsAfter;
    run_.compactionMs += step.compaction->totalMs;
    return {};
}

Status ComparisonRun::Side::stepAndMeasure() {
    const MeterOptions meter{.every = 1, .chunk = std::max(settings_.prefillChunk, 1), .heads = 0};
    const ForwardOptions forward{.cancelled = options_.cancelled};
    meter_.beforeStep(*sequence_, meter, tap_);
    LACUNA_TRY(const auto step, generation_->step(tap_, settings_, forward, clock_));
    LACUNA_TRY_STATUS(count(step));
    while (true) {
        LACUNA_TRY(const auto sample,
                   meter_.afterStep(*sequence_, meter, tap_, step.tokens, step.stepMs, forward));
        if (sample) {
            kl_.push_back(sample->kl);
            sameTop_ += sample->sameTop ? 1 : 0;
        }
        if (sample || !meter_.waiting()) return {};
    }
}

void ComparisonRun::Side::reportProgress() {
    const std::string_view text = generation_->text();
    if (!options_.wrote || text.size() <= reported_) return;
    options_.wrote(number_, text.substr(reported_));
    reported_ = text.size();
}

Status ComparisonRun::Side::begin(const std::vector<TokenId>& prompt) {
    LACUNA_TRY(sequence_, newSequence());
    GenerationRequest request{
        .prompt = prompt, .stopStrings = options_.stopStrings, .seed = options_.seed};
    request.question = options_.question;
    LACUNA_TRY(generation_, Generation::start(tap_, *sequence_, std::move(request), settings_));
    return {};
}

Status ComparisonRun::Side::step() {
    if (options_.cancelled && options_.cancelled())
        return fail(ErrorCode::Cancelled, "the comparison was stopped");
    LACUNA_TRY_STATUS(stepAndMeasure());
    reportProgress();
    const std::int64_t total = generation_->promptTokens() + settings_.maxTokens;
    if (options_.progress) options_.progress(number_, sequence_->cache().offset().value, total);
    return {};
}

ComparedRun ComparisonRun::Side::take() {
    run_.tokens.assign(generation_->answer().begin(), generation_->answer().end());
    run_.text = generation_->text();
    run_.kv = sequence_->cache().stats();
    if (!kl_.empty())
        run_.divergence = divergenceFigures(std::move(kl_), sameTop_);
    else if (run_.evictions == 0)
        run_.divergenceBlocker = "nothing was evicted, merged or coded";
    else
        run_.divergenceBlocker = "the answer ended before a token was drawn after the eviction";
    return std::move(run_);
}

namespace {

std::string pieceAt(const LoadedModel& model, const std::vector<TokenId>& tokens,
                    std::size_t index) {
    if (index >= tokens.size()) return {};
    return model.tokenizer.pieceBytes(tokens[index], SpecialOutput::Show).value_or(std::string());
}

std::optional<FirstDivergence> firstDivergence(const LoadedModel& model, const ComparedRun& a,
                                               const ComparedRun& b) {
    const auto apart =
        std::mismatch(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end());
    if (apart.first == a.tokens.end() && apart.second == b.tokens.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(apart.first - a.tokens.begin());
    return FirstDivergence{static_cast<std::int64_t>(index),
                           {pieceAt(model, a.tokens, index), pieceAt(model, b.tokens, index)}};
}

OrderedJson runJson(const ComparedRun& run) {
    OrderedJson json{{"text", run.text},
                     {"tokens", run.tokens},
                     {"compactions", run.compactions},
                     {"evictions", run.evictions},
                     {"compaction_ms", run.compactionMs},
                     {"live_bytes", run.kv.liveBytes},
                     {"logical_bytes", run.kv.logicalBytes},
                     {"allocated_bytes", run.kv.allocatedBytes},
                     {"ratio", run.ratio()},
                     {"prefill_seconds", run.prefillSeconds},
                     {"decode_seconds", run.decodeSeconds},
                     {"decode_tokens_per_second", run.decodeTokensPerSecond()}};
    addLossJson(json, run.compaction);
    if (!run.divergence) {
        json["why_no_divergence"] = run.divergenceBlocker;
        return json;
    }
    json["positions"] = run.divergence->positions;
    json["kl_mean"] = run.divergence->klMean;
    json["kl_p99"] = run.divergence->klP99;
    json["top1"] = run.divergence->top1;
    return json;
}

/// Formats one line with both values and their difference, or a dash if there is none.
std::string tableRow(std::string_view name, std::optional<double> a, std::optional<double> b,
                     int digits) {
    const auto cell = [digits](std::optional<double> value) {
        return value ? format("{:.{}f}", *value, digits) : std::string("-");
    };
    const std::string delta = a && b ? format("{:+.{}f}", *b - *a, digits) : std::string("-");
    return format("| {} | {} | {} | {} |\n", name, cell(a), cell(b), delta);
}

}  // namespace

double ComparedRun::ratio() const {
    return kv.liveBytes > 0
               ? static_cast<double>(kv.logicalBytes) / static_cast<double>(kv.liveBytes)
               : 0;
}

double ComparedRun::decodeTokensPerSecond() const {
    return decodeSeconds > 0 ? static_cast<double>(decodeTokens) / decodeSeconds : 0;
}

ComparisonRun::ComparisonRun(Transformer& model, ThreadPool& pool, std::vector<TokenId> prompt,
                             const std::array<GenerationSettings, 2>& sides,
                             ComparisonOptions options)
    : model_(model),
      pool_(pool),
      prompt_(std::move(prompt)),
      sides_(sides),
      options_(std::move(options)) {
    found_.promptTokens = static_cast<std::int64_t>(prompt_.size());
}

ComparisonRun::~ComparisonRun() = default;

bool ComparisonRun::done() const {
    return number_ == sides_.size();
}

Status ComparisonRun::step() {
    if (side_ == nullptr) {
        side_ = std::make_unique<Side>(model_, pool_, sides_[number_], options_,
                                       static_cast<int>(number_));
        LACUNA_TRY_STATUS(side_->begin(prompt_));
    }
    if (!side_->finished()) LACUNA_TRY_STATUS(side_->step());
    if (!side_->finished()) return {};
    found_.runs[number_] = side_->take();
    side_.reset();
    ++number_;
    return {};
}

Comparison ComparisonRun::take() {
    found_.divergence = firstDivergence(model_.model(), found_.runs[0], found_.runs[1]);
    return std::move(found_);
}

Result<Comparison> compareSettings(Transformer& model, ThreadPool& pool,
                                   const std::vector<TokenId>& prompt,
                                   const std::array<GenerationSettings, 2>& sides,
                                   const ComparisonOptions& options) {
    ComparisonRun run(model, pool, prompt, sides, options);
    while (!run.done()) LACUNA_TRY_STATUS(run.step());
    return run.take();
}

OrderedJson comparisonJson(const Comparison& comparison) {
    OrderedJson json{{"prompt_tokens", comparison.promptTokens},
                     {"same_tokens", !comparison.divergence.has_value()}};
    if (comparison.divergence)
        json["first_divergence"] = {{"index", comparison.divergence->index},
                                    {"a", comparison.divergence->pieces[0]},
                                    {"b", comparison.divergence->pieces[1]}};
    json["a"] = runJson(comparison.runs[0]);
    json["b"] = runJson(comparison.runs[1]);
    return json;
}

std::string comparisonMarkdown(const Comparison& comparison) {
    // References instead of a structured binding, which clang 14 cannot capture.
    const ComparedRun& a = comparison.runs[0];
    const ComparedRun& b = comparison.runs[1];
    std::string out = "| | A | B | B - A |\n|---|---|---|---|\n";
    const auto row = [&](std::string_view name, auto value, int digits) {
        out += tableRow(name, value(a), value(b), digits);
    };
    using Figure = std::optional<double>;
    row(
        "answer, tokens", [](const ComparedRun& r) -> Figure { return r.tokens.size(); }, 0);
    row(
        "live, KiB",
        [](const ComparedRun& r) -> Figure { return static_cast<double>(r.kv.liveBytes) / 1024; },
        1);
    row(
        "logical to live bytes", [](const ComparedRun& r) -> Figure { return r.ratio(); }, 2);
    row(
        "ratio, tokens per slot",
        [](const ComparedRun& r) {
            return r.compaction && r.compaction->result == CompactionResult::Done
                       ? Figure(r.compaction->achievedRatio)
                       : std::nullopt;
        },
        2);
    row(
        "text information kept, %",
        [](const ComparedRun& r) {
            return r.compaction && r.compaction->kept ? Figure(100 * r.compaction->kept->all)
                                                      : std::nullopt;
        },
        1);
    row(
        "compactions", [](const ComparedRun& r) -> Figure { return r.compactions; }, 0);
    row(
        "compaction, ms", [](const ComparedRun& r) -> Figure { return r.compactionMs; }, 1);
    row(
        "decode, tokens/s",
        [](const ComparedRun& r) -> Figure { return r.decodeTokensPerSecond(); }, 1);
    const auto divergence = [&](std::string_view name, double DivergenceFigures::*member,
                                int digits) {
        row(
            name,
            [member](const ComparedRun& r) -> Figure {
                return r.divergence ? Figure((*r.divergence).*member) : std::nullopt;
            },
            digits);
    };
    divergence("KL from the full cache, nats (mean)", &DivergenceFigures::klMean, 4);
    divergence("KL, 99th percentile", &DivergenceFigures::klP99, 4);
    divergence("same most likely token, share", &DivergenceFigures::top1, 3);
    return out;
}

}  // namespace lacuna
