#pragma once
/// \file
/// How much each KV head of a model depends on its full context, measured once and stored in a file
/// next to the model. A few heads retrieve distant tokens; the others lose little with a short
/// context (docs/attention-matching.md, "Slots per head"). There are two measurements, and both
/// files may exist: without a task, on random tokens read twice (`MODEL.heads.json`), or with
/// questions about texts (`MODEL.questions.heads.json`). Copy scores, computed from attention
/// alone, substitute for the first until it exists and are never saved. Plain data; immutable in
/// use.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct ReconstructionSurrogate;  // engine/kv/eviction/reconstruction_surrogate.h
struct QueryCentres;             // engine/kv/eviction/tri_attention.h

enum class ProfileKind { TaskFree, Questions, CopyScores };

/// "task_free", "questions", "copy_scores".
[[nodiscard]] std::string_view profileKindName(ProfileKind kind);

struct HeadProfile {
    ProfileKind kind = ProfileKind::TaskFree;
    std::string model = {};        ///< display name
    std::string fingerprint = {};  ///< fingerprint of the measured model
    int layers = 0;
    int kvHeads = 0;                   ///< 0 if `layerHeads` is set
    std::vector<int> layerHeads = {};  ///< [layers] if the layers differ, otherwise empty
    /// [heads of all layers] loss per token in nats if this head sees only sinks and newest tokens,
    /// at least 0: TaskFree with this head alone restricted, Questions together with the heads that
    /// need less. For CopyScores: a mean attention, 0..1.
    std::vector<float> loss = {};
    std::string how = {};           ///< description of the measurement, for display
    std::int64_t answers = 0;       ///< number of questions; 0 without a task
    std::int64_t answerTokens = 0;  ///< total over all answers
    std::int64_t textTokens = 0;    ///< total over all texts
    friend bool operator==(const HeadProfile&, const HeadProfile&) = default;
};

/// Available profiles of a model; null if that kind is missing.
struct HeadProfiles {
    std::shared_ptr<const HeadProfile> taskFree = nullptr;
    std::shared_ptr<const HeadProfile> questions = nullptr;
    std::shared_ptr<const HeadProfile> copyScores = nullptr;
    /// Predictor of reconstruction scores, fitted once to the model.
    std::shared_ptr<const ReconstructionSurrogate> surrogate = nullptr;
    std::string surrogateHash = {};  ///< hash of its numbers, which is all that a recording stores
                                     ///< of it
    /// Query centres, calibrated once on the model.
    std::shared_ptr<const QueryCentres> centres = nullptr;
    std::string centresHash = {};  ///< hash of their numbers
    /// Profile for a division of slots: TaskFree, otherwise CopyScores, for Auto and TaskFree, and
    /// for Reconstruction if there are no scores; null for divisions that need none.
    [[nodiscard]] std::shared_ptr<const HeadProfile> of(HeadBudgets budgets) const;
    /// Returns true if reconstruction scores are predicted while the text is read.
    [[nodiscard]] bool predictsScores() const { return surrogate != nullptr; }
    void add(HeadProfile profile);
};

[[nodiscard]] OrderedJson headProfileJson(const HeadProfile& profile);
/// Files from before the two kinds existed are read as Questions. Errors: Config, naming the field.
[[nodiscard]] Result<HeadProfile> headProfileFromJson(const Json& json);

/// Properties of the model that a profile must match.
struct ProfiledModel {
    std::string fingerprint;
    int layers = 0;
    int kvHeads = 0;                   ///< 0 if `layerHeads` is set
    std::vector<int> layerHeads = {};  ///< [layers] if the layers differ, otherwise empty
};

/// model.gguf -> model.heads.json or model.questions.heads.json, in the same folder; for a model
/// folder, inside of it. @pre not CopyScores, which are never saved
[[nodiscard]] std::filesystem::path headProfilePath(const std::filesystem::path& model,
                                                    ProfileKind kind);
/// Path below `folder` for the profile of a model whose own folder is not writable.
[[nodiscard]] std::filesystem::path storedProfilePath(const std::filesystem::path& folder,
                                                      const std::string& fingerprint);
/// Loads the profiles next to a model, and from below `kept` if there is no TaskFree profile next
/// to it. Errors: Json, Config, Incompatible (made for another model), with the file's name.
[[nodiscard]] Result<HeadProfiles> loadHeadProfiles(const std::filesystem::path& model,
                                                    const ProfiledModel& fits,
                                                    const std::filesystem::path& kept = {});

}  // namespace lacuna
