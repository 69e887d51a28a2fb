#include "engine/generate/surrogate_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/safetensors.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna-reconstruction-surrogate-1";
constexpr std::size_t kFileLimit = std::size_t{256} << 20;
constexpr std::uint64_t kMaxExtent = 1U << 20;
constexpr std::size_t kLengthBytes = 8;  // of the header's length, little-endian

/// A tensor of the file with so many dimensions, its numbers finite. Errors: Config.
Result<std::vector<float>> numbersOf(const SafetensorsHeader& header, std::string_view bytes,
                                     std::string_view name, std::size_t dimensions,
                                     std::vector<std::uint64_t>& shape) {
    const auto found =
        std::find_if(header.entries.begin(), header.entries.end(),
                     [&](const SafetensorsEntry& entry) { return entry.name == name; });
    if (found == header.entries.end())
        return fail(ErrorCode::Config, format("there is no tensor '{}'", name));
    if (found->type.type != DType::F32 || found->shape.size() != dimensions ||
        std::any_of(found->shape.begin(), found->shape.end(),
                    [](std::uint64_t extent) { return extent == 0 || extent > kMaxExtent; }))
        return fail(ErrorCode::Config,
                    format("'{}' is {} of {} dimensions; expected F32 of {}", name,
                           found->type.name, found->shape.size(), dimensions));
    shape = found->shape;
    std::vector<float> numbers((found->end - found->begin) / sizeof(float));
    std::memcpy(numbers.data(), bytes.data() + header.dataStart + found->begin,
                numbers.size() * sizeof(float));
    if (std::any_of(numbers.begin(), numbers.end(), [](float x) { return !std::isfinite(x); }))
        return fail(ErrorCode::Config, format("'{}' holds a number that is not finite", name));
    return numbers;
}

/// Who made it and of what. Errors: Config.
Status readMetadata(std::string_view bytes, ReconstructionSurrogate& out) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), kLengthBytes);
    LACUNA_TRY(const Json header, parseJson(bytes.substr(kLengthBytes, length)));
    JsonReading reading;
    ObjectReader tensors({header, {}, {}, reading}, Strangers::Allowed);
    ObjectReader metadata(tensors.member("__metadata__"), Strangers::Allowed);
    const std::string version = metadata.member("format").text();
    LACUNA_TRY_STATUS(reading.status());
    if (version != kFormat)
        return fail(ErrorCode::Config, format("format is '{}'; expected '{}'", version, kFormat));
    out.fingerprint = metadata.member("fingerprint").text();
    out.model = metadata.member("model").text();
    out.how = metadata.member("how").text();
    return reading.status();
}

void append(std::string& bytes, const std::vector<float>& numbers) {
    const std::size_t at = bytes.size();
    bytes.resize(at + numbers.size() * sizeof(float));
    std::memcpy(bytes.data() + at, numbers.data(), numbers.size() * sizeof(float));
}

}  // namespace

std::filesystem::path surrogatePath(const std::filesystem::path& model) {
    constexpr const char* kEnding = ".surrogate.safetensors";
    std::error_code ignored;
    if (std::filesystem::is_directory(model, ignored))
        return model / ("model" + std::string(kEnding));
    std::filesystem::path path = model;
    return path.replace_extension(kEnding);
}

std::string surrogateBytes(const ReconstructionSurrogate& surrogate) {
    const std::size_t weightEnd = surrogate.weights.size() * sizeof(float);
    const std::size_t biasEnd = weightEnd + surrogate.bias.size() * sizeof(float);
    const OrderedJson header{{"__metadata__",
                              {{"format", kFormat},
                               {"fingerprint", surrogate.fingerprint},
                               {"model", surrogate.model},
                               {"how", surrogate.how}}},
                             {"weight",
                              {{"dtype", "F32"},
                               {"shape", {surrogate.layers, surrogate.kvHeads, surrogate.hidden}},
                               {"data_offsets", {std::size_t{0}, weightEnd}}}},
                             {"bias",
                              {{"dtype", "F32"},
                               {"shape", {surrogate.layers, surrogate.kvHeads}},
                               {"data_offsets", {weightEnd, biasEnd}}}}};
    std::string text = header.dump();
    text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
    const std::uint64_t length = text.size();
    std::string bytes(kLengthBytes, '\0');
    std::memcpy(bytes.data(), &length, kLengthBytes);
    bytes += text;
    append(bytes, surrogate.weights);
    append(bytes, surrogate.bias);
    return bytes;
}

Result<ReconstructionSurrogate> surrogateFromBytes(std::string_view bytes) {
    LACUNA_TRY(const SafetensorsHeader header,
               readSafetensorsHeader(std::as_bytes(std::span(bytes.data(), bytes.size()))));
    ReconstructionSurrogate out;
    LACUNA_TRY_STATUS(readMetadata(bytes, out));
    std::vector<std::uint64_t> weight;
    std::vector<std::uint64_t> bias;
    LACUNA_TRY(out.weights, numbersOf(header, bytes, "weight", 3, weight));
    LACUNA_TRY(out.bias, numbersOf(header, bytes, "bias", 2, bias));
    if (weight[0] != bias[0] || weight[1] != bias[1])
        return fail(ErrorCode::Config,
                    format("'weight' is of {} layers with {} heads, 'bias' of {} with {}",
                           weight[0], weight[1], bias[0], bias[1]));
    out.layers = static_cast<int>(weight[0]);
    out.kvHeads = static_cast<int>(weight[1]);
    out.hidden = static_cast<int>(weight[2]);
    return out;
}

Result<std::shared_ptr<const ReconstructionSurrogate>> loadSurrogate(
    const std::filesystem::path& model, const ModelSpec& spec) {
    const std::filesystem::path path = surrogatePath(model);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return std::shared_ptr<const ReconstructionSurrogate>();
    LACUNA_TRY(const std::string bytes, readFile(path, kFileLimit));
    auto read = surrogateFromBytes(bytes);
    if (!read) return tl::unexpected<Error>(withPrefix(read.error(), path.string()));
    if (read->fingerprint != spec.fingerprint || read->layers != spec.layers ||
        read->kvHeads != spec.kvHeads || read->hidden != spec.hidden)
        return fail(ErrorCode::Incompatible,
                    format("{}: fitted to another model (fingerprint {}, {} layers of {} heads, "
                           "hidden {}; this one is {}, {} of {}, {}); fit again with lacuna "
                           "calibrate-kv --surrogate",
                           path.string(), read->fingerprint, read->layers, read->kvHeads,
                           read->hidden, spec.fingerprint, spec.layers, spec.kvHeads, spec.hidden));
    return std::make_shared<const ReconstructionSurrogate>(std::move(*read));
}

Result<HeadProfiles> loadMeasuredOf(const std::filesystem::path& model, const ModelSpec& spec,
                                    const std::filesystem::path& kept) {
    LACUNA_TRY(auto found,
               loadHeadProfiles(model, {spec.fingerprint, spec.layers, spec.kvHeads}, kept));
    LACUNA_TRY(found.surrogate, loadSurrogate(model, spec));
    if (found.surrogate != nullptr) found.surrogateHash = found.surrogate->hash();
    return found;
}

}  // namespace lacuna
