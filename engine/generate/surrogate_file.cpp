#include "engine/generate/surrogate_file.h"

#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/query_centres_file.h"
#include "engine/kv/eviction/layer_heads.h"
#include "engine/model/tensor_bundle.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna-reconstruction-surrogate-1";
constexpr std::size_t kFileLimit = std::size_t{256} << 20;

}  // namespace

std::filesystem::path surrogatePath(const std::filesystem::path& model) {
    return pathNextTo(model, ".surrogate.safetensors");
}

/// If the layers differ in KV heads, all heads are written as those of one layer; their numbers
/// follow from the model.
std::string surrogateBytes(const ReconstructionSurrogate& surrogate) {
    const bool equal = surrogate.layerHeads.empty();
    const int layers = equal ? surrogate.layers : 1;
    const int heads = equal ? surrogate.kvHeads : static_cast<int>(surrogate.bias.size());
    return TensorBundle{
        .texts = {{"format", std::string(kFormat)},
                  {"fingerprint", surrogate.fingerprint},
                  {"model", surrogate.model},
                  {"how", surrogate.how}},
        .tensors = {{"weight", {layers, heads, surrogate.hidden}, surrogate.weights},
                    {"bias", {layers, heads}, surrogate.bias}}}
        .bytes();
}

Result<ReconstructionSurrogate> surrogateFromBytes(std::string_view bytes) {
    LACUNA_TRY(ReadBundle read, readBundle(bytes, {.format = kFormat,
                                                   .texts = {"fingerprint", "model", "how"},
                                                   .tensors = {{"weight", 3}, {"bias", 2}}}));
    BundledTensor& weight = read.tensors[0];
    BundledTensor& bias = read.tensors[1];
    if (weight.shape[0] != bias.shape[0] || weight.shape[1] != bias.shape[1])
        return fail(ErrorCode::Config,
                    format("'weight' has {} layers with {} heads, but 'bias' has {} with {}",
                           weight.shape[0], weight.shape[1], bias.shape[0], bias.shape[1]));
    ReconstructionSurrogate out;
    out.fingerprint = read.texts[0];
    out.model = read.texts[1];
    out.how = read.texts[2];
    out.layers = weight.shape[0];
    out.kvHeads = weight.shape[1];
    out.hidden = weight.shape[2];
    out.weights = std::move(weight.numbers);
    out.bias = std::move(bias.numbers);
    return out;
}

std::filesystem::path storedSurrogatePath(const std::filesystem::path& folder,
                                          const std::string& fingerprint) {
    return folder / "surrogates" / (fingerprint + ".surrogate.safetensors");
}

namespace {

Result<std::shared_ptr<const ReconstructionSurrogate>> loadFrom(const std::filesystem::path& path,
                                                                const ModelSpec& spec) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return std::shared_ptr<const ReconstructionSurrogate>();
    LACUNA_TRY(const std::string bytes, readFile(path, kFileLimit));
    auto read = surrogateFromBytes(bytes);
    if (!read) return tl::unexpected<Error>(withPrefix(read.error(), path.string()));
    const KvShape shape = plainShapeOf(spec);
    const int layers = shape.uniform() ? shape.layers : 1;
    const int heads = shape.uniform() ? shape.kvHeads : shape.headCount();
    if (read->fingerprint != spec.fingerprint || read->layers != layers || read->kvHeads != heads ||
        read->hidden != spec.hidden)
        return fail(ErrorCode::Incompatible,
                    format("{}: fitted to another model (fingerprint {}, {} layers of {} heads, "
                           "hidden {}; this one is {}, {} of {}, {}); fit again with lacuna "
                           "calibrate-kv --surrogate",
                           path.string(), read->fingerprint, read->layers, read->kvHeads,
                           read->hidden, spec.fingerprint, layers, heads, spec.hidden));
    read->layers = shape.layers;
    read->kvHeads = shape.kvHeads;
    read->layerHeads = layerHeadsOf(shape);
    return std::make_shared<const ReconstructionSurrogate>(std::move(*read));
}

}  // namespace

Result<std::shared_ptr<const ReconstructionSurrogate>> loadStoredSurrogate(
    const std::filesystem::path& folder, const ModelSpec& spec) {
    if (folder.empty()) return std::shared_ptr<const ReconstructionSurrogate>();
    return loadFrom(storedSurrogatePath(folder, spec.fingerprint), spec);
}

Result<std::shared_ptr<const ReconstructionSurrogate>> loadSurrogate(
    const std::filesystem::path& model, const ModelSpec& spec, const std::filesystem::path& kept) {
    auto next = loadFrom(surrogatePath(model), spec);
    if (next && *next != nullptr) return next;
    auto own = loadStoredSurrogate(kept, spec);
    return next || (own && *own != nullptr) ? own : next;
}

Result<HeadProfiles> loadMeasuredOf(const std::filesystem::path& model, const ModelSpec& spec,
                                    const std::filesystem::path& kept) {
    LACUNA_TRY(auto found, loadHeadProfiles(model, profiledModelOf(spec), kept));
    LACUNA_TRY(found.surrogate, loadSurrogate(model, spec, kept));
    if (found.surrogate != nullptr) found.surrogateHash = found.surrogate->hash();
    LACUNA_TRY(found.centres, loadQueryCentres(model, spec, kept));
    if (found.centres != nullptr) found.centresHash = found.centres->hash();
    return found;
}

}  // namespace lacuna
