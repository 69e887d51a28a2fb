#pragma once
/// \file
/// Estimates of compactions that were asked for: each is tried on a copy of the conversation's
/// cache while nothing is asked and nothing is answered. Any command breaks a trial off, and it is
/// begun again afterwards. Where a compaction would have the text read again, so has the trial, a
/// chunk at a time; what was read serves the estimates that follow of the same text, and nothing
/// else: a compaction knows no more for having been estimated.
/// Owned by the engine thread; called at safe points. docs/attention-matching.md, "What a ratio
/// costs".

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/generate/kept_information.h"
#include "engine/generate/text_pass.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/session/model_holder.h"

namespace lacuna {

class PreviewDesk final : public IdleJob {
  public:
    struct Means {
        ConversationStore& conversations;
        ModelHolder& models;
        CompactionSupervisor& compactions;
        EngineDoors& doors;
    };
    /// What `means` refers to must outlive it.
    explicit PreviewDesk(Means means) : means_(means) {}

    /// Answered by CompactionPreviewed, in the order in which they are asked for.
    void ask(RequestPreview request) { asked_.push_back(std::move(request)); }
    [[nodiscard]] bool wanted() override { return !asked_.empty() || loss_; }
    /// Goes on with the oldest: feeds a chunk of the text, or tries the compaction. With none
    /// left, what the newest of them keeps is measured where that was asked for.
    void advance(std::int64_t room) override;
    /// Whether a text that was read is held for further estimates of it.
    [[nodiscard]] bool holdsReading() const { return reading_.has_value(); }
    /// Gives back what was read, which is read again where it is still needed.
    void giveBack() noexcept { reading_.reset(); }
    /// The model goes, and every cache: what is asked for is answered with an error.
    void reset() override;

  private:
    /// What was read of one text, under one format and in chunks of one size.
    struct Reading {
        ConversationId conversation;
        std::vector<TokenId> tokens;
        DType type = DType::F16;
        int chunk = 0;
        std::vector<std::pair<QueryWish, Result<TextReading>>> done = {};
        std::optional<QueryWish> wish = std::nullopt;  ///< being read
        std::unique_ptr<TextPass> text = nullptr;      ///< of it; null before its first chunk
        /// What compacted copies are measured against: the cache as it was, and the gauge, which
        /// refers to it until it is ready; null before one is measured.
        std::unique_ptr<KvCache> whole = nullptr;
        std::unique_ptr<RepetitionGauge> gauge = nullptr;
    };

    /// What a tried compaction keeps, being measured.
    struct Loss {
        RequestPreview request;
        CompactionPreview preview;
        std::unique_ptr<KvCache> compacted;  ///< null once the gauge has it
    };

    void keepReadingOf(ConversationId id, const QueryPass& pass);
    void readOn(QueryPass pass);
    void tryOn(const RequestPreview& request, Sequence& sequence);
    /// A chunk of the measurement. Errors: Cancelled (a command comes first), as RepetitionGauge.
    [[nodiscard]] Result<std::optional<KeptInformation>> measureOn(std::int64_t room);
    void advanceLoss(std::int64_t room);
    /// Says the estimate once more, with what was measured.
    void endLoss(std::optional<KeptInformation> kept);
    /// The oldest is answered.
    void answer(Result<CompactionPreview> found);

    const Means means_;
    std::deque<RequestPreview> asked_;
    std::optional<Reading> reading_;
    std::optional<Loss> loss_;
};

}  // namespace lacuna
