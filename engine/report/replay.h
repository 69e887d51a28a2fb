#pragma once
/// \file
/// Replays a recorded session without a user interface and checks that the same tokens are
/// generated.

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
    std::optional<std::filesystem::path> model;  ///< nullopt uses the path in the report
    std::optional<std::filesystem::path> draft;  ///< likewise, if the session had a draft model
    std::optional<int> threads;                  ///< nullopt uses the recorded number
    std::function<void(std::int64_t turn, std::int64_t turns)> progress;  ///< called on another
                                                                          ///< thread
    std::stop_token stop;
    /// Folder with automatically fitted surrogates; a report only contains their hashes.
    std::filesystem::path kept = {};
    ModelMakers makers = {};  ///< replaced in tests
};

struct ReplayOutcome {
    bool identical = false;
    std::int64_t turns = 0, tokens = 0;
    std::int64_t divergedTurn = 0,
                 divergedToken = 0;  ///< if not identical; token counts from 0 within the turn
    std::string expected, found;     ///< text of the token at the divergence
    std::int64_t compactionsRecorded = 0, compactionsReplayed = 0;
    double recordedDecodeTokensPerSecond = 0, replayedDecodeTokensPerSecond = 0;
    std::string sentence;  ///< "identical: 3 turns, 412 tokens" or "diverged at token 17 of turn 2:
                           ///< ..."
};

/// Loads the models of a session one after another, as recorded. Errors: as loadModel, also for the
/// draft model; Incompatible if a fingerprint differs from the recorded one or the report does not
/// describe one of several models; InvalidArgument if no answer was finished, or a model is given
/// although there are several; Cancelled.
[[nodiscard]] Result<ReplayOutcome> replay(const Recording& recording,
                                           const ReplayOptions& options);

}  // namespace lacuna
