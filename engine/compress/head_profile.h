#pragma once
/// \file
/// How much each KV head of a model needs its whole context, measured once and kept in a file
/// next to the model. A few heads fetch what stands far back; the others answer as well from little
/// (docs/attention-matching.md, "Slots by head"). It is measured in one of two ways, and both may
/// lie next to each other: without a task, on random tokens read twice (`MODEL.heads.json`), or
/// with questions about texts (`MODEL.questions.heads.json`). Copy scores, from attention alone,
/// stand in for the first until it is there and are kept nowhere. Plain data; immutable in use.

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
    std::string model = {};        ///< its name, for people
    std::string fingerprint = {};  ///< of the model that was measured
    int layers = 0;
    int kvHeads = 0;
    /// [layers * kvHeads] nats a token lost when this head sees no more than sinks and newest
    /// tokens, from 0: TaskFree on its own, Questions alongside those that need less. Of
    /// CopyScores: a mean attention, 0..1.
    std::vector<float> loss = {};
    std::string how = {};           ///< it was measured, for people
    std::int64_t answers = 0;       ///< questions it was measured with; 0 without a task
    std::int64_t answerTokens = 0;  ///< of all answers
    std::int64_t textTokens = 0;    ///< of all texts
    friend bool operator==(const HeadProfile&, const HeadProfile&) = default;
};

/// Those that there are of a model; null: none of that kind.
struct HeadProfiles {
    std::shared_ptr<const HeadProfile> taskFree = nullptr;
    std::shared_ptr<const HeadProfile> questions = nullptr;
    std::shared_ptr<const HeadProfile> copyScores = nullptr;
    /// What foretells reconstruction scores, fitted once to the model.
    std::shared_ptr<const ReconstructionSurrogate> surrogate = nullptr;
    std::string surrogateHash = {};  ///< of its numbers; a recording knows no more of it
    /// Centres of the queries, calibrated once on the model.
    std::shared_ptr<const QueryCentres> centres = nullptr;
    std::string centresHash = {};  ///< likewise
    /// What a division of slots is made by: without a task, else copy scores, for Auto and
    /// TaskFree, and for Reconstruction where there are no scores; null for those that need none.
    [[nodiscard]] std::shared_ptr<const HeadProfile> of(HeadBudgets budgets) const;
    /// Whether reconstruction scores are foretold while the text is read.
    [[nodiscard]] bool foretells() const { return surrogate != nullptr; }
    void add(HeadProfile profile);
};

[[nodiscard]] OrderedJson headProfileJson(const HeadProfile& profile);
/// Files of before there were two kinds are read as Questions. Errors: Config, naming the field.
[[nodiscard]] Result<HeadProfile> headProfileFromJson(const Json& json);

/// What a profile must fit.
struct ProfiledModel {
    std::string fingerprint;
    int layers = 0;
    int kvHeads = 0;
};

/// model.gguf -> model.heads.json or model.questions.heads.json, in the same folder; a folder's
/// lies inside it. @pre not of copy scores, which are kept nowhere
[[nodiscard]] std::filesystem::path headProfilePath(const std::filesystem::path& model,
                                                    ProfileKind kind);
/// Where that of a model whose folder cannot be written is kept below a folder of our own.
[[nodiscard]] std::filesystem::path keptProfilePath(const std::filesystem::path& folder,
                                                    const std::string& fingerprint);
/// The profiles next to a model, and below `kept` where none without a task lies next to it.
/// Errors: Json, Config, Incompatible (made of another model), with the file's name.
[[nodiscard]] Result<HeadProfiles> loadHeadProfiles(const std::filesystem::path& model,
                                                    const ProfiledModel& fits,
                                                    const std::filesystem::path& kept = {});

}  // namespace lacuna
