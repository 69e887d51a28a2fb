#include "engine/generate/generation.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/speculation_guard.h"

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
    sequence_.compactor().beforeStep(sequence_.cache(), kv);
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
        step.rest = finish();
        return step;
    }
    if (!answer_.empty() && static_cast<std::int64_t>(answer_.size()) >= settings.maxTokens) {
        step.finish = FinishReason::Length;  // the limit was lowered since the last step
        step.rest = finish();
        return step;
    }
    const std::vector<TokenId> fed = tokensToFeed(settings);
    LACUNA_TRY(SpeculationGuard speculation,
               SpeculationGuard::open(sequence_.cache(), static_cast<int>(fed.size()) - 1));
    const std::int64_t begin = clock.nowNs();
    LACUNA_TRY(const auto rows,
               forward(fed, fed.size() > 1 ? LogitsFor::AllTokens : LogitsFor::LastToken,
                       settings.kv, options));
    LACUNA_TRY_STATUS(drawTokens(rows, fed, settings, step));
    LACUNA_TRY_STATUS(speculation.close());
    const std::int64_t drawn = clock.nowNs();
    step.stepMs = milliseconds(begin, drawn);
    step.compaction = sequence_.compactor().afterStep(sequence_.cache(), settings.kv);
    return step;
}

/// The newest token and, when wanted, what may follow it: no more than the answer may still have
/// behind the token drawn in any case, and than the context has room for.
std::vector<TokenId> Generation::tokensToFeed(const GenerationSettings& settings) {
    std::vector<TokenId> fed{answer_.empty() ? request_.prompt.back() : answer_.back()};
    const auto answered = static_cast<std::int64_t>(answer_.size());
    const std::int64_t room = std::min(
        {std::int64_t{settings.draftTokens}, settings.maxTokens - answered - 1,
         settings.context - sequenceTokens() - 1, std::int64_t{settings.prefillChunk} - 1});
    if (room <= 0) return fed;
    const auto proposal = drafter_.propose(history_, static_cast<int>(room));
    fed.insert(fed.end(), proposal.begin(), proposal.end());
    return fed;
}

/// Draws from the rows in order until a draw differs from the proposal behind it or ends the
/// answer; the cache then covers what was fed up to there.
Status Generation::drawTokens(View<const float, 2> rows, std::span<const TokenId> fed,
                              const GenerationSettings& settings, GenerationStep& step) {
    step.drafted = static_cast<int>(fed.size()) - 1;
    step.tokens = 1;
    if (step.drafted > sequence_.cache().capabilities().rollbackLimit)
        return fail(ErrorCode::Unsupported,
                    format("the cache cannot take proposed tokens back ({}); set draft_tokens to 0",
                           sequence_.cache().capabilities().whyNoRollback));
    if (settings.maxTokens == 0) {
        step.finish = FinishReason::Length;
        step.rest = finish();
        return {};
    }
    const std::int64_t first = rows.extent(0) - static_cast<std::int64_t>(fed.size());
    std::size_t used = 0;
    while (true) {
        const auto draw = static_cast<std::int64_t>(answer_.size());
        const TokenId token = sampler_.sample(rows.row(first + static_cast<std::int64_t>(used)),
                                              history_, draw, settings.sampling);
        LACUNA_TRY_STATUS(takeToken(token, settings, step));
        ++used;
        if (step.finish || used == fed.size() || token != fed[used]) break;
    }
    step.tokens = static_cast<int>(used);
    step.accepted = step.tokens - 1;
    return sequence_.dropNewest(static_cast<int>(fed.size() - used));
}

Status Generation::takeToken(TokenId token, const GenerationSettings& settings,
                             GenerationStep& step) {
    answer_.push_back(token);
    history_.push_back(token);
    DrawnToken& drawn = step.drawn.emplace_back(DrawnToken{token, {}});
    if (model_.model().tokenizer.isEndOfTurn(token)) {
        step.finish = FinishReason::Stop;
        drawn.text = finish();
        return {};
    }
    LACUNA_TRY(const std::string whole, decoder_.push(token));
    StopStrings::Outcome shown = stops_.push(whole);
    text_ += shown.text;
    drawn.text = std::move(shown.text);
    if (shown.hit) {
        step.finish = FinishReason::StopString;
        finished_ = true;
    } else if (static_cast<std::int64_t>(answer_.size()) >= settings.maxTokens) {
        step.finish = FinishReason::Length;
        drawn.text += finish();
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
