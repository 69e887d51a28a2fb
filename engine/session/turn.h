#pragma once
/// \file
/// One turn inside the engine: its generation, its statistics and its events. Owned by the engine
/// thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/clock.h"
#include "engine/generate/batch_step.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna {

/// Constants of a turn.
struct TurnStart {
    Submit request;
    std::int64_t turn = 0;
    SafePoint at;  ///< point of the start, before its own points are counted
    std::uint64_t seed = 0;
    EngineConfig config;  ///< settings at the start; next-turn settings are read from here
    int context = 0;      ///< tokens
};

class Turn {
  public:
    Turn(TurnStart start, EventSink& events, const Clock& clock)
        : start_(std::move(start)), events_(events), clock_(clock), beganNs_(clock.nowNs()) {}

    /// Prepares the cache for the prompt, whose newest user message begins after `question` tokens
    /// if that is known. Errors: as Generation::start.
    [[nodiscard]] Status begin(Transformer& model, Sequence& sequence, std::vector<TokenId> prompt,
                               std::optional<std::int64_t> question,
                               std::unique_ptr<TokenConstraint> constraint);
    void noteReuse(std::string note) { extraNote_ = std::move(note); }
    /// Records that the start of its prompt came from the prefix cache.
    void setPrefixMatch(PrefixMatch match) { match_ = match; }
    [[nodiscard]] const PrefixUse& prefix() const { return start_.request.prefix; }
    /// Returns the group of turns that share their prompt; 0 if none.
    [[nodiscard]] std::int64_t promptGroup() const { return start_.request.promptGroup; }
    /// Returns an empty span if the turn did not begin.
    [[nodiscard]] std::span<const TokenId> prompt() const {
        return generation_ == nullptr ? std::span<const TokenId>() : generation_->prompt();
    }
    /// Records the cost of regenerating the answer and of editing the user message; see TurnStats.
    void noteAskingAgain(std::int64_t again, std::int64_t edit) {
        stats_.regenerateTokens = again;
        stats_.editTokens = edit;
    }
    /// Posts TurnStarted, and PrefillProgress with 0 tokens done if there is a prompt to read.
    /// `precision` is the arithmetic used; nullopt without a model.
    void announce(Revision revision, std::optional<Precision> precision) const;

    /// Returns its entry for the next step under the current settings.
    [[nodiscard]] BatchEntry member(const EngineConfig& config, std::int64_t lastServed) const;
    /// Posts progress and text of a step that took `seconds` of wall time.
    void took(const GenerationStep& step, double seconds);
    /// Ends the turn and posts TurnFinished.
    void finish(FinishReason reason, SafePoint at, std::optional<Error> error = std::nullopt);

    [[nodiscard]] ConversationId conversation() const { return start_.request.conversation; }
    [[nodiscard]] const AnswerRules& rules() const { return start_.request.rules; }
    [[nodiscard]] std::int64_t number() const { return start_.turn; }
    [[nodiscard]] bool inPrefill() const {
        return generation_ != nullptr && generation_->inPrefill();
    }
    /// Returns true if the next step generates the first or second token of the answer and the
    /// look-back has not run yet.
    [[nodiscard]] bool looksBack() const {
        return generation_ != nullptr && !lookedBack_ && !inPrefill() &&
               generation_->answer().size() <= 1;
    }
    /// Returns the bring_back mode of this turn.
    [[nodiscard]] BringBackMode bringBack(const EngineConfig& config) const {
        return start_.request.bringBack.value_or(config.bringBack);
    }
    /// Records the number of restored tokens.
    void lookedBack(std::int64_t restored) {
        lookedBack_ = true;
        stats_.restoredTokens += restored;
    }
    /// Returns the tokens of a prompt chunk, constant for the whole turn.
    [[nodiscard]] int chunk() const { return start_.config.prefillChunk; }
    /// Returns the maximum number of tokens that the next step may append to the cache.
    [[nodiscard]] int stepTokens(const EngineConfig& config) const;
    void countCompaction() { ++stats_.compactions; }

  private:
    [[nodiscard]] GenerationSettings settings(const EngineConfig& config) const;
    void postProgress() const;
    void postText(const GenerationStep& step) const;
    void account(const GenerationStep& step, double seconds);

    TurnStart start_;
    EventSink& events_;
    const Clock& clock_;
    const std::int64_t beganNs_;
    std::unique_ptr<Generation> generation_;
    std::string extraNote_;
    PrefixMatch match_ = PrefixMatch::None;
    bool lookedBack_ = false;
    TurnStats stats_;
};

}  // namespace lacuna
