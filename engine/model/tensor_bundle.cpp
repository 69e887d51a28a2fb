#include "engine/model/tensor_bundle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/safetensors.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kMaxExtent = 1U << 20;
constexpr std::size_t kLengthBytes = 8;  // size of the header's length field, little-endian

/// Reads a tensor with a given number of dimensions and finite numbers. Errors: Config.
Result<BundledTensor> tensorOf(const SafetensorsHeader& header, std::string_view bytes,
                               std::string_view name, std::size_t dimensions) {
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
    BundledTensor tensor{.name = std::string(name), .shape = {}, .numbers = {}};
    for (const std::uint64_t extent : found->shape)
        tensor.shape.push_back(static_cast<int>(extent));
    tensor.numbers.resize((found->end - found->begin) / sizeof(float));
    std::memcpy(tensor.numbers.data(), bytes.data() + header.dataStart + found->begin,
                tensor.numbers.size() * sizeof(float));
    if (std::any_of(tensor.numbers.begin(), tensor.numbers.end(),
                    [](float x) { return !std::isfinite(x); }))
        return fail(ErrorCode::Config, format("'{}' holds a number that is not finite", name));
    return tensor;
}

/// Reads the texts on its origin. Errors: Config.
Result<std::vector<std::string>> textsOf(std::string_view bytes, const ExpectedBundle& expected) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), kLengthBytes);
    LACUNA_TRY(const Json header, parseJson(bytes.substr(kLengthBytes, length)));
    JsonReading reading;
    ObjectReader tensors({header, {}, {}, reading}, UnknownMembers::Allowed);
    ObjectReader metadata(tensors.member("__metadata__"), UnknownMembers::Allowed);
    const std::string version = metadata.member("format").text();
    LACUNA_TRY_STATUS(reading.status());
    if (version != expected.format)
        return fail(ErrorCode::Config,
                    format("format is '{}'; expected '{}'", version, expected.format));
    std::vector<std::string> texts;
    for (const std::string_view name : expected.texts)
        texts.push_back(metadata.member(std::string(name)).text());
    LACUNA_TRY_STATUS(reading.status());
    return texts;
}

}  // namespace

std::string TensorBundle::bytes() const {
    OrderedJson metadata;
    for (const auto& [name, text] : texts) metadata[name] = text;
    OrderedJson header{{"__metadata__", std::move(metadata)}};
    std::size_t end = 0;
    for (const BundledTensor& tensor : tensors) {
        const std::size_t begin = std::exchange(end, end + tensor.numbers.size() * sizeof(float));
        header[tensor.name] = {
            {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    }
    std::string text = header.dump();
    text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
    const std::uint64_t length = text.size();
    std::string out(kLengthBytes, '\0');
    std::memcpy(out.data(), &length, kLengthBytes);
    out += text;
    for (const BundledTensor& tensor : tensors)
        out.append(reinterpret_cast<const char*>(tensor.numbers.data()),
                   tensor.numbers.size() * sizeof(float));
    return out;
}

Result<ReadBundle> readBundle(std::string_view bytes, const ExpectedBundle& expected) {
    LACUNA_TRY(const SafetensorsHeader header,
               readSafetensorsHeader(std::as_bytes(std::span(bytes.data(), bytes.size()))));
    ReadBundle out;
    LACUNA_TRY(out.texts, textsOf(bytes, expected));
    for (const auto& [name, dimensions] : expected.tensors) {
        LACUNA_TRY(BundledTensor tensor, tensorOf(header, bytes, name, dimensions));
        out.tensors.push_back(std::move(tensor));
    }
    return out;
}

std::filesystem::path pathNextTo(const std::filesystem::path& model, const std::string& ending) {
    std::error_code ignored;
    if (std::filesystem::is_directory(model, ignored)) return model / ("model" + ending);
    std::filesystem::path path = model;
    return path.replace_extension(ending);
}

Result<std::filesystem::path> writeNextTo(const std::filesystem::path& next,
                                          const std::filesystem::path& kept,
                                          std::string_view bytes) {
    const Status written = writeFileAtomically(next, bytes);
    if (written) return next;
    if (kept.empty()) return tl::unexpected<Error>(written.error());
    if (const Status again = writeFileInFolder(kept, bytes); !again)
        return fail(again.error().code, format("{}; the other folder failed as well: {}",
                                               written.error().what, again.error().what));
    return kept;
}

std::filesystem::path firstExisting(const std::filesystem::path& next,
                                    const std::filesystem::path& kept) {
    std::error_code ignored;
    for (const std::filesystem::path& place : {next, kept})
        if (!place.empty() && std::filesystem::exists(place, ignored)) return place;
    return {};
}

}  // namespace lacuna
