#pragma once
/// \file
/// Inputs of the measuring commands: a model with its execution environment, and a conversation.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/main/commands.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/model/transformer.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"
#include "engine/template/chat_template.h"

namespace lacuna::cli {

/// Size limit of texts and case lists, in bytes.
inline constexpr std::size_t kTextLimit = std::size_t{1} << 30;

/// Reads a text file. Errors: those of reading; Corrupt (not UTF-8; a character cut off at the end
/// is accepted).
[[nodiscard]] Result<std::string> readText(const std::string& path);

/// A model with its execution environment: threads, activations, head profiles.
struct MeasuredModel {
    std::filesystem::path path;
    std::shared_ptr<const LoadedModel> loaded;
    ModelFacts facts;
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<Transformer> transformer;
    HeadProfiles profiles;  ///< profiles stored next to the model
};

/// Loads `given` or the bundled model with threads, chunk and precision of `config`. Errors: as
/// loadModel, Transformer::create, profilesFor; those of check with this model.
[[nodiscard]] Result<MeasuredModel> loadForMeasuring(const std::string& given,
                                                     const EngineConfig& config,
                                                     std::stop_token stop);

/// Returns the arithmetic that `config` selects for this model. With precision=auto, a stored
/// measurement decides; without one the result is kSafePrecision. Measures nothing.
[[nodiscard]] Precision precisionFor(const EngineConfig& config, const LoadedModel& model);

/// Adds the rotation used for rotated codes as "kv_rotation", if there are any; notes why a
/// calibrated rotation cannot be used.
void noteRotation(const KvOptions& options, const ModelFacts& facts, OrderedJson& json);

// Conversations given to commands: a prompt, a file of messages, a report.

/// Reads messages from a JSON file. Errors: those of reading, Json, Config.
[[nodiscard]] Result<std::vector<ChatMessage>> messagesFromFile(const std::string& path);
/// Returns the newest answered conversation of a report, including the answer. Errors: those of
/// reading, Json, of recordingFromJson; InvalidArgument (no finished answer).
[[nodiscard]] Result<std::vector<ChatMessage>> messagesFromReport(const std::string& path);

/// Returns the conversation up to the message to be answered. Errors: InvalidArgument (no source,
/// or several), those above.
[[nodiscard]] Result<std::vector<ChatMessage>> messagesOfArguments(const QuestionArguments& asked);

}  // namespace lacuna::cli
