#include "engine/model/rotation_file.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/kernels/rotation.h"
#include "engine/model/tensor_bundle.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna-rotations-1";
constexpr std::size_t kFileLimit = std::size_t{1} << 30;

/// Errors: as loadRotations, without the file's name.
Result<std::shared_ptr<const CalibratedRotations>> rotationsFor(const ModelSpec& spec,
                                                                std::string_view bytes) {
    LACUNA_TRY(const RotationMatrices read, rotationsFromBytes(bytes));
    if (!spec.uniformCache())
        return fail(ErrorCode::Incompatible,
                    "calibrated rotations are not supported for models whose layers have keys of "
                    "different sizes");
    if (read.fingerprint != spec.fingerprint || read.layers != spec.layers ||
        read.kvHeads != spec.kvHeads || read.dim != spec.headDim)
        return fail(
            ErrorCode::Incompatible,
            format("calibrated on another model (fingerprint {}, {} layers, {} KV heads, head "
                   "dimension {}; this model: fingerprint {}, {} layers, {} KV heads, head "
                   "dimension {}); calibrate again with lacuna calibrate-kv --rotations",
                   read.fingerprint, read.layers, read.kvHeads, read.dim, spec.fingerprint,
                   spec.layers, spec.kvHeads, spec.headDim));
    // Subtracting a centre from the keys shifts all scores of a query by one constant, but not the
    // score of a sink.
    if (spec.sinks && std::ranges::any_of(read.centres, [](float x) { return x != 0.0F; }))
        return fail(ErrorCode::Incompatible,
                    "rotations with key centres are not supported for models with attention sinks; "
                    "calibrate again with lacuna calibrate-kv --rotations");
    return CalibratedRotations::make(read);
}

}  // namespace

std::filesystem::path rotationPath(const std::filesystem::path& model) {
    return pathNextTo(model, ".rotations.safetensors");
}

std::filesystem::path storedRotationPath(const std::filesystem::path& folder,
                                         const std::string& fingerprint) {
    return folder / "rotations" / (fingerprint + ".rotations.safetensors");
}

std::string rotationBytes(const RotationMatrices& matrices) {
    const std::vector<int> shape{matrices.layers, matrices.kvHeads, matrices.dim, matrices.dim};
    return TensorBundle{
        .texts = {{"format", std::string(kFormat)},
                  {"fingerprint", matrices.fingerprint},
                  {"model", matrices.model},
                  {"how", matrices.how},
                  {"hash", matrices.hash()}},
        .tensors =
            {{"keys", shape, matrices.keys},
             {"values", shape, matrices.values},
             {"centres", {matrices.layers, matrices.kvHeads, matrices.dim}, matrices.centres},
             {"ranges", {matrices.layers, matrices.kvHeads, 2, kMaxCodeBits}, matrices.ranges}}}
        .bytes();
}

Result<RotationMatrices> rotationsFromBytes(std::string_view bytes) {
    LACUNA_TRY(ReadBundle read,
               readBundle(bytes, {.format = kFormat,
                                  .texts = {"fingerprint", "model", "how", "hash"},
                                  .tensors = {
                                      {"keys", 4}, {"values", 4}, {"centres", 3}, {"ranges", 4}}}));
    BundledTensor& keys = read.tensors[0];
    BundledTensor& values = read.tensors[1];
    if (keys.shape != values.shape || keys.shape[2] != keys.shape[3])
        return fail(ErrorCode::Config,
                    format("'keys' is [{}, {}, {}, {}], 'values' [{}, {}, {}, {}]; expected one "
                           "square matrix for each head in both",
                           keys.shape[0], keys.shape[1], keys.shape[2], keys.shape[3],
                           values.shape[0], values.shape[1], values.shape[2], values.shape[3]));
    const auto [layers, heads, dim] = std::tuple(keys.shape[0], keys.shape[1], keys.shape[2]);
    BundledTensor& centres = read.tensors[2];
    BundledTensor& ranges = read.tensors[3];
    if (centres.shape != std::vector<int>{layers, heads, dim} ||
        ranges.shape != std::vector<int>{layers, heads, 2, kMaxCodeBits})
        return fail(ErrorCode::Config,
                    format("'centres' is [{}, {}, {}], 'ranges' [{}, {}, {}, {}]; expected them to "
                           "fit {} layers of {} heads of {}",
                           centres.shape[0], centres.shape[1], centres.shape[2], ranges.shape[0],
                           ranges.shape[1], ranges.shape[2], ranges.shape[3], layers, heads, dim));
    RotationMatrices out{.model = read.texts[1],
                         .fingerprint = read.texts[0],
                         .how = read.texts[2],
                         .layers = layers,
                         .kvHeads = heads,
                         .dim = dim,
                         .keys = std::move(keys.numbers),
                         .values = std::move(values.numbers),
                         .centres = std::move(centres.numbers),
                         .ranges = std::move(ranges.numbers)};
    if (out.dim < Rotation::kMinDim || out.dim > Rotation::kMaxDim)
        return fail(ErrorCode::Config, format("rotations of {} numbers; expected {} to {}", out.dim,
                                              Rotation::kMinDim, Rotation::kMaxDim));
    if (out.hash() != read.texts[3])
        return fail(ErrorCode::Config,
                    "the numbers do not match the stored hash: the file is damaged");
    return out;
}

Result<std::filesystem::path> storeRotations(const std::filesystem::path& model,
                                             const RotationMatrices& matrices,
                                             const std::filesystem::path& own) {
    return writeNextTo(rotationPath(model),
                       own.empty() ? own : storedRotationPath(own, matrices.fingerprint),
                       rotationBytes(matrices));
}

Result<std::shared_ptr<const CalibratedRotations>> loadRotations(
    const std::filesystem::path& model, const ModelSpec& spec, const std::filesystem::path& kept) {
    const std::filesystem::path found = firstExisting(
        rotationPath(model), kept.empty() ? kept : storedRotationPath(kept, spec.fingerprint));
    if (found.empty()) return std::shared_ptr<const CalibratedRotations>();
    LACUNA_TRY(const std::string bytes, readFile(found, kFileLimit));
    auto rotations = rotationsFor(spec, bytes);
    if (!rotations) return tl::unexpected<Error>(withPrefix(rotations.error(), found.string()));
    return rotations;
}

}  // namespace lacuna
