#include "engine/format/gguf_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/byte_writer.h"
#include "engine/base/check.h"

namespace lacuna {
namespace {

constexpr std::uint32_t kVersion = 3;

void putText(std::string& out, std::string_view text) {
    putWord(out, static_cast<std::uint64_t>(text.size()));
    out += text;
}

std::uint64_t padded(std::uint64_t bytes) {
    return (bytes + kDefaultGgufAlignment - 1) / kDefaultGgufAlignment * kDefaultGgufAlignment;
}

std::string headerOf(const GgufMetadata& metadata, const std::vector<GgufPlan>& plan) {
    std::string header = "GGUF";
    putWord(header, kVersion);
    putWord(header, static_cast<std::uint64_t>(plan.size()));
    putWord(header, metadata.count());
    header += metadata.bytes();
    std::uint64_t offset = 0;
    for (const GgufPlan& tensor : plan) {
        putText(header, tensor.name);
        putWord(header, static_cast<std::uint32_t>(tensor.shape.size()));
        for (auto extent = tensor.shape.rbegin(); extent != tensor.shape.rend(); ++extent)
            putWord(header, *extent);
        putWord(header, info(tensor.type).ggufId);
        putWord(header, offset);
        offset += padded(tensor.bytes());
    }
    return header;
}

}  // namespace

std::uint64_t GgufPlan::elements() const {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : shape) product *= extent;
    return product;
}

std::uint64_t GgufPlan::bytes() const {
    return rowBytes(type, elements());
}

void GgufMetadata::begin(std::string_view key, GgufType type) {
    putText(bytes_, key);
    putWord(bytes_, static_cast<std::uint32_t>(type));
    ++count_;
}

void GgufMetadata::beginArray(std::string_view key, GgufType type, std::size_t count) {
    begin(key, GgufType::Array);
    putWord(bytes_, static_cast<std::uint32_t>(type));
    putWord(bytes_, static_cast<std::uint64_t>(count));
}

void GgufMetadata::addEntry(std::span<const std::byte> entry) {
    bytes_.append(reinterpret_cast<const char*>(entry.data()), entry.size());
    ++count_;
}

void GgufMetadata::addText(std::string_view key, std::string_view value) {
    begin(key, GgufType::String);
    putText(bytes_, value);
}

void GgufMetadata::addUnsigned(std::string_view key, std::uint32_t value) {
    begin(key, GgufType::U32);
    putWord(bytes_, value);
}

void GgufMetadata::addFloat(std::string_view key, float value) {
    begin(key, GgufType::F32);
    putWord(bytes_, value);
}

void GgufMetadata::addBool(std::string_view key, bool value) {
    begin(key, GgufType::Bool);
    putWord(bytes_, static_cast<std::uint8_t>(value ? 1 : 0));
}

void GgufMetadata::addTexts(std::string_view key, std::span<const std::string> values) {
    beginArray(key, GgufType::String, values.size());
    for (const std::string& value : values) putText(bytes_, value);
}

void GgufMetadata::addInts(std::string_view key, std::span<const std::int32_t> values) {
    beginArray(key, GgufType::I32, values.size());
    for (const std::int32_t value : values) putWord(bytes_, value);
}

void GgufMetadata::addFloats(std::string_view key, std::span<const float> values) {
    beginArray(key, GgufType::F32, values.size());
    for (const float value : values) putWord(bytes_, value);
}

void GgufMetadata::addBools(std::string_view key, const std::vector<bool>& values) {
    beginArray(key, GgufType::Bool, values.size());
    for (const bool value : values) bytes_ += value ? '\1' : '\0';
}

Result<GgufWriter> GgufWriter::create(const std::filesystem::path& path,
                                      const GgufMetadata& metadata, std::vector<GgufPlan> plan) {
    LACUNA_TRY(AtomicFile file, AtomicFile::create(path));
    GgufWriter writer(std::move(file));
    writer.plan_ = std::move(plan);
    const std::string header = headerOf(metadata, writer.plan_);
    LACUNA_TRY_STATUS(writer.write(std::as_bytes(std::span(header.data(), header.size()))));
    LACUNA_TRY_STATUS(writer.pad());
    return writer;
}

Status GgufWriter::write(std::span<const std::byte> bytes) {
    LACUNA_TRY_STATUS(file_.write(bytes));
    written_ += bytes.size();
    return {};
}

Status GgufWriter::pad() {
    constexpr std::array<std::byte, kDefaultGgufAlignment> kZeros{};
    return write(std::span(kZeros).first(static_cast<std::size_t>(padded(written_) - written_)));
}

Status GgufWriter::append(std::span<const std::byte> bytes) {
    LACUNA_REQUIRE(
        current_ < plan_.size() && currentBytes_ + bytes.size() <= plan_[current_].bytes(),
        "tensor bytes within the plan");
    LACUNA_TRY_STATUS(write(bytes));
    currentBytes_ += bytes.size();
    if (currentBytes_ < plan_[current_].bytes()) return {};
    ++current_;
    currentBytes_ = 0;
    return pad();
}

Status GgufWriter::commit() {
    LACUNA_REQUIRE(current_ == plan_.size(), "all tensors written");
    return file_.commit();
}

}  // namespace lacuna
