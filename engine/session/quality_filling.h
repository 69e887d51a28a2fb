#pragma once
/// \file
/// Fills the quality table of the model in use (engine/quality/table_run.h), on request, while
/// nothing is answered. Any command breaks the trial of one setting off; it is made again
/// afterwards, the others stay, so that a question waits for no more than a forward pass. Owned by
/// the engine thread; called at safe points.

#include <filesystem>
#include <memory>
#include <optional>

#include "engine/base/log.h"
#include "engine/quality/table_run.h"
#include "engine/session/command.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class QualityFilling final : public IdleJob {
  public:
    struct Means {
        ModelHolder& models;
        const ConversationSettings& settings;  ///< in force
        const MachineFacts& machine;
        EngineDoors& doors;
        CommandSource& commands;
        Logger& log;
        std::filesystem::path folder;  ///< tables are kept below; empty: nowhere
    };
    /// What `means` refers to must outlive it.
    explicit QualityFilling(Means means) : means_(std::move(means)) {}

    /// Says which tables are kept of the model that was just loaded.
    void sayKept();
    void begin(FillQualityTable request);
    void stop();
    /// Whether there is something to measure now.
    [[nodiscard]] bool wanted() override { return asked_.has_value(); }
    /// Goes on for one setting on one text; what ends it is said. `room` is what caches made for a
    /// measurement may take, bytes.
    void advance(std::int64_t room) override;
    /// An answer is written: the memory of the text that was read is its own, and the text is read
    /// again later.
    void pause() override;
    /// The model goes, and what refers to it.
    void reset() override;

  private:
    [[nodiscard]] Status prepare();
    [[nodiscard]] Status renewTransformer();
    [[nodiscard]] Status checkRoom(std::int64_t room) const;
    [[nodiscard]] QualityTableFilled state() const;
    void say(bool withTable);
    void end(const std::optional<Error>& error);

    const Means means_;
    std::optional<FillQualityTable> asked_;
    std::unique_ptr<TableRun> run_;
    /// Of what the precision is by itself, whatever is set for answers.
    std::unique_ptr<Transformer> transformer_;
    int threadsMade_ = 0;      ///< of the model, when that was made
    std::int64_t saidNs_ = 0;  ///< when the table itself was said
};

}  // namespace lacuna
