#include "engine/generate/query_centres_file.h"

#include <charconv>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/model/rope.h"
#include "engine/model/tensor_bundle.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna-query-centres-1";
constexpr std::size_t kFileLimit = std::size_t{256} << 20;

std::filesystem::path keptPath(const std::filesystem::path& folder,
                               const std::string& fingerprint) {
    return folder / "centres" / (fingerprint + ".centres.safetensors");
}

}  // namespace

std::filesystem::path queryCentresPath(const std::filesystem::path& model) {
    return pathNextTo(model, ".centres.safetensors");
}

std::string queryCentresBytes(const QueryCentres& centres) {
    return TensorBundle{
        .texts = {{"format", std::string(kFormat)},
                  {"fingerprint", centres.fingerprint},
                  {"model", centres.model},
                  {"how", centres.how},
                  {"tokens", format("{}", centres.tokens)}},
        .tensors = {{"means", {centres.layers, centres.heads, centres.dim}, centres.means},
                    {"lengths", {centres.layers, centres.heads, centres.bands}, centres.lengths}}}
        .bytes();
}

Result<QueryCentres> queryCentresFromBytes(std::string_view bytes) {
    LACUNA_TRY(ReadBundle read,
               readBundle(bytes, {.format = kFormat,
                                  .texts = {"fingerprint", "model", "how", "tokens"},
                                  .tensors = {{"means", 3}, {"lengths", 3}}}));
    BundledTensor& means = read.tensors[0];
    BundledTensor& lengths = read.tensors[1];
    if (means.shape[0] != lengths.shape[0] || means.shape[1] != lengths.shape[1])
        return fail(ErrorCode::Config,
                    format("'means' has {} layers with {} heads, but 'lengths' has {} with {}",
                           means.shape[0], means.shape[1], lengths.shape[0], lengths.shape[1]));
    QueryCentres out{.model = read.texts[1],
                     .fingerprint = read.texts[0],
                     .how = read.texts[2],
                     .layers = means.shape[0],
                     .heads = means.shape[1],
                     .dim = means.shape[2],
                     .bands = lengths.shape[2],
                     .means = std::move(means.numbers),
                     .lengths = std::move(lengths.numbers)};
    const std::string& tokens = read.texts[3];
    const char* const end = tokens.data() + tokens.size();
    const auto [stop, error] = std::from_chars(tokens.data(), end, out.tokens);
    if (error != std::errc() || stop != end || out.tokens < 1)
        return fail(ErrorCode::Config, format("'tokens' is '{}'; expected a number", tokens));
    return out;
}

Result<std::filesystem::path> storeQueryCentres(const std::filesystem::path& model,
                                                const QueryCentres& centres,
                                                const std::filesystem::path& own) {
    return writeNextTo(queryCentresPath(model),
                       own.empty() ? own : keptPath(own, centres.fingerprint),
                       queryCentresBytes(centres));
}

Result<std::shared_ptr<const QueryCentres>> loadQueryCentres(const std::filesystem::path& model,
                                                             const ModelSpec& spec,
                                                             const std::filesystem::path& kept) {
    const std::filesystem::path found = firstExisting(
        queryCentresPath(model), kept.empty() ? kept : keptPath(kept, spec.fingerprint));
    if (found.empty()) return std::shared_ptr<const QueryCentres>();
    LACUNA_TRY(const std::string bytes, readFile(found, kFileLimit));
    auto read = queryCentresFromBytes(bytes);
    if (!read) return tl::unexpected<Error>(withPrefix(read.error(), found.string()));
    if (const Status uniform = checkUniformCache(spec, "query centres"); !uniform)
        return tl::unexpected<Error>(withPrefix(uniform.error(), found.string()));
    const int bands = spec.headDim - static_cast<int>(ropeFrequencies(spec.rope).size());
    if (read->fingerprint != spec.fingerprint || read->layers != spec.layers ||
        read->heads != spec.heads || read->dim != spec.headDim || read->bands != bands)
        return fail(
            ErrorCode::Incompatible,
            format(
                "{}: calibrated on another model (fingerprint {}, {} layers, {} heads, head "
                "dimension {}, {} bands; this model: fingerprint {}, {} layers, {} heads, head "
                "dimension {}, {} bands); calibrate again with lacuna calibrate-kv --query-centres",
                found.string(), read->fingerprint, read->layers, read->heads, read->dim,
                read->bands, spec.fingerprint, spec.layers, spec.heads, spec.headDim, bands));
    return std::make_shared<const QueryCentres>(std::move(*read));
}

}  // namespace lacuna
