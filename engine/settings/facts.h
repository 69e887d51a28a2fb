#pragma once
/// \file
/// Facts about the loaded model and the machine, as plain values for checks, displays and reports.
/// Read by engine/session/read_facts.h.

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
    std::string templateNote;  ///< why a built-in chat template is used; may be empty
    std::int64_t parameters = 0;
    std::int64_t weightBytes = 0;    ///< bytes of the weights in the file
    std::int64_t residentBytes = 0;  ///< memory of the loaded weights (ModelSpec::residentBytes)
    int layers = 0;
    int heads = 0;
    int kvHeads = 0;  ///< the largest of a layer
    int headDim = 0;  ///< the largest of a layer
    /// [layers] rows that each layer stores if they differ, otherwise empty.
    std::vector<KvExtent> extents = {};
    /// [layers] layer whose rows each layer reads, with `extents`; otherwise empty.
    std::vector<int> cacheLayers = {};
    /// Mixers of its recurrent layers, or null.
    std::shared_ptr<const std::vector<MixerWeights>> mixers = {};
    int vocabulary = 0;
    int context = 0;                ///< trained context, tokens
    std::vector<int> windows = {};  ///< [layers] tokens that a layer attends to; 0: all
    /// Precision that precision=auto resolves to; until that is known, the one the model was loaded
    /// with.
    Precision precision = Precision::Fast;
    std::optional<double> precisionKl = {};  ///< mean KL of that precision, if measured
    std::string precisionNote = {};          ///< what auto resolves to and why; empty until known
    bool questionsProfile = false;           ///< its heads were measured with questions
    bool surrogate = false;                  ///< a surrogate can predict its reconstruction scores
    bool queryCentres = false;               ///< its query centres were calibrated
    /// Its rotary angles depend on the length of the text, so future queries cannot be predicted.
    bool rotaryVaries = false;
    /// Its queries are normalised after the rotation, so future queries cannot be predicted.
    bool normedAfterRotary = false;
    /// Rotations for rotated codes that were calibrated on this model, or null.
    std::shared_ptr<const CalibratedRotations> rotations = {};
    std::string rotationsHash = {};  ///< hash of the rotations, stored in recordings; may be empty
    std::string rotationsNote = {};  ///< why `rotations` is null despite a file, or empty
    /// Error that rotated codes cause in each layer, or null.
    std::shared_ptr<const LayerLoss> layerLoss = {};
    std::string layerLossHash = {};  ///< hash of those errors, stored in recordings; may be empty
    std::string layerLossNote = {};  ///< why `layerLoss` is null despite a file, or empty
    std::string draftPath = {};      ///< path of the draft model; may be empty
    std::string draftFingerprint = {};
    bool draftBlock = false;      ///< it has a block for multi-token prediction
    std::string shiftNote = {};   ///< why the context cannot be shifted; may be empty
    bool keysNormalised = false;  ///< QK-norm: norms of keys carry no information
};

struct MachineFacts {
    std::string cpu;  ///< name as reported by the system
    std::string isa;  ///< kernel set in use: "avx512"
    int cores = 1;    ///< physical cores, if known
    std::int64_t memoryBytes = 0;
    std::int64_t availableBytes = 0;  ///< available memory when it was read
    std::string system;               ///< "Linux 6.1 x86_64"
};

/// KV heads of all layers. A layer that reads the rows of an earlier one has none.
[[nodiscard]] int cacheHeads(const ModelFacts& model);
/// Returns "8 KV heads of 128", or for layers that differ the runs of equal ones: "KV heads by
/// layer: 5 x 1 of 256, 1 x 1 of 512, 20 x none".
[[nodiscard]] std::string kvHeadsText(const ModelFacts& model);
/// Returns true if rows of every layer can be stored as these codes.
[[nodiscard]] bool codesFit(const CacheModel& model, const KvQuant& quant);
/// Returns true if values are parts of their keys and thus have their format: latent attention.
[[nodiscard]] bool hasLatentRows(const ModelFacts& model);

/// Returns the shape that caches of this model are built from.
[[nodiscard]] inline CacheModel cacheModelOf(const ModelFacts& model) {
    return {.layers = model.layers,
            .kvHeads = model.extents.empty() ? model.kvHeads : 0,
            .headDim = model.extents.empty() ? model.headDim : 0,
            .extents = model.extents,
            .states = model.mixers,
            .windows = model.windows,
            .rotations = model.rotations,
            .loss = model.layerLoss};
}

}  // namespace lacuna
