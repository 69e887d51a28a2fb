#pragma once
/// \file
/// What is known of the loaded model and of the machine, as plain values for checks, screens,
/// reports. Read by engine/session/read_facts.h.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kv/kv_values.h"
#include "engine/values/precision.h"

namespace lacuna {

struct ModelFacts {
    std::string path;
    std::string name;
    std::string architecture;
    std::string fileType;
    std::string licence;
    std::string fingerprint;
    std::string templateNote;  ///< empty, or why a built-in chat template is used
    std::int64_t parameters = 0;
    std::int64_t weightBytes = 0;
    int layers = 0;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int vocabulary = 0;
    int context = 0;                ///< trained context, tokens
    std::vector<int> windows = {};  ///< [layers] tokens a layer sees; 0: all
    /// What precision=auto stands for with this model; before that is known, what it was loaded
    /// with.
    Precision precision = Precision::Fast;
    std::optional<double> precisionKl = {};  ///< mean KL of what auto stands for, where measured
    std::string precisionNote = {};          ///< what auto stands for and why; empty: not known yet
    bool questionsProfile = false;           ///< its heads were measured with questions
    bool surrogate = false;                  ///< its reconstruction scores can be foretold
    bool queryCentres = false;               ///< the centres of its queries were calibrated
    /// Its rotary angles follow the length of the text: queries to come cannot be foretold.
    bool rotaryVaries = false;
    /// Its queries are normed once they are rotated: those to come cannot be foretold either.
    bool normedAfterRotary = false;
    /// Rotations for rotated codes that were calibrated on it, or null.
    std::shared_ptr<const CalibratedRotations> rotations = {};
    std::string rotationsHash = {};  ///< of their numbers, or empty; what a recording knows of them
    std::string rotationsNote = {};  ///< why they are null although a file lies there, or empty
    /// What rotated codes of each layer cost it, or null.
    std::shared_ptr<const LayerDamage> layerDamage = {};
    std::string layerDamageHash = {};  ///< of its numbers, or empty; what a recording knows of it
    std::string layerDamageNote = {};  ///< why it is null although a file lies there, or empty
    std::string draftPath = {};        ///< of the model that guesses ahead, or empty
    std::string draftFingerprint = {};
    std::string shiftNote = {};   ///< why its context cannot be shifted, or empty
    bool keysNormalised = false;  ///< QK-norm: norms of keys say nothing
};

struct MachineFacts {
    std::string cpu;  ///< name as the system gives it
    std::string isa;  ///< kernel set in use: "avx512"
    int cores = 1;    ///< physical, as far as known
    std::int64_t memoryBytes = 0;
    std::int64_t availableBytes = 0;  ///< when asked
    std::string system;               ///< "Linux 6.1 x86_64"
};

/// What a cache of this model is made from.
[[nodiscard]] inline CacheModel cacheModelOf(const ModelFacts& model) {
    return {.layers = model.layers,
            .kvHeads = model.kvHeads,
            .headDim = model.headDim,
            .windows = model.windows,
            .rotations = model.rotations,
            .damage = model.layerDamage};
}

}  // namespace lacuna
