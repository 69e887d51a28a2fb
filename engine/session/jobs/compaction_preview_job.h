#pragma once
/// \file
/// Estimates compactions on request: each is tried on a copy of the conversation's cache while the
/// engine is idle. Any command interrupts a trial, which is restarted later. If the compaction
/// would reread the text, the trial does so in chunks, and that reading also serves later estimates
/// of the same text. It never influences a compaction. Owned by the engine thread; called at safe
/// points. See docs/attention-matching.md, "Predicted loss of a ratio".

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/generate/kept_information.h"
#include "engine/generate/text_pass.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/session/sequence_pool.h"

namespace lacuna {

class CompactionPreviewJob final : public IdleJob {
  public:
    struct Dependencies {
        SequencePool& conversations;
        ModelHolder& models;
        CompactionSupervisor& compactions;
        EngineIo& io;
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit CompactionPreviewJob(Dependencies dependencies) : dependencies_(dependencies) {}

    /// Answered by CompactionPreviewed, in the order of the requests.
    void ask(RequestPreview request) { asked_.push_back(std::move(request)); }
    [[nodiscard]] bool isPending() override { return !asked_.empty() || loss_; }
    /// Advances the oldest request: reads a chunk of the text, or tries the compaction. If none is
    /// left, measures the loss of the newest one if that was requested.
    void advance(std::int64_t room) override;
    /// Returns true if a reading is kept for further estimates of its text.
    [[nodiscard]] bool holdsReading() const { return reading_.has_value(); }
    /// Releases the reading; it is repeated if it is still needed.
    void release() noexcept { reading_.reset(); }
    /// Answers all pending requests with an error before the model and the caches are released.
    void reset() override;

  private:
    /// Result of reading one text under one format and chunk size.
    struct Reading {
        ConversationId conversation;
        std::vector<TokenId> tokens;
        DType type = DType::F16;
        int chunk = 0;
        std::vector<std::pair<QueryRequest, Result<TextReading>>> done = {};
        std::optional<QueryRequest> query = std::nullopt;  ///< reading in progress
        std::unique_ptr<TextPass> text = nullptr;          ///< null before its first chunk
        /// Reference for compacted copies: the uncompacted cache and the gauge, which refers to it
        /// until it is ready. Both are null before the first measurement.
        std::unique_ptr<KvCache> full = nullptr;
        std::unique_ptr<RepetitionGauge> gauge = nullptr;
    };

    /// Measurement of what a tried compaction keeps.
    struct Loss {
        RequestPreview request;
        CompactionPreview preview;
        std::unique_ptr<KvCache> compacted;  ///< null after it was moved into the gauge
    };

    void keepReadingOf(ConversationId id, const QueryPass& pass);
    void readNextChunk(QueryPass pass);
    void startTrial(const RequestPreview& request, Sequence& sequence);
    /// Measures one chunk. Errors: Cancelled (a command is waiting), as RepetitionGauge.
    [[nodiscard]] Result<std::optional<KeptInformation>> continueMeasuring(std::int64_t room);
    void advanceLoss(std::int64_t room);
    /// Publishes the estimate a second time, with the measurement.
    void endLoss(std::optional<KeptInformation> kept);
    /// Answers the oldest request.
    void answer(Result<CompactionPreview> found);

    const Dependencies dependencies_;
    std::deque<RequestPreview> asked_;
    std::optional<Reading> reading_;
    std::optional<Loss> loss_;
};

}  // namespace lacuna
