#include "engine/generate/transform_file.h"

#include <utility>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/lazy.h"
#include "engine/generate/cache_shape.h"
#include "engine/model/rope.h"
#include "engine/model/tensor_bundle.h"

namespace lacuna {
namespace {

constexpr std::size_t kFileLimit = std::size_t{1} << 30;

BundledRope bundledRope(const RopeSpec& spec) {
    return {.interleaved = spec.pairing == RopePairing::Interleaved,
            .frequencies = ropeFrequencies(spec)};
}

Result<std::shared_ptr<const TransformCodec>> makeCodec(std::string_view bytes) {
    LACUNA_TRY(TransformBundle bundle, transformFromBytes(bytes));
    return TransformCodec::make(std::move(bundle));
}

/// Identical bytes are parsed only once.
Result<std::shared_ptr<const TransformCodec>> codecFor(const ModelSpec& spec,
                                                       std::string_view bytes) {
    LACUNA_TRY_STATUS(checkUniformCache(spec, "transforms"));
    static Lazy<std::string, TransformCodec> codecs;
    LACUNA_TRY(auto codec, codecs.get(hashHex(std::as_bytes(std::span(bytes))),
                                      [bytes] { return makeCodec(bytes); }));
    LACUNA_TRY_STATUS(checkTransformFor(codec->bundle(), transformIdentityOf(spec)));
    return codec;
}

}  // namespace

TransformIdentity transformIdentityOf(const ModelSpec& spec) {
    TransformIdentity out{.architecture = spec.architecture,
                          .fingerprint = spec.fingerprint,
                          .layers = spec.layers,
                          .kvHeads = spec.kvHeads,
                          .keyDim = spec.headDim,
                          .valueDim = spec.headDim,
                          .ropes = {bundledRope(spec.rope)},
                          .layerRopes = {}};
    if (spec.localRope) out.ropes.push_back(bundledRope(*spec.localRope));
    for (int layer = 0; layer < spec.layers; ++layer) {
        const LayerSpec of = spec.layer(layer);
        out.layerRopes.push_back(!of.rotary ? -1 : of.sliding && spec.localRope ? 1 : 0);
    }
    return out;
}

std::filesystem::path transformPath(const std::filesystem::path& model) {
    return pathNextTo(model, ".transform");
}

std::filesystem::path storedTransformPath(const std::filesystem::path& folder,
                                          const std::string& fingerprint) {
    return folder / "transforms" / (fingerprint + ".transform");
}

Result<std::filesystem::path> storeTransform(const std::filesystem::path& model,
                                             const TransformBundle& bundle,
                                             const std::filesystem::path& own) {
    return writeNextTo(transformPath(model),
                       own.empty() ? own : storedTransformPath(own, bundle.identity.fingerprint),
                       transformBytes(bundle));
}

Result<std::shared_ptr<const TransformCodec>> loadTransform(const std::filesystem::path& model,
                                                            const ModelSpec& spec,
                                                            const std::filesystem::path& kept) {
    const std::filesystem::path found = firstExisting(
        transformPath(model), kept.empty() ? kept : storedTransformPath(kept, spec.fingerprint));
    if (found.empty()) return std::shared_ptr<const TransformCodec>();
    return transformFrom(found, spec);
}

Result<std::shared_ptr<const TransformCodec>> transformFrom(const std::filesystem::path& file,
                                                            const ModelSpec& spec) {
    LACUNA_TRY(const std::string bytes, readFile(file, kFileLimit));
    auto codec = codecFor(spec, bytes);
    if (!codec) return tl::unexpected<Error>(withPrefix(codec.error(), file.string()));
    return codec;
}

}  // namespace lacuna
