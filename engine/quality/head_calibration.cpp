#include "engine/quality/head_calibration.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/generate/prompt.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/layer_heads.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

constexpr double kMaxLoss = 8.0;  // nats per token; larger losses are clamped, since the answer is
                                  // lost anyway

/// A question whose text has been read, and the full cache's answer.
struct ReadText {
    std::unique_ptr<KvCache> cache;  ///< covers the text alone; already cut heads are cut in it
    std::vector<TokenId> tail;       ///< question and answer
    std::size_t answerFrom = 0;      ///< first token of the answer within the tail
    double fullLoss = 0;             ///< loss of the answer with all heads intact
};

double lossOf(std::span<const float> logits, TokenId token) {
    const float top = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float x : logits) sum += std::exp(static_cast<double>(x - top));
    const auto at = static_cast<std::size_t>(token);
    return std::log(sum) - static_cast<double>(logits[at] - top);
}

class Calibration {
  public:
    Calibration(Transformer& model, const CalibrationOptions& options)
        : model_(model),
          options_(options),
          spec_(model.model().spec),
          shape_(plainShapeOf(model.model().spec)) {}

    [[nodiscard]] Status read(const RecallCase& one);
    [[nodiscard]] Status measure();
    [[nodiscard]] Result<HeadProfile> profile();
    void expect(std::int64_t cases) { total_ = cases + 2 * heads() + 2; }

  private:
    [[nodiscard]] int heads() const { return shape_.headCount(); }
    [[nodiscard]] Result<View<const float, 2>> forward(KvCache& cache,
                                                       std::span<const TokenId> tokens,
                                                       LogitsFor logits);
    [[nodiscard]] Status feed(KvCache& cache, std::span<const TokenId> tokens);
    [[nodiscard]] Result<std::vector<TokenId>> answerTo(KvCache& cache,
                                                        std::span<const TokenId> question);
    [[nodiscard]] Result<double> tailLoss(KvCache& cache, const ReadText& text);
    [[nodiscard]] Status cut(KvCache& cache, int head) const;
    [[nodiscard]] Result<double> lossWithout(int head);
    [[nodiscard]] Status cutForGood(std::span<const std::pair<double, int>> least);
    void done() {
        if (options_.progress) options_.progress(++done_, total_);
    }

    Transformer& model_;
    const CalibrationOptions& options_;
    const ModelSpec& spec_;
    const KvShape shape_;
    std::vector<ReadText> texts_;
    std::vector<float> loss_;
    std::int64_t textTokens_ = 0;
    std::int64_t done_ = 0;
    std::int64_t total_ = 0;
};

Result<View<const float, 2>> Calibration::forward(KvCache& cache, std::span<const TokenId> tokens,
                                                  LogitsFor logits) {
    const BatchRun run{.tokens = tokens, .cache = &cache, .logits = logits};
    return model_.forward(std::span(&run, 1),
                          {.cancelled = [this] { return options_.stop.stop_requested(); }});
}

Status Calibration::feed(KvCache& cache, std::span<const TokenId> tokens) {
    const auto step = static_cast<std::size_t>(std::max(options_.chunk, 1));
    for (std::size_t at = 0; at < tokens.size(); at += step) {
        const auto chunk = tokens.subspan(at, std::min(step, tokens.size() - at));
        LACUNA_TRY([[maybe_unused]] const auto none, forward(cache, chunk, LogitsFor::None));
    }
    return {};
}

/// Answers greedily; afterwards the cache holds question and answer.
Result<std::vector<TokenId>> Calibration::answerTo(KvCache& cache,
                                                   std::span<const TokenId> question) {
    LACUNA_TRY_STATUS(feed(cache, question.first(question.size() - 1)));
    std::vector<TokenId> answer;
    TokenId fed = question.back();
    while (static_cast<int>(answer.size()) < options_.maxTokens) {
        LACUNA_TRY(const auto rows, forward(cache, std::span(&fed, 1), LogitsFor::LastToken));
        const auto row = rows.row(0);
        fed = static_cast<TokenId>(std::ranges::max_element(row) - row.begin());
        answer.push_back(fed);
        if (model_.model().tokenizer.isEndOfTurn(fed)) break;
    }
    return answer;
}

Status Calibration::read(const RecallCase& one) {
    LACUNA_TRY(const std::vector<TokenId> prompt,
               promptTokens(model_.model(), one.messages,
                            [stop = options_.stop] { return stop.stop_requested(); }));
    LACUNA_TRY(const std::size_t before,
               tokensBeforeQuestion(model_.model(), one.messages, prompt));
    const auto text = std::span(prompt).first(before);
    ReadText read;
    LACUNA_TRY(read.cache, makeFullCache(spec_, DType::F16));
    LACUNA_TRY_STATUS(feed(*read.cache, text));
    read.tail.assign(prompt.begin() + static_cast<std::ptrdiff_t>(before), prompt.end());
    read.answerFrom = read.tail.size();
    LACUNA_TRY(const std::vector<TokenId> answer, answerTo(*read.cache, read.tail));
    LACUNA_TRY_STATUS(read.cache->rollback(
        static_cast<int>(read.cache->offset().value - static_cast<std::int32_t>(before))));
    done();
    LACUNA_TRY(const std::string said,
               model_.model().tokenizer.decode(answer, SpecialOutput::Hide));
    if (said.find(one.key) == std::string::npos) return {};
    read.tail.insert(read.tail.end(), answer.begin(), answer.end());
    LACUNA_TRY(read.fullLoss, tailLoss(*read.cache, read));
    textTokens_ += static_cast<std::int64_t>(before);
    texts_.push_back(std::move(read));
    return {};
}

/// Returns the mean loss of the answer's tokens, fed in chunks; the cache is unchanged afterwards.
Result<double> Calibration::tailLoss(KvCache& cache, const ReadText& text) {
    const auto fed = std::span(text.tail).first(text.tail.size() - 1);
    const auto step = static_cast<std::size_t>(std::max(options_.chunk, 1));
    double loss = 0;
    for (std::size_t at = 0; at < fed.size(); at += step) {
        const auto chunk = fed.subspan(at, std::min(step, fed.size() - at));
        LACUNA_TRY(const auto rows, forward(cache, chunk, LogitsFor::AllTokens));
        for (std::size_t i = 0; i < chunk.size(); ++i) {
            if (at + i + 1 < text.answerFrom) continue;
            loss += std::min(lossOf(rows.row(static_cast<std::int64_t>(i)), text.tail[at + i + 1]),
                             kMaxLoss);
        }
    }
    LACUNA_TRY_STATUS(cache.rollback(static_cast<int>(fed.size())));
    return loss / static_cast<double>(text.tail.size() - text.answerFrom);
}

/// Reduces a head to its sinks and newest tokens.
Status Calibration::cut(KvCache& cache, int head) const {
    const auto [layer, index] = shape_.placeOf(head);
    const KvHeadView view = cache.head(layer, index);
    const SelectionRule rule{.keepRecent = options_.keepRecent, .nSink = options_.nSink};
    const SlotPositions slots{view.positions, view.slots, cache.offset().value};
    CompactionPlan plan;
    plan.heads.resize(static_cast<std::size_t>(heads()));
    SlotMarks keep(view.slots);
    for (int slot = 0; slot < slots.slots; ++slot)
        if (isProtected(rule, slots.at(slot), slots.tokens)) keep.add(slot);
    if (keep.count() == view.slots) return {};
    plan.heads[static_cast<std::size_t>(head)].keep = std::move(keep);
    return cache.compactable()->apply(plan);
}

/// Returns the mean loss over the questions with one more head cut.
Result<double> Calibration::lossWithout(int head) {
    double loss = 0;
    for (const ReadText& text : texts_) {
        LACUNA_TRY(const auto trial, text.cache->clone());
        LACUNA_TRY_STATUS(cut(*trial, head));
        LACUNA_TRY(const double one, tailLoss(*trial, text));
        loss += one / static_cast<double>(texts_.size());
    }
    done();
    return loss;
}

Status Calibration::cutForGood(std::span<const std::pair<double, int>> least) {
    for (const ReadText& text : texts_)
        for (const auto& [loss, head] : least) LACUNA_TRY_STATUS(cut(*text.cache, head));
    return {};
}

Status Calibration::measure() {
    loss_.assign(static_cast<std::size_t>(heads()), 0.0F);
    std::vector<int> left;
    for (int head = 0; head < heads(); ++head) left.push_back(head);
    while (!left.empty()) {
        double base = 0;
        for (const ReadText& text : texts_) {
            LACUNA_TRY(const double one, tailLoss(*text.cache, text));
            base += one / static_cast<double>(texts_.size());
        }
        std::vector<std::pair<double, int>> trials;
        for (const int head : left) {
            LACUNA_TRY(const double loss, lossWithout(head));
            trials.emplace_back(loss - base, head);
        }
        std::sort(trials.begin(), trials.end());
        const std::size_t least = (trials.size() + 1) / 2;
        for (std::size_t i = 0; i < least; ++i)
            loss_[static_cast<std::size_t>(trials[i].second)] =
                static_cast<float>(std::max(trials[i].first, 0.0));
        LACUNA_TRY_STATUS(cutForGood(std::span(trials).first(least)));
        left.clear();
        for (std::size_t i = least; i < trials.size(); ++i) left.push_back(trials[i].second);
    }
    return {};
}

Result<HeadProfile> Calibration::profile() {
    if (texts_.empty())
        return fail(ErrorCode::Unsupported,
                    "the model answers none of the questions with its full cache, so they cannot "
                    "show which heads it needs");
    LACUNA_TRY_STATUS(measure());
    HeadProfile profile{.kind = ProfileKind::Questions,
                        .model = spec_.name,
                        .fingerprint = spec_.fingerprint,
                        .layers = spec_.layers,
                        .kvHeads = shape_.kvHeads,
                        .layerHeads = layerHeadsOf(shape_),
                        .loss = loss_,
                        .how = "questions about texts that the full cache answers",
                        .answers = static_cast<std::int64_t>(texts_.size()),
                        .answerTokens = 0,
                        .textTokens = textTokens_};
    for (const ReadText& text : texts_)
        profile.answerTokens += static_cast<std::int64_t>(text.tail.size() - text.answerFrom);
    return profile;
}

}  // namespace

Result<HeadProfile> calibrateHeads(Transformer& model, std::span<const RecallCase> cases,
                                   const CalibrationOptions& options) {
    Calibration calibration(model, options);
    calibration.expect(static_cast<std::int64_t>(cases.size()));
    for (const RecallCase& one : cases) LACUNA_TRY_STATUS(calibration.read(one));
    return calibration.profile();
}

}  // namespace lacuna
