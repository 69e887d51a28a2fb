#include "engine/session/turn.h"

#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"

namespace lacuna {

GenerationSettings Turn::settings(const EngineConfig& config) const {
    return {.kv = config.kv,
            .sampling = start_.request.sampling.value_or(config.sampling),
            .prefillPolicy = config.prefillPolicy,
            .prefillChunk = start_.config.prefillChunk,
            .maxTokens = start_.request.maxTokens.value_or(config.maxTokens),
            .context = start_.context,
            .contextShift = start_.config.contextShift,
            .draftTokens = config.draftTokens};
}

Status Turn::begin(Transformer& model, Sequence& sequence, std::vector<TokenId> prompt,
                   std::optional<std::int64_t> question,
                   std::unique_ptr<TokenConstraint> constraint) {
    stats_.promptTokens = static_cast<std::int64_t>(prompt.size());
    GenerationRequest request{.prompt = std::move(prompt),
                              .stopStrings = start_.request.stopStrings,
                              .seed = start_.seed,
                              .rules = start_.request.rules,
                              .constraint = std::move(constraint),
                              .maxReused = start_.request.maxReused.value_or(Sequence::kAnyTokens),
                              .question = question};
    LACUNA_TRY(generation_,
               Generation::start(model, sequence, std::move(request), settings(start_.config)));
    stats_.reusedTokens = generation_->reuse().tokens;
    return {};
}

void Turn::announce(Revision revision, std::optional<Precision> precision) const {
    TurnStarted event;
    event.conversation = conversation();
    event.turn = start_.turn;
    event.at = start_.at;
    event.messages = start_.request.messages;
    event.stopStrings = start_.request.stopStrings;
    event.rules = start_.request.rules;
    event.config = start_.config;
    event.config.sampling = start_.request.sampling.value_or(start_.config.sampling);
    event.config.maxTokens = start_.request.maxTokens.value_or(start_.config.maxTokens);
    event.revision = revision;
    event.seed = start_.seed;
    event.promptTokens = stats_.promptTokens;
    event.reusedTokens = stats_.reusedTokens;
    event.prefix = start_.request.prefix;
    event.match = match_;
    event.pins = start_.request.pins;
    event.precision = precision;
    event.reuseNote = extraNote_;
    if (generation_ != nullptr && !generation_->reuse().note.empty())
        event.reuseNote = generation_->reuse().note;
    events_.post(std::move(event));
    if (generation_ != nullptr) postProgress();
}

void Turn::postProgress() const {
    events_.post(PrefillProgress{.conversation = conversation(),
                                 .done = generation_->promptDone(),
                                 .total = generation_->promptTokens(),
                                 .reused = generation_->reuse().tokens});
}

BatchEntry Turn::member(const EngineConfig& config, std::int64_t lastServed) const {
    return {generation_.get(), settings(config), lastServed};
}

int Turn::stepTokens(const EngineConfig& config) const {
    const StepRequest request = generation_->request(settings(config));
    return request.reading ? request.tokens : 1 + request.proposals;
}

void Turn::took(const GenerationStep& step, double seconds) {
    const auto before = generation_->answer().size() - step.drawn.size();
    account(step, seconds);
    if (before == 0 && step.tokens > 0) postProgress();
    postText(step);
    if (step.shifted > 0)
        events_.post(
            Notice{format("The context of {} tokens was full: {} older tokens were dropped.",
                          start_.context, step.shifted)});
}

void Turn::postText(const GenerationStep& step) const {
    const std::span<const TokenId> answer = generation_->answer();
    auto index = static_cast<std::int64_t>(answer.size() - step.drawn.size());
    for (const DrawnToken& drawn : step.drawn)
        events_.post(TokenText{.conversation = conversation(),
                               .turn = start_.turn,
                               .index = index++,
                               .token = drawn.token,
                               .text = drawn.text,
                               .logprobs = drawn.logprobs});
    if (step.rest.empty()) return;
    events_.post(TokenText{.conversation = conversation(),
                           .turn = start_.turn,
                           .index = static_cast<std::int64_t>(answer.size()) - 1,
                           .token = answer.empty() ? 0 : answer.back(),
                           .text = step.rest});
}

void Turn::account(const GenerationStep& step, double seconds) {
    const auto answered = static_cast<std::int64_t>(generation_->answer().size());
    if (stats_.generatedTokens == 0)
        stats_.prefillSeconds += seconds;
    else
        stats_.decodeSeconds += seconds;
    if (!step.drawn.empty() && answered == static_cast<std::int64_t>(step.drawn.size()))
        stats_.timeToFirstTokenSeconds = secondsSince(clock_, beganNs_);
    stats_.generatedTokens = answered;
    stats_.decodeSteps += step.drawn.empty() ? 0 : 1;
    stats_.draftedTokens += step.drafted;
    stats_.draftRounds += step.drafted > 0 ? 1 : 0;
    stats_.acceptedTokens += step.accepted;
    stats_.shiftedTokens = generation_->shifted();
}

void Turn::finish(FinishReason reason, SafePoint at, std::optional<Error> error) {
    TurnFinished event;
    event.conversation = conversation();
    event.turn = start_.turn;
    event.at = at;
    event.reason = reason;
    event.error = std::move(error);
    event.stats = stats_;
    if (generation_ != nullptr) {
        const std::string rest = generation_->finish();
        event.tokens.assign(generation_->answer().begin(), generation_->answer().end());
        if (!rest.empty() && !event.tokens.empty())
            events_.post(TokenText{.conversation = conversation(),
                                   .turn = start_.turn,
                                   .index = static_cast<std::int64_t>(event.tokens.size()) - 1,
                                   .token = event.tokens.back(),
                                   .text = rest});
        event.text = generation_->text();
        if (reason == FinishReason::StopString) event.stopString = generation_->stopString();
    }
    events_.post(std::move(event));
}

}  // namespace lacuna
