#include "engine/generate/generation.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

double milliseconds(std::int64_t fromNs, std::int64_t toNs) {
    return static_cast<double>(toNs - fromNs) * 1e-6;
}

Status checkLength(std::size_t prompt, int context) {
    if (prompt == 0)
        return fail(ErrorCode::InvalidArgument, "the prompt is empty; it needs at least one token");
    if (prompt <= static_cast<std::size_t>(std::max(context, 0))) return {};
    return fail(ErrorCode::ContextFull, format("the prompt has {} tokens and the context has room "
                                               "for {}; shorten the conversation or raise "
                                               "the context",
                                               prompt, context));
}

}  // namespace

Generation::Generation(Transformer& model, Sequence& sequence, GenerationRequest request,
                       StopStrings stops)
    : model_(model),
      sequence_(sequence),
      request_(std::move(request)),
      sampler_(request_.seed),
      decoder_(model.model().tokenizer),
      stops_(std::move(stops)),
      history_(request_.prompt) {}

Result<std::unique_ptr<Generation>> Generation::start(Transformer& model, Sequence& sequence,
                                                      GenerationRequest request,
                                                      const GenerationSettings& settings) {
    LACUNA_TRY_STATUS(checkLength(request.prompt.size(), settings.context));
    LACUNA_TRY(auto stops, StopStrings::create(request.stopStrings));
    LACUNA_TRY(auto reuse, sequence.prepare(request.prompt));
    std::unique_ptr<Generation> generation(
        new Generation(model, sequence, std::move(request), std::move(stops)));
    generation->reuse_ = std::move(reuse);
    return generation;
}

std::int64_t Generation::promptDone() const {
    return std::min(sequenceTokens(), promptTokens());
}

Result<View<const float, 2>> Generation::forward(std::span<const TokenId> tokens, LogitsFor logits,
                                                 const KvOptions& kv,
                                                 const ForwardOptions& options) {
    const BatchRun run{.tokens = tokens,
                       .cache = &sequence_.cache(),
                       .logits = logits,
                       .observer = sequence_.compactor().observer(kv),
                       .promptEnd = Position(static_cast<std::int32_t>(promptTokens()))};
    LACUNA_TRY(auto rows, model_.forward(std::span(&run, 1), options));
    sequence_.appended(tokens);
    return rows;
}

Result<GenerationStep> Generation::step(const GenerationSettings& settings,
                                        const ForwardOptions& options, const Clock& clock) {
    LACUNA_REQUIRE(!finished_, "a finished answer takes no step");
    return inPrefill() ? prefillStep(settings, options, clock)
                       : decodeStep(settings, options, clock);
}

/// All of the prompt but its last token, which is the first decode step.
Result<GenerationStep> Generation::prefillStep(const GenerationSettings& settings,
                                               const ForwardOptions& options, const Clock& clock) {
    const std::int64_t left = promptTokens() - 1 - sequenceTokens();
    const auto count =
        static_cast<std::size_t>(std::min<std::int64_t>(left, std::max(settings.prefillChunk, 1)));
    const auto chunk =
        std::span(request_.prompt).subspan(static_cast<std::size_t>(sequenceTokens()), count);
    const std::int64_t begin = clock.nowNs();
    LACUNA_TRY([[maybe_unused]] const auto none,
               forward(chunk, LogitsFor::None, settings.kv, options));
    GenerationStep step;
    step.tokens = static_cast<int>(count);
    step.prefill = true;
    step.stepMs = milliseconds(begin, clock.nowNs());
    if (settings.prefillPolicy == PrefillPolicy::PerChunk)
        step.compaction = sequence_.compactor().afterStep(sequence_.cache(), settings.kv);
    return step;
}

Result<GenerationStep> Generation::decodeStep(const GenerationSettings& settings,
                                              const ForwardOptions& options, const Clock& clock) {
    GenerationStep step;
    if (sequenceTokens() >= settings.context) {
        step.finish = FinishReason::ContextFull;
        step.text = finish();
        return step;
    }
    if (!answer_.empty() && static_cast<std::int64_t>(answer_.size()) >= settings.maxTokens) {
        step.finish = FinishReason::Length;  // the limit was lowered since the last step
        step.text = finish();
        return step;
    }
    const TokenId fed = answer_.empty() ? request_.prompt.back() : answer_.back();
    const std::int64_t begin = clock.nowNs();
    LACUNA_TRY(const auto rows,
               forward(std::span(&fed, 1), LogitsFor::LastToken, settings.kv, options));
    const std::int64_t computed = clock.nowNs();
    // The driver never touches the logits: they are of the cache as it was before this compaction.
    step.compaction = sequence_.compactor().afterStep(sequence_.cache(), settings.kv);
    const std::int64_t driven = clock.nowNs();
    step.tokens = 1;
    if (settings.maxTokens == 0) {
        step.finish = FinishReason::Length;
        step.text = finish();
    } else {
        const auto draw = static_cast<std::int64_t>(answer_.size());
        const TokenId token =
            sampler_.sample(rows.row(rows.extent(0) - 1), history_, draw, settings.sampling);
        LACUNA_TRY_STATUS(takeToken(token, settings, step));
    }
    step.stepMs = milliseconds(begin, computed) + milliseconds(driven, clock.nowNs());
    return step;
}

Status Generation::takeToken(TokenId token, const GenerationSettings& settings,
                             GenerationStep& step) {
    answer_.push_back(token);
    history_.push_back(token);
    step.token = token;
    if (model_.model().tokenizer.isEndOfTurn(token)) {
        step.finish = FinishReason::Stop;
        step.text = finish();
        return {};
    }
    LACUNA_TRY(const std::string whole, decoder_.push(token));
    StopStrings::Outcome shown = stops_.push(whole);
    text_ += shown.text;
    step.text = std::move(shown.text);
    if (shown.hit) {
        step.finish = FinishReason::StopString;
        finished_ = true;
    } else if (static_cast<std::int64_t>(answer_.size()) >= settings.maxTokens) {
        step.finish = FinishReason::Length;
        step.text += finish();
    }
    return {};
}

std::string Generation::finish() {
    if (finished_) return {};
    finished_ = true;
    StopStrings::Outcome last = stops_.push(decoder_.finish());
    std::string rest = std::move(last.text);
    if (!last.hit) rest += stops_.finish();
    text_ += rest;
    return rest;
}

}  // namespace lacuna
