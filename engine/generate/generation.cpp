#include "engine/generate/generation.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/generate/batch_step.h"
#include "engine/generate/kept_information.h"
#include "engine/generate/text_pass.h"

namespace lacuna {
namespace {

Status checkLength(std::size_t prompt, const GenerationSettings& settings) {
    if (prompt == 0)
        return fail(ErrorCode::InvalidArgument, "the prompt is empty; it needs at least one token");
    const int context = settings.context;
    if (settings.contextShift || prompt <= static_cast<std::size_t>(std::max(context, 0)))
        return {};
    return fail(ErrorCode::ContextFull,
                format("the prompt has {} tokens and the context has room for {}; shorten the "
                       "conversation or raise the context",
                       prompt, context));
}

}  // namespace

Generation::Generation(const LoadedModel& model, Sequence& sequence, GenerationRequest request,
                       StopStrings stops)
    : model_(model),
      sequence_(sequence),
      request_(std::move(request)),
      sampler_(request_.seed, request_.rules.bias, request_.rules.logprobs,
               request_.rules.logprobsOfDraw),
      decoder_(model.tokenizer),
      stops_(std::move(stops)),
      history_(request_.prompt) {}

Result<std::unique_ptr<Generation>> Generation::start(Transformer& model, Sequence& sequence,
                                                      GenerationRequest request,
                                                      const GenerationSettings& settings) {
    LACUNA_TRY_STATUS(checkLength(request.prompt.size(), settings));
    LACUNA_TRY(auto stops, StopStrings::create(request.stopStrings));
    LACUNA_TRY_STATUS(checkRules(request.rules, model.model().spec.vocabulary));
    LACUNA_TRY(auto reuse, sequence.prepare(request.prompt, request.maxReused, request.question));
    std::unique_ptr<Generation> generation(
        new Generation(model.model(), sequence, std::move(request), std::move(stops)));
    generation->reuse_ = std::move(reuse);
    generation->shifted_ = generation->shiftIfFull(settings);
    return generation;
}

std::int64_t Generation::promptDone() const {
    return std::min(fedTokens(), promptTokens());
}

/// Returns the number of dropped tokens. If the cache cannot be shifted it remains full, and the
/// answer ends.
int Generation::shiftIfFull(const GenerationSettings& settings) {
    if (!settings.contextShift || sequenceTokens() < settings.context) return 0;
    const auto shifted = sequence_.shift(*settings.contextShift, model_.spec);
    return shifted ? *shifted : 0;
}

/// The prompt is read except for its last token, which is fed by the first decode step.
StepRequest Generation::request(const GenerationSettings& settings) const {
    if (!inPrefill()) return {.proposals = proposalRoom(settings)};
    std::int64_t left = promptTokens() - 1 - fedTokens();
    if (settings.contextShift) left = std::min(left, settings.context - sequenceTokens());
    return {.reading = true,
            .tokens =
                static_cast<int>(std::min<std::int64_t>(left, std::max(settings.prefillChunk, 1)))};
}

/// Limits drafts to what the answer, the context and the next compaction have room for, after the
/// token that is sampled anyway. The compaction then occurs after the same token as without drafts
/// (S1-06).
int Generation::proposalRoom(const GenerationSettings& settings) const {
    if (settings.draftTokens == 0) return 0;
    const auto answered = static_cast<std::int64_t>(answer_.size());
    std::int64_t most =
        std::min({std::int64_t{settings.draftTokens}, settings.maxTokens - answered - 1,
                  settings.context - sequenceTokens() - 1});
    // A compaction that is one turn late or waits for a pause cannot occur before the end of the
    // answer.
    if (settings.kv.method != CompactionMethod::None &&
        settings.kv.compactWhen == CompactWhen::AtBudget &&
        !sequence_.compactor().waitsForPause(sequence_.cache(), settings.kv)) {
        const CompactionState state = sequence_.compactor().state(sequence_.cache(), settings.kv);
        if (state.trigger > 0) most = std::min<std::int64_t>(most, state.trigger - 1 - state.slots);
    }
    return static_cast<int>(std::max<std::int64_t>(0, most));
}

std::optional<GenerationStep> Generation::endIfFull(const GenerationSettings& settings) {
    if (inPrefill() && sequenceTokens() < settings.context) return std::nullopt;
    GenerationStep step;
    if (sequenceTokens() >= settings.context)
        step.finish = FinishReason::ContextFull;
    else if (!answer_.empty() && static_cast<std::int64_t>(answer_.size()) >= settings.maxTokens)
        step.finish = FinishReason::Length;  // the limit was lowered since the last step
    else
        return std::nullopt;
    step.rest = finish();
    return step;
}

Result<PlannedStep> Generation::plan(const StepShare& share, const GenerationSettings& settings,
                                     const ForwardOptions& options) {
    LACUNA_REQUIRE(!finished_, "a finished answer takes no step");
    chooseInputs(share, settings, options);
    sequence_.compactor().beforeStep(sequence_.cache(), settings.kv);
    const int proposed = feedsPrompt_ ? 0 : static_cast<int>(fed_.size()) - 1;
    LACUNA_TRY(SpeculationGuard speculation, SpeculationGuard::open(sequence_.cache(), proposed));
    LogitsFor logits = LogitsFor::None;
    if (!feedsPrompt_) logits = fed_.size() > 1 ? LogitsFor::AllTokens : LogitsFor::LastToken;
    const BatchRun run{.tokens = fed_,
                       .cache = &sequence_.cache(),
                       .logits = logits,
                       .observer = sequence_.compactor().observer(sequence_.cache(), settings.kv),
                       .promptEnd = Position(static_cast<std::int32_t>(promptTokens())),
                       .hidden = hiddenForDrafter(settings)};
    return PlannedStep{run, std::move(speculation)};
}

/// Returns where the pass stores hidden states for the drafter, or null.
std::vector<float>* Generation::hiddenForDrafter(const GenerationSettings& settings) {
    return settings.draftTokens > 0 ? drafter().hiddenFrom(fedTokens()) : nullptr;
}

void Generation::chooseInputs(const StepShare& share, const GenerationSettings& settings,
                              const ForwardOptions& options) {
    feedsPrompt_ = inPrefill();
    if (feedsPrompt_) {
        const auto chunk = std::span(request_.prompt)
                               .subspan(static_cast<std::size_t>(fedTokens()),
                                        static_cast<std::size_t>(share.tokens));
        fed_.assign(chunk.begin(), chunk.end());
        return;
    }
    fed_.assign(1, answer_.empty() ? request_.prompt.back() : answer_.back());
    if (share.proposals == 0) return;
    const std::vector<TokenId> proposed = proposal(share.proposals, settings, options);
    fed_.insert(fed_.end(), proposed.begin(), proposed.end());
}

/// Returns the drafted tokens up to the first one that the constraint forbids; later ones need not
/// be verified.
std::vector<TokenId> Generation::proposal(int most, const GenerationSettings& settings,
                                          const ForwardOptions& options) {
    std::vector<TokenId> proposed =
        drafter().propose({.history = history_,
                           .most = most,
                           .sampling = settings.sampling,
                           .seed = request_.seed,
                           .answered = static_cast<std::int64_t>(answer_.size()),
                           .chunk = settings.prefillChunk,
                           .cancelled = options.cancelled});
    if (request_.constraint != nullptr) proposed.resize(request_.constraint->fitting(proposed));
    return proposed;
}

Result<GenerationStep> Generation::take(PlannedStep& planned, View<const float, 2> rows,
                                        const GenerationSettings& settings,
                                        const ForwardOptions& options) {
    GenerationStep step;
    step.prefill = feedsPrompt_;
    sequence_.appended(fed_);
    if (step.prefill) {
        step.tokens = static_cast<int>(fed_.size());
        if (settings.draftTokens > 0)
            drafter().read(std::span(history_).first(static_cast<std::size_t>(fedTokens())),
                           settings.prefillChunk, options.cancelled);
        return step;
    }
    LACUNA_TRY_STATUS(drawTokens(rows, settings, step));
    LACUNA_TRY_STATUS(planned.speculation.close());
    return step;
}

void Generation::compact(const PassContext& dependencies, const GenerationSettings& settings,
                         GenerationStep& step) {
    const bool waits = step.prefill && settings.prefillPolicy == PrefillPolicy::AfterPrefill;
    CompactionPoint point{
        .pace = step.prefill ? CompactionPace::Immediate : CompactionPace::Background,
        .policy = dependencies.policy};
    if (finished_) sequence_.compactor().endTurn();
    std::optional<LateGauge> gauge;
    if (dependencies.measuresLoss && settings.kv.lossLimit.on() &&
        settings.kv.method != CompactionMethod::None) {
        gauge.emplace(measuredText(sequence_.tokens(), settings.kv, request_.question),
                      sequence_.cache(),
                      RepetitionContext{.model = &dependencies.model,
                                        .pool = &sequence_.compactor().pool(),
                                        .chunk = settings.prefillChunk,
                                        .maxBytes = dependencies.bytes,
                                        .cancelled = dependencies.forward.cancelled});
        point.gauge = &*gauge;
    }
    if (readsAgain(settings.kv))
        point.reader = queryReader({.model = &dependencies.model,
                                    .tokens = sequence_.tokens(),
                                    .type = settings.kv.type,
                                    .chunk = settings.prefillChunk,
                                    .maxBytes = dependencies.bytes,
                                    .cancelled = dependencies.forward.cancelled,
                                    .full = &sequence_.cache(),
                                    .rows = gauge ? &*gauge : nullptr});
    if (!waits && (step.tokens > 0 || finished_))
        step.compaction = sequence_.compactor().afterStep(sequence_.cache(), settings.kv, point);
    if (finished_ && !step.compaction)
        step.compaction = sequence_.compactor().afterTurn(sequence_.cache(), settings.kv, point);
    if (!finished_) step.shifted = shiftIfFull(settings);
    shifted_ += step.shifted;
}

Result<GenerationStep> Generation::step(Transformer& model, const GenerationSettings& settings,
                                        const ForwardOptions& options, const Clock& clock) {
    if (auto ended = endIfFull(settings)) {
        compact({.model = model, .forward = options, .measuresLoss = true}, settings, *ended);
        return std::move(*ended);
    }
    const StepRequest wanted = request(settings);
    const StepShare share = planStep(std::span(&wanted, 1), std::max(settings.prefillChunk, 1))[0];
    const std::int64_t begin = clock.nowNs();
    LACUNA_TRY(PlannedStep planned, plan(share, settings, options));
    LACUNA_TRY(const auto rows, model.forward(std::span(&planned.run, 1), options));
    LACUNA_TRY(GenerationStep step, take(planned, rows, settings, options));
    step.stepMs = millisecondsSince(clock, begin);
    compact({.model = model, .forward = options, .measuresLoss = true}, settings, step);
    return step;
}

/// Samples from the rows in order until a token differs from the following draft or ends the
/// answer; the cache then covers the tokens fed up to there.
Status Generation::drawTokens(View<const float, 2> rows, const GenerationSettings& settings,
                              GenerationStep& step) {
    step.drafted = static_cast<int>(fed_.size()) - 1;
    step.tokens = 1;
    if (step.drafted > sequence_.cache().capabilities().rollbackLimit)
        return fail(
            ErrorCode::Unsupported,
            format("the cache cannot remove rejected draft tokens ({}); set draft_tokens to 0",
                   sequence_.cache().capabilities().rollbackBlocker));
    if (settings.maxTokens == 0) {
        step.finish = FinishReason::Length;
        step.rest = finish();
        return {};
    }
    std::size_t used = 0;
    while (true) {
        LACUNA_TRY(const TokenId token,
                   drawToken(rows.row(static_cast<std::int64_t>(used)), settings, step));
        ++used;
        if (step.finish || used == fed_.size() || token != fed_[used]) break;
    }
    step.tokens = static_cast<int>(used);
    step.accepted = step.tokens - 1;
    if (settings.draftTokens > 0) drafter().settle(history_);
    return sequence_.dropNewest(static_cast<int>(fed_.size() - used));
}

Result<TokenId> Generation::drawToken(std::span<const float> logits,
                                      const GenerationSettings& settings, GenerationStep& step) {
    const SamplingState place{.history = history_,
                              .answered = static_cast<std::int64_t>(answer_.size()),
                              .constraint = request_.constraint.get()};
    LACUNA_TRY(Drawn drawn, sampler_.draw(logits, place, settings.sampling));
    LACUNA_TRY_STATUS(acceptToken(drawn.token, settings, step));
    if (drawn.logprobs) {
        for (TokenLogprob& chance : drawn.logprobs->top)
            chance.text = model_.tokenizer.pieceBytes(chance.token, SpecialOutput::Show)
                              .value_or(std::string());
        step.drawn.back().logprobs = std::move(drawn.logprobs);
    }
    return drawn.token;
}

Status Generation::acceptToken(TokenId token, const GenerationSettings& settings,
                               GenerationStep& step) {
    answer_.push_back(token);
    history_.push_back(token);
    if (request_.constraint != nullptr) LACUNA_TRY_STATUS(request_.constraint->accept(token));
    DrawnToken& drawn =
        step.drawn.emplace_back(DrawnToken{.token = token, .text = {}, .logprobs = {}});
    if (model_.tokenizer.isEndOfTurn(token)) {
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
        stopString_ = std::move(shown.stop);
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
