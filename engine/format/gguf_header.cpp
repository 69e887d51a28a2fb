#include "engine/format/gguf_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/tensor/dtype.h"

namespace lacuna {
namespace {

constexpr std::string_view kGgufMagic = "GGUF";

constexpr std::uint64_t kFixedHeaderBytes = 24;

struct Signature {
    std::string_view bytes;
    std::string_view meaning;
};
constexpr std::array<Signature, 11> kSignatures{{
    {"<!DOCTYPE", "an HTML page (the download page instead of the file)"},
    {"<!doctype", "an HTML page (the download page instead of the file)"},
    {"<html", "an HTML page (the download page instead of the file)"},
    {"PK\x03\x04", "a ZIP archive or a PyTorch checkpoint"},
    {"\x89PNG", "a PNG picture"},
    {"\x1f\x8b", "a gzip archive"},
    {"\x80\x02", "a Python pickle"},
    {"\x80\x03", "a Python pickle"},
    {"\x80\x04", "a Python pickle"},
    {"\x80\x05", "a Python pickle"},
    {"{", "JSON text"},
}};

std::string_view asText(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Errors: GgufTruncated, GgufOldFormat, GgufLfsPointer, GgufBadMagic naming the kind of file.
Status checkGgufMagic(std::span<const std::byte> file) {
    const std::string_view text = asText(file);
    if (text.starts_with(kGgufMagic)) return {};
    if (text.size() < kGgufMagic.size() && kGgufMagic.starts_with(text))
        return fail(ErrorCode::GgufTruncated,
                    format("the file has {} bytes; a GGUF file has at least {}", text.size(),
                           kFixedHeaderBytes));
    if (text.starts_with("GGML") || text.starts_with("GGJT") || text.starts_with("ggml") ||
        text.starts_with("tjgg") || text.starts_with("lmgg"))
        return fail(ErrorCode::GgufOldFormat,
                    "the file is in the GGML format that came before GGUF; convert the original "
                    "model again");
    if (text.starts_with("version https://git-lfs"))
        return fail(ErrorCode::GgufLfsPointer,
                    "the file is a Git LFS pointer, not the model; fetch it with git lfs pull");
    for (const Signature& known : kSignatures)
        if (text.starts_with(known.bytes))
            return fail(
                ErrorCode::GgufBadMagic,
                format("the file does not begin with GGUF; it looks like {}", known.meaning));
    if (text.size() > 8 && text[8] == '{')
        return fail(ErrorCode::GgufBadMagic,
                    "the file does not begin with GGUF; it looks like safetensors: open its folder "
                    "instead");
    return fail(ErrorCode::GgufBadMagic, format("the file does not begin with GGUF but with \"{}\"",
                                                printable(text.substr(0, kGgufMagic.size()))));
}

/// key length, one byte of key, type, one byte of value
constexpr std::uint64_t kMinEntryBytes = 8 + 1 + 4 + 1;
/// name length, one byte of name, dimension count, one dimension, type, offset
constexpr std::uint64_t kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;
constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 62;

/// Reads one header sequentially; every method advances the reader past its field.
class HeaderReader {
  public:
    explicit HeaderReader(std::span<const std::byte> file) : file_(file), reader_(file) {}
    [[nodiscard]] Result<GgufHeader> readAll();

  private:
    [[nodiscard]] tl::unexpected<Error> truncated(std::string_view what) const {
        return fail(ErrorCode::GgufTruncated,
                    format("the file ends at byte {} inside {} that begins at byte {}",
                           file_.size(), what, reader_.offset()));
    }
    template <class T>
    [[nodiscard]] Result<T> number(std::string_view what) {
        const auto value = reader_.read<T>();
        if (!value) return truncated(what);
        return *value;
    }
    [[nodiscard]] Status checkVersion(std::uint32_t version) const;
    [[nodiscard]] Status checkCount(std::uint64_t count, std::uint64_t least, std::uint64_t limit,
                                    std::string_view what) const;
    [[nodiscard]] Result<std::string_view> string(std::string_view what);
    [[nodiscard]] Result<std::string_view> key();
    [[nodiscard]] Result<GgufType> valueType(std::string_view what);
    [[nodiscard]] Result<GgufEntry> entry();
    [[nodiscard]] Result<GgufValue> value(GgufType type, std::string_view key);
    template <class Stored, class Kept>
    [[nodiscard]] Result<GgufValue> scalar(GgufType type, std::string_view key);
    [[nodiscard]] Result<bool> boolean(std::string_view key);
    [[nodiscard]] Result<GgufArray> array(std::string_view key);
    [[nodiscard]] Status skipElements(GgufType type, std::uint64_t count, std::string_view key);
    [[nodiscard]] Result<GgufArray> arrayStart(std::string_view key);
    [[nodiscard]] Result<GgufTensor> tensor();
    [[nodiscard]] Result<std::string_view> tensorName();
    [[nodiscard]] Status readShape(GgufTensor& tensor);
    [[nodiscard]] Status readMetadata(GgufHeader& header, std::uint64_t count);
    [[nodiscard]] Status readTensors(GgufHeader& header, std::uint64_t count);

    std::span<const std::byte> file_;
    ByteReader reader_;
};

Status HeaderReader::checkVersion(std::uint32_t version) const {
    if (version == 2 || version == 3) return {};
    if (version != 0 && (version & 0xFFFFFFU) == 0)
        return fail(
            ErrorCode::GgufBigEndian,
            format("version 0x{:08x}: the file is big-endian; only little-endian GGUF is read",
                   version));
    return fail(ErrorCode::GgufBadVersion,
                format("GGUF version {} is not supported; 2 and 3 are", version));
}

Status HeaderReader::checkCount(std::uint64_t count, std::uint64_t least, std::uint64_t limit,
                                std::string_view what) const {
    const auto bytes = checkedMultiply(count, least);
    if (!bytes)
        return fail(ErrorCode::GgufLimit,
                    format("{} {} are claimed; at most {} are read", count, what, limit));
    if (*bytes > reader_.remaining())
        return fail(ErrorCode::GgufTruncated,
                    format("{} {} are claimed, which need at least {} bytes; {} are left", count,
                           what, *bytes, reader_.remaining()));
    if (count > limit)
        return fail(ErrorCode::GgufLimit,
                    format("{} {} are claimed; at most {} are read", count, what, limit));
    return {};
}

Result<std::string_view> HeaderReader::string(std::string_view what) {
    LACUNA_TRY(const std::uint64_t length, number<std::uint64_t>(what));
    if (length > kMaxGgufStringBytes)
        return fail(ErrorCode::GgufLimit,
                    format("a string of {} bytes in {} at byte {}; at most {} are read", length,
                           what, reader_.offset(), kMaxGgufStringBytes));
    const auto text = reader_.takeText(length);
    if (!text) return truncated(what);
    return *text;
}

Result<std::string_view> HeaderReader::key() {
    const std::size_t at = reader_.offset();
    LACUNA_TRY(const std::uint64_t length, number<std::uint64_t>("a metadata key"));
    if (length == 0)
        return fail(ErrorCode::GgufBadKey, format("the metadata key at byte {} is empty", at));
    if (length > kMaxGgufKeyBytes)
        return fail(ErrorCode::GgufLimit,
                    format("the metadata key at byte {} has {} bytes; at most {} are read", at,
                           length, kMaxGgufKeyBytes));
    const auto text = reader_.takeText(length);
    if (!text) return truncated("a metadata key");
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7F; };
    if (!std::ranges::all_of(*text, plain))
        return fail(
            ErrorCode::GgufBadKey,
            format("the metadata key \"{}\" at byte {} is not plain ASCII", printable(*text), at));
    return *text;
}

Result<GgufType> HeaderReader::valueType(std::string_view what) {
    const std::size_t at = reader_.offset();
    LACUNA_TRY(const std::uint32_t number_, number<std::uint32_t>(what));
    const auto type = ggufTypeFromNumber(number_);
    if (!type)
        return fail(
            ErrorCode::GgufBadType,
            format("{} has value type {} at byte {}; types are 0 to 12", what, number_, at));
    return *type;
}

Result<bool> HeaderReader::boolean(std::string_view key) {
    const std::size_t at = reader_.offset();
    LACUNA_TRY(const std::uint8_t byte, number<std::uint8_t>(key));
    if (byte > 1)
        return fail(
            ErrorCode::GgufBadBool,
            format("{} holds the truth value {} at byte {}; 0 or 1 expected", key, byte, at));
    return byte == 1;
}

template <class Stored, class Kept>
Result<GgufValue> HeaderReader::scalar(GgufType type, std::string_view key) {
    LACUNA_TRY(const Stored stored, number<Stored>(key));
    return GgufValue{type, static_cast<Kept>(stored)};
}

Result<GgufValue> HeaderReader::value(GgufType type, std::string_view key) {
    switch (type) {
        case GgufType::U8:
            return scalar<std::uint8_t, std::uint64_t>(type, key);
        case GgufType::U16:
            return scalar<std::uint16_t, std::uint64_t>(type, key);
        case GgufType::U32:
            return scalar<std::uint32_t, std::uint64_t>(type, key);
        case GgufType::U64:
            return scalar<std::uint64_t, std::uint64_t>(type, key);
        case GgufType::I8:
            return scalar<std::int8_t, std::int64_t>(type, key);
        case GgufType::I16:
            return scalar<std::int16_t, std::int64_t>(type, key);
        case GgufType::I32:
            return scalar<std::int32_t, std::int64_t>(type, key);
        case GgufType::I64:
            return scalar<std::int64_t, std::int64_t>(type, key);
        case GgufType::F32:
            return scalar<float, double>(type, key);
        case GgufType::F64:
            return scalar<double, double>(type, key);
        case GgufType::Bool: {
            LACUNA_TRY(const bool truth, boolean(key));
            return GgufValue{type, truth};
        }
        case GgufType::String: {
            LACUNA_TRY(const std::string_view text, string(key));
            return GgufValue{type, text};
        }
        case GgufType::Array: {
            LACUNA_TRY(const GgufArray items, array(key));
            return GgufValue{type, items};
        }
    }
    return fail(ErrorCode::Internal, "a value type without a reader");
}

Result<GgufArray> HeaderReader::arrayStart(std::string_view key) {
    GgufArray items;
    LACUNA_TRY(items.elementType, valueType(key));
    LACUNA_TRY(items.count, number<std::uint64_t>(key));
    return items;
}

Status HeaderReader::skipElements(GgufType type, std::uint64_t count, std::string_view key) {
    const std::uint64_t least = type == GgufType::String ? sizeof(std::uint64_t) : fixedBytes(type);
    const auto bytes = checkedMultiply(count, least);
    if (!bytes)
        return fail(ErrorCode::GgufLimit, format("{} claims {} elements of {} at byte {}", key,
                                                 count, typeName(type), reader_.offset()));
    if (*bytes > reader_.remaining()) return truncated(key);
    if (type == GgufType::String) {
        for (std::uint64_t i = 0; i < count; ++i) LACUNA_TRY_STATUS(string(key).map([](auto) {}));
        return {};
    }
    if (type == GgufType::Bool) {
        for (std::uint64_t i = 0; i < count; ++i) LACUNA_TRY_STATUS(boolean(key).map([](auto) {}));
        return {};
    }
    if (!reader_.take(*bytes)) return truncated(key);
    return {};
}

/// Walks nested arrays with a list of open levels, so that depth uses no stack.
Result<GgufArray> HeaderReader::array(std::string_view key) {
    LACUNA_TRY(GgufArray items, arrayStart(key));
    const std::size_t start = reader_.offset();
    std::vector<GgufArray> open{items};
    while (!open.empty()) {
        GgufArray& level = open.back();
        if (level.elementType != GgufType::Array) {
            LACUNA_TRY_STATUS(skipElements(level.elementType, level.count, key));
            open.pop_back();
        } else if (level.count == 0) {
            open.pop_back();
        } else if (open.size() >= kMaxGgufArrayDepth) {
            return fail(ErrorCode::GgufLimit, format("{} nests arrays deeper than {} at byte {}",
                                                     key, kMaxGgufArrayDepth, reader_.offset()));
        } else {
            --level.count;
            LACUNA_TRY(const GgufArray inner, arrayStart(key));
            open.push_back(inner);
        }
    }
    items.bytes = file_.subspan(start, reader_.offset() - start);
    return items;
}

Result<GgufEntry> HeaderReader::entry() {
    GgufEntry entry;
    entry.offset = reader_.offset();
    LACUNA_TRY(entry.key, key());
    const std::string label = printable(entry.key);
    LACUNA_TRY(const GgufType type, valueType(label));
    LACUNA_TRY(entry.value, value(type, label));
    return entry;
}

Result<std::string_view> HeaderReader::tensorName() {
    const std::size_t at = reader_.offset();
    LACUNA_TRY(const std::uint64_t length, number<std::uint64_t>("a tensor name"));
    if (length == 0 || length > kMaxTensorNameBytes)
        return fail(ErrorCode::GgufBadName,
                    format("the tensor name at byte {} has {} bytes; 1 to {} expected", at, length,
                           kMaxTensorNameBytes));
    const auto text = reader_.takeText(length);
    if (!text) return truncated("a tensor name");
    const auto control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
    if (!isUtf8(*text) || std::ranges::any_of(*text, control))
        return fail(
            ErrorCode::GgufBadName,
            format("the tensor name \"{}\" at byte {} is not plain text", printable(*text), at));
    return *text;
}

/// Computes elements and bytes of a tensor, with each product checked against 64 bits.
Status sizeTensor(GgufTensor& tensor, const GgufBlock& block) {
    const std::string name = printable(tensor.name);
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : tensor.shape) {
        const auto product = checkedMultiply(elements, extent);
        if (!product || *product > kMaxExtent * 2 - 1)
            return fail(
                ErrorCode::GgufOverflow,
                format("tensor \"{}\": the product of its dimensions {} does not fit 63 bits", name,
                       fmt::join(tensor.shape, " x ")));
        elements = *product;
    }
    if (tensor.shape.back() % block.length != 0)
        return fail(ErrorCode::GgufBadShape,
                    format("tensor \"{}\": rows of {} elements are not a multiple of the block "
                           "length {} of {}",
                           name, tensor.shape.back(), block.length, ggufTypeName(tensor.type)));
    const auto bytes = checkedMultiply(elements / block.length, block.bytes);
    if (!bytes)
        return fail(
            ErrorCode::GgufOverflow,
            format("tensor \"{}\": {} elements of {} need more bytes than 64 bits can count", name,
                   elements, ggufTypeName(tensor.type)));
    tensor.bytes = *bytes;
    return {};
}

Status HeaderReader::readShape(GgufTensor& tensor) {
    const std::string name = printable(tensor.name);
    LACUNA_TRY(const std::uint32_t dimensions, number<std::uint32_t>("a tensor record"));
    if (dimensions == 0 || dimensions > kMaxTensorDimensions)
        return fail(ErrorCode::GgufBadDims,
                    format("tensor \"{}\" has {} dimensions; 1 to {} expected", name, dimensions,
                           kMaxTensorDimensions));
    for (std::uint32_t d = 0; d < dimensions; ++d) {
        LACUNA_TRY(const std::uint64_t extent, number<std::uint64_t>("a tensor record"));
        if (extent == 0 || extent > kMaxExtent)
            return fail(
                ErrorCode::GgufBadShape,
                format("tensor \"{}\": dimension {} is {}; it must be 1 or more and below 2^62",
                       name, d, extent));
        tensor.shape.push_back(extent);
    }
    std::ranges::reverse(tensor.shape);
    return {};
}

Result<GgufTensor> HeaderReader::tensor() {
    GgufTensor tensor;
    tensor.recordOffset = reader_.offset();
    LACUNA_TRY(tensor.name, tensorName());
    LACUNA_TRY_STATUS(readShape(tensor));
    LACUNA_TRY(tensor.type, number<std::uint32_t>("a tensor record"));
    const auto block = ggufBlock(tensor.type);
    if (const std::string_view fork = forkTypeName(tensor.type); !block && !fork.empty())
        return fail(ErrorCode::GgufTensorType,
                    format("tensor \"{}\" has type {}: {} of a fork of ggml (ik_llama.cpp and "
                           "others), which is not supported; take a file with types of ggml "
                           "itself, or convert the model again",
                           printable(tensor.name), tensor.type, fork));
    if (!block)
        return fail(ErrorCode::GgufTensorType,
                    format("tensor \"{}\" has type {}, which was removed from GGUF or is not "
                           "known; convert the "
                           "model again",
                           printable(tensor.name), tensor.type));
    LACUNA_TRY_STATUS(sizeTensor(tensor, *block));
    LACUNA_TRY(tensor.offset, number<std::uint64_t>("a tensor record"));
    return tensor;
}

Status HeaderReader::readMetadata(GgufHeader& header, std::uint64_t count) {
    std::unordered_map<std::string_view, std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) {
        LACUNA_TRY(const GgufEntry item, entry());
        const auto [first, isNew] = seen.try_emplace(item.key, item.offset);
        if (!isNew)
            return fail(ErrorCode::GgufDupKey,
                        format("the metadata key \"{}\" appears twice, at bytes {} and {}",
                               printable(item.key), first->second, item.offset));
        if (item.key == "general.alignment") {
            const auto* bytes = std::get_if<std::uint64_t>(&item.value.value);
            if (item.value.type != GgufType::U32 ||
                !inRange<std::uint64_t>(*bytes, kMinGgufAlignment, kMaxGgufAlignment) ||
                !std::has_single_bit(*bytes))
                return fail(
                    ErrorCode::GgufBadAlign,
                    format("general.alignment must be a u32 power of two from {} to {}; found {}{}",
                           kMinGgufAlignment, kMaxGgufAlignment, typeName(item.value.type),
                           bytes != nullptr ? format(" {}", *bytes) : std::string()));
            header.alignment = static_cast<std::uint32_t>(*bytes);
        }
        header.metadata.push_back(item);
    }
    return {};
}

Status HeaderReader::readTensors(GgufHeader& header, std::uint64_t count) {
    std::unordered_map<std::string_view, std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) {
        LACUNA_TRY(GgufTensor item, tensor());
        const auto [first, isNew] = seen.try_emplace(item.name, item.recordOffset);
        if (!isNew)
            return fail(ErrorCode::GgufDupTensor,
                        format("the tensor \"{}\" appears twice, at bytes {} and {}",
                               printable(item.name), first->second, item.recordOffset));
        header.tensors.push_back(std::move(item));
    }
    return {};
}

Result<GgufHeader> HeaderReader::readAll() {
    LACUNA_TRY_STATUS(checkGgufMagic(file_));
    GgufHeader header;
    if (!reader_.take(kGgufMagic.size())) return truncated("the magic");
    LACUNA_TRY(header.version, number<std::uint32_t>("the version"));
    LACUNA_TRY_STATUS(checkVersion(header.version));
    LACUNA_TRY(const std::uint64_t tensorCount, number<std::uint64_t>("the tensor count"));
    LACUNA_TRY(const std::uint64_t entryCount, number<std::uint64_t>("the metadata count"));
    LACUNA_TRY_STATUS(checkCount(tensorCount, kMinTensorBytes, kMaxGgufTensors, "tensors"));
    LACUNA_TRY_STATUS(checkCount(entryCount, kMinEntryBytes, kMaxGgufEntries, "metadata entries"));
    LACUNA_TRY_STATUS(readMetadata(header, entryCount));
    header.metadataEnd = reader_.offset();
    LACUNA_TRY_STATUS(readTensors(header, tensorCount));
    const std::uint64_t end = reader_.offset();
    header.dataStart = (end + header.alignment - 1) / header.alignment * header.alignment;
    return header;
}

}  // namespace

Result<GgufHeader> readGgufHeader(std::span<const std::byte> file) {
    return HeaderReader(file).readAll();
}

namespace {

std::string quoted(const GgufTensor& tensor) {
    return format("tensor \"{}\"", printable(tensor.name));
}

/// Sum of all tensors' bytes, each rounded up to the alignment; the plan of the data section.
Result<std::uint64_t> paddedTotal(const GgufHeader& header) {
    std::uint64_t total = header.dataStart;
    for (const GgufTensor& tensor : header.tensors) {
        const auto rounded = checkedAdd(tensor.bytes, header.alignment - 1);
        const auto sum =
            rounded ? checkedAdd(total, *rounded / header.alignment * header.alignment) : rounded;
        if (!sum)
            return fail(
                ErrorCode::GgufOverflow,
                format("{}: the sizes of all tensors together do not fit 64 bits", quoted(tensor)));
        total = *sum;
    }
    return total;
}

Status checkOffset(const GgufTensor& tensor, std::uint32_t alignment) {
    if (tensor.offset % alignment != 0)
        return fail(ErrorCode::GgufBadOffset,
                    format("{} begins at data offset {}, which is not a multiple of {}",
                           quoted(tensor), tensor.offset, alignment));
    return {};
}

/// Returns the total bytes of a file whose data end with `last`; at most `planned`, since an offset
/// may be arbitrary.
std::uint64_t wholeBytes(const GgufHeader& header, const GgufTensor& last, std::uint64_t planned) {
    const auto data = checkedAdd(last.offset, last.bytes);
    const auto end = data ? checkedAdd(*data, header.dataStart) : data;
    return end ? std::min(*end, planned) : planned;
}

}  // namespace

Result<std::vector<std::string>> checkGgufData(const GgufHeader& header, std::uint64_t fileBytes) {
    LACUNA_TRY(const std::uint64_t planned, paddedTotal(header));
    std::vector<const GgufTensor*> order;
    for (const GgufTensor& tensor : header.tensors) {
        LACUNA_TRY_STATUS(checkOffset(tensor, header.alignment));
        order.push_back(&tensor);
    }
    std::vector<std::string> notes;
    const auto byOffset = [](const GgufTensor* a, const GgufTensor* b) {
        return a->offset < b->offset;
    };
    if (!std::ranges::is_sorted(order, byOffset))
        notes.emplace_back("tensors are not stored in the order of their records");
    std::ranges::stable_sort(order, byOffset);

    std::uint64_t end = 0;  // end of the data so far, from the start of the data section
    bool gaps = false;
    for (const GgufTensor* tensor : order) {
        if (tensor->offset < end)
            return fail(
                ErrorCode::GgufBadOffset,
                format("{} at data offset {} overlaps the tensor before it, which ends at {}",
                       quoted(*tensor), tensor->offset, end));
        gaps = gaps || tensor->offset - end >= header.alignment;
        const auto last = checkedAdd(tensor->offset, tensor->bytes);
        const auto inFile = last ? checkedAdd(*last, header.dataStart) : last;
        // Without gaps the record is sound and the file is truncated; with a gap the offset itself
        // is wrong.
        if (!inFile || (*inFile > fileBytes && gaps))
            return fail(
                ErrorCode::GgufBadOffset,
                format("{} at data offset {} with {} bytes ends outside the file of {} bytes",
                       quoted(*tensor), tensor->offset, tensor->bytes, fileBytes));
        if (*inFile > fileBytes) {
            const std::uint64_t whole =
                std::max(*inFile, wholeBytes(header, *order.back(), planned));
            return fail(ErrorCode::GgufTruncated,
                        format("{} ends at byte {}, the file at byte {}; of about {} bytes {} are "
                               "missing: download it again",
                               quoted(*tensor), *inFile, fileBytes, planned, whole - fileBytes));
        }
        end = *last;
    }
    if (gaps) notes.emplace_back("there are unused bytes between tensors");
    if (!order.empty() && fileBytes - header.dataStart - end >= header.alignment)
        notes.push_back(
            format("{} bytes follow the last tensor", fileBytes - header.dataStart - end));
    return notes;
}

}  // namespace lacuna
