#pragma once
/// \file
/// How much each KV head of a model needs its whole context, measured once and kept in a file
/// next to the model (`MODEL.heads.json`). A few heads fetch what stands far back; the others
/// answer as well from little (docs/attention-matching.md, "Slots by head"). Plain data; immutable
/// in use.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace lacuna {

struct HeadProfile {
    std::string model = {};        ///< its name, for people
    std::string fingerprint = {};  ///< of the model that was measured
    int layers = 0;
    int kvHeads = 0;
    /// [layers * kvHeads] nats for each answer token lost when only this head, alongside those that
    /// need less, sees no more than sinks and newest tokens; from 0.
    std::vector<float> loss = {};
    std::int64_t answers = 0;       ///< questions it was measured with
    std::int64_t answerTokens = 0;  ///< of all answers
    std::int64_t textTokens = 0;    ///< of all texts
    friend bool operator==(const HeadProfile&, const HeadProfile&) = default;
};

[[nodiscard]] OrderedJson headProfileJson(const HeadProfile& profile);
/// Errors: Config, naming the field.
[[nodiscard]] Result<HeadProfile> headProfileFromJson(const Json& json);

/// What a profile must fit.
struct ProfiledModel {
    std::string fingerprint;
    int layers = 0;
    int kvHeads = 0;
};

/// model.gguf -> model.heads.json, in the same folder; a folder's lies inside it.
[[nodiscard]] std::filesystem::path headProfilePath(const std::filesystem::path& model);
/// The profile next to a model, or nothing when there is none. Errors: Json, Config, Incompatible
/// (made of another model), with the file's name.
[[nodiscard]] Result<std::optional<HeadProfile>> loadHeadProfile(const std::filesystem::path& model,
                                                                 const ProfiledModel& fits);

}  // namespace lacuna
