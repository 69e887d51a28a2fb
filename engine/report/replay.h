#pragma once
/// \file
/// Runs a recorded session again, headless, and says whether the same tokens come out.

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/base/clock.h"
#include "engine/report/recorder.h"
#include "engine/session/running_model.h"

namespace lacuna {

struct ReplayOptions {
    std::optional<std::filesystem::path> model;  ///< none: the path in the report
    std::optional<std::filesystem::path> draft;  ///< likewise, where the session had one
    std::optional<int> threads;                  ///< none: as recorded
    std::function<void(std::int64_t turn, std::int64_t turns)> progress;  ///< on another thread
    std::stop_token stop;
    /// Where surrogates are kept that were fitted by themselves, of which a report holds the hash.
    std::filesystem::path kept = {};
    ModelMakers makers = {};  ///< tests put in their own
};

struct ReplayOutcome {
    bool identical = false;
    std::int64_t turns = 0, tokens = 0;
    std::int64_t divergedTurn = 0,
                 divergedToken = 0;  ///< when not identical; token counts from 0 in the turn
    std::string expected, found;     ///< piece text at the divergence
    std::int64_t compactionsRecorded = 0, compactionsReplayed = 0;
    double recordedDecodeTokensPerSecond = 0, replayedDecodeTokensPerSecond = 0;
    std::string sentence;  ///< "identical: 3 turns, 412 tokens" or "diverged at token 17 of turn 2:
                           ///< ..."
};

/// A session that used several models loads them one after another, as it did. Errors: as
/// loadModel, also for the draft model; Incompatible when the fingerprint of either is not the
/// recorded one or the report does not describe one of several; InvalidArgument when no answer was
/// finished or a model is named in place of several; Cancelled.
[[nodiscard]] Result<ReplayOutcome> replay(const Recording& recording,
                                           const ReplayOptions& options);

}  // namespace lacuna
