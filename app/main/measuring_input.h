#pragma once
/// \file
/// What the commands that measure are given: a model with what it runs on, and a conversation.

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

/// Bytes of the longest text or list of cases that a measurement reads.
inline constexpr std::size_t kTextLimit = std::size_t{1} << 30;

/// Running text of a file. Errors: those of reading; Corrupt (it is no text; a character that is
/// cut off at its end is no reason).
[[nodiscard]] Result<std::string> readText(const std::string& path);

/// A model with what a measurement runs it on: threads, activations, what is known of its heads.
struct MeasuredModel {
    std::filesystem::path path;
    std::shared_ptr<const LoadedModel> loaded;
    ModelFacts facts;
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<Transformer> transformer;
    HeadProfiles profiles;  ///< those next to the model
};

/// `given` or the bundled model, with threads, chunk and precision of `config`. Errors: as
/// loadModel, Transformer::create, profilesFor; those of check with this model.
[[nodiscard]] Result<MeasuredModel> loadForMeasuring(const std::string& given,
                                                     const EngineConfig& config,
                                                     std::stop_token stop);

/// The arithmetic that `config` asks for with this model; with precision=auto what was measured and
/// kept, else kSafePrecision: nothing is measured.
[[nodiscard]] Precision precisionFor(const EngineConfig& config, const LoadedModel& model);

/// Adds what turns the rows of rotated codes, as "kv_rotation", where there are any; says why what
/// was calibrated on the model cannot be used.
void noteRotation(const KvOptions& options, const ModelFacts& facts, OrderedJson& json);

// Conversations that commands are given: a prompt, a file of messages, a report.

/// Messages of a JSON file. Errors: those of reading, Json, Config.
[[nodiscard]] Result<std::vector<ChatMessage>> messagesFromFile(const std::string& path);
/// The newest answered conversation of a report, its answer last. Errors: those of reading, Json,
/// of recordingFromJson; InvalidArgument (no finished answer).
[[nodiscard]] Result<std::vector<ChatMessage>> messagesFromReport(const std::string& path);

/// The conversation up to the message that is to be answered. Errors: InvalidArgument (none or
/// several sources), those above.
[[nodiscard]] Result<std::vector<ChatMessage>> askedMessages(const AskedArguments& asked);

}  // namespace lacuna::cli
