#include "engine/format/gguf.h"

#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

std::string endingOf(std::uint64_t number, std::uint64_t count) {
    return format("-{:05}-of-{:05}.gguf", number + 1, count);
}

}  // namespace

Result<std::vector<std::filesystem::path>> ggufPartPaths(const std::filesystem::path& path,
                                                         const GgufSplit& split) {
    if (split.count == 0 || split.count >= std::numeric_limits<std::uint16_t>::max() ||
        split.number >= split.count)
        return fail(ErrorCode::GgufSplit,
                    format("split.no {} of split.count {} is invalid", split.number, split.count));
    const std::string name = path.filename().string();
    const std::string ending = endingOf(split.number, split.count);
    if (!name.ends_with(ending))
        return fail(ErrorCode::GgufSplit,
                    format("this is part {} of a model in {} files, which are found by their "
                           "names; this one should end in {}",
                           split.number + 1, split.count, ending));
    const std::string stem = name.substr(0, name.size() - ending.size());
    std::vector<std::filesystem::path> paths;
    for (std::uint64_t i = 0; i < split.count; ++i)
        paths.push_back(path.parent_path() / (stem + endingOf(i, split.count)));
    return paths;
}

namespace {

std::string describeValue(const GgufValue& value) {
    if (const auto* number = std::get_if<std::uint64_t>(&value.value))
        return format("{} {}", typeName(value.type), *number);
    if (const auto* number = std::get_if<std::int64_t>(&value.value))
        return format("{} {}", typeName(value.type), *number);
    if (const auto* array = std::get_if<GgufArray>(&value.value))
        return format("array of {} {}", array->count, typeName(array->elementType));
    return std::string(typeName(value.type));
}

tl::unexpected<Error> wrongType(std::string_view key, std::string_view expected,
                                const GgufValue& found) {
    return fail(ErrorCode::GgufMetaType, format("the metadata key {} should be {}; found {}",
                                                printable(key), expected, describeValue(found)));
}

/// Returns the array in `value` if its elements have the given type.
const GgufArray* arrayOf(const GgufValue& value, GgufType elementType) {
    const auto* array = std::get_if<GgufArray>(&value.value);
    return array != nullptr && array->elementType == elementType ? array : nullptr;
}

/// Returns the numbers of an array whose bytes were already checked.
template <class T>
std::vector<T> numbers(const GgufArray& array) {
    std::vector<T> out;
    out.reserve(array.count);
    ByteReader reader(array.bytes);
    while (const auto item = reader.read<T>()) out.push_back(*item);
    return out;
}

}  // namespace

Result<GgufFile> GgufFile::openOne(const std::filesystem::path& path) {
    GgufFile gguf;
    LACUNA_TRY(gguf.file_, MappedFile::open(path));
    const Status status = gguf.adopt(gguf.file_.bytes());
    LACUNA_TRY_STATUS(gguf.file_.checkUnchanged());  // a truncated file reads as zeros
    if (!status) return tl::unexpected<Error>(withPrefix(status.error(), printableName(path)));
    return gguf;
}

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
    LACUNA_TRY(GgufFile named, openOne(path));
    auto whole = openParts(std::move(named));
    if (!whole)
        return tl::unexpected<Error>(withPrefix(std::move(whole).error(), printableName(path)));
    return whole;
}

Result<GgufSplit> GgufFile::split() const {
    LACUNA_TRY(const auto count, getUnsigned("split.count"));
    LACUNA_TRY(const auto number, getUnsigned("split.no"));
    return GgufSplit{number.value_or(0), count.value_or(1)};
}

Result<GgufFile> GgufFile::openParts(GgufFile named) {
    LACUNA_TRY(const GgufSplit split, named.split());
    if (split.count == 1) return named;
    LACUNA_TRY(const auto paths, ggufPartPaths(named.path(), split));
    std::optional<GgufFile> whole;
    for (std::uint64_t i = 0; i < split.count; ++i) {
        const bool isNamed = i == split.number;
        auto part = isNamed ? Result<GgufFile>(std::move(named)) : openOne(paths[i]);
        if (!part)
            return fail(ErrorCode::GgufSplit,
                        format("part {} of {}: {}", i + 1, split.count, part.error().what));
        LACUNA_TRY(const GgufSplit found, part->split());
        if (found.number != i || found.count != split.count)
            return fail(
                ErrorCode::GgufSplit,
                format("{} states that it is part {} of {}; part {} of {} expected",
                       printableName(paths[i]), found.number + 1, found.count, i + 1, split.count));
        if (whole)
            LACUNA_TRY_STATUS(whole->join(std::move(*part)));
        else
            whole = std::move(*part);
    }
    LACUNA_TRY_STATUS(whole->checkTensorCount());
    return std::move(*whole);
}

/// Parts after the first need no metadata; any metadata they have must equal that of the first.
Status GgufFile::checkSameModel(const GgufFile& part) const {
    const auto bytesOf = [](const GgufFile& file, std::size_t i) {
        const GgufHeader& header = file.header_;
        const std::uint64_t begin = header.metadata[i].offset;
        const std::uint64_t end =
            i + 1 < header.metadata.size() ? header.metadata[i + 1].offset : header.metadataEnd;
        return file.bytes_.subspan(static_cast<std::size_t>(begin),
                                   static_cast<std::size_t>(end - begin));
    };
    for (std::size_t i = 0; i < part.header_.metadata.size(); ++i) {
        const std::string_view key = part.header_.metadata[i].key;
        const auto mine = entryByKey_.find(key);
        const bool ofPart = key.starts_with("split.") || key == "general.alignment";
        if (ofPart || mine == entryByKey_.end()) continue;
        if (!std::ranges::equal(bytesOf(*this, mine->second), bytesOf(part, i)))
            return fail(ErrorCode::GgufSplit,
                        format("{} and {} are parts of different models: their {} differ",
                               printableName(path()), printableName(part.path()), printable(key)));
    }
    return {};
}

Status GgufFile::join(GgufFile part) {
    if (header_.tensors.size() + part.header_.tensors.size() > kMaxGgufTensors)
        return fail(ErrorCode::GgufLimit,
                    format("the parts hold more than {} tensors", kMaxGgufTensors));
    LACUNA_TRY_STATUS(checkSameModel(part));
    std::set<std::string_view> names;
    for (const GgufTensor& tensor : header_.tensors) names.insert(tensor.name);
    for (const GgufTensor& tensor : part.header_.tensors)
        if (!names.insert(tensor.name).second)
            return fail(ErrorCode::GgufDupTensor,
                        format("the tensor {} is in two parts", printable(tensor.name)));
    for (TensorInfo& tensor : part.tensors_) {
        const auto name = part.tensorByName_.find(tensor.name)->first;  // a view of the mapping
        tensorByName_.emplace(name, tensors_.size());
        tensors_.push_back(std::move(tensor));
    }
    header_.tensors.insert(header_.tensors.end(), part.header_.tensors.begin(),
                           part.header_.tensors.end());
    otherParts_.push_back(std::move(part));
    return {};
}

Status GgufFile::checkTensorCount() const {
    LACUNA_TRY(const auto said, getUnsigned("split.tensors.count"));
    if (!said || *said == header_.tensors.size()) return {};
    return fail(ErrorCode::GgufSplit, format("split.tensors.count is {}; the parts hold {}", *said,
                                             header_.tensors.size()));
}

std::uint64_t GgufFile::fileBytes() const {
    std::uint64_t bytes = bytes_.size();
    for (const GgufFile& part : otherParts_) bytes += part.bytes_.size();
    return bytes;
}

Result<GgufFile> GgufFile::parse(std::span<const std::byte> bytes) {
    GgufFile gguf;
    LACUNA_TRY_STATUS(gguf.adopt(bytes));
    return gguf;
}

Status GgufFile::adopt(std::span<const std::byte> bytes) {
    bytes_ = bytes;
    LACUNA_TRY(header_, readGgufHeader(bytes));
    LACUNA_TRY(notes_, checkGgufData(header_, bytes.size()));
    for (std::size_t i = 0; i < header_.metadata.size(); ++i)
        entryByKey_.emplace(header_.metadata[i].key, i);
    for (const GgufTensor& tensor : header_.tensors) {
        const auto type = dtypeFromGguf(tensor.type);
        if (!type) continue;
        tensorByName_.emplace(tensor.name, tensors_.size());
        const auto data = bytes.subspan(header_.dataStart + tensor.offset, tensor.bytes);
        tensors_.push_back(
            TensorInfo{std::string(tensor.name), *type, tensor.shape, tensor.bytes, data.data()});
    }
    return {};
}

const GgufValue* GgufFile::findValue(std::string_view key) const {
    const auto at = entryByKey_.find(key);
    return at == entryByKey_.end() ? nullptr : &header_.metadata[at->second].value;
}

const TensorInfo* GgufFile::find(std::string_view name) const {
    const auto at = tensorByName_.find(name);
    return at == tensorByName_.end() ? nullptr : &tensors_[at->second];
}

Status GgufFile::checkUnchanged() const {
    if (file_.path().empty()) return {};
    for (const GgufFile& part : otherParts_) LACUNA_TRY_STATUS(part.file_.checkUnchanged());
    return file_.checkUnchanged();
}

std::vector<std::span<const std::byte>> GgufFile::mappings() const {
    std::vector<std::span<const std::byte>> all{file_.bytes()};
    for (const GgufFile& part : otherParts_) all.push_back(part.file_.bytes());
    return all;
}

Result<std::optional<std::uint64_t>> GgufFile::getUnsigned(std::string_view key) const {
    const GgufValue* value = findValue(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* number = std::get_if<std::uint64_t>(&value->value)) return *number;
    if (const auto* number = std::get_if<std::int64_t>(&value->value);
        number != nullptr && *number >= 0)
        return static_cast<std::uint64_t>(*number);
    return wrongType(key, "an integer of 0 or more", *value);
}

Result<std::optional<double>> GgufFile::getFloat(std::string_view key) const {
    const GgufValue* value = findValue(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* number = std::get_if<double>(&value->value)) return *number;
    return wrongType(key, "f32 or f64", *value);
}

Result<std::optional<bool>> GgufFile::getBool(std::string_view key) const {
    const GgufValue* value = findValue(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* truth = std::get_if<bool>(&value->value)) return *truth;
    return wrongType(key, "bool", *value);
}

Result<std::optional<std::string_view>> GgufFile::getText(std::string_view key) const {
    const GgufValue* value = findValue(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* text = std::get_if<std::string_view>(&value->value)) return *text;
    return wrongType(key, "a string", *value);
}

Result<std::optional<std::vector<std::string_view>>> GgufFile::getTexts(
    std::string_view key) const {
    const GgufValue* value = findValue(key);
    if (value == nullptr) return std::nullopt;
    const GgufArray* array = arrayOf(*value, GgufType::String);
    if (array == nullptr) return wrongType(key, "an array of strings", *value);
    std::vector<std::string_view> out;
    out.reserve(array->count);
    ByteReader reader(array->bytes);
    while (const auto length = reader.read<std::uint64_t>()) {
        const auto text = reader.takeText(*length);
        if (!text)
            return fail(ErrorCode::Internal, "an array of strings ends before its checked length");
        out.push_back(*text);
    }
    return out;
}

Result<std::optional<std::vector<float>>> GgufFile::getFloats(std::string_view key) const {
    const GgufValue* value = findValue(key);
    if (value == nullptr) return std::nullopt;
    const GgufArray* array = arrayOf(*value, GgufType::F32);
    if (array == nullptr) return wrongType(key, "an array of f32", *value);
    return numbers<float>(*array);
}

Result<std::optional<std::vector<std::int32_t>>> GgufFile::getInts(std::string_view key) const {
    const GgufValue* value = findValue(key);
    if (value == nullptr) return std::nullopt;
    if (const GgufArray* array = arrayOf(*value, GgufType::I32))
        return numbers<std::int32_t>(*array);
    const GgufArray* array = arrayOf(*value, GgufType::U32);
    if (array == nullptr) return wrongType(key, "an array of i32 or u32", *value);
    std::vector<std::int32_t> out;
    out.reserve(array->count);
    for (const std::uint32_t item : numbers<std::uint32_t>(*array)) {
        if (item > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
            return wrongType(key, "an array of integers below 2^31", *value);
        out.push_back(static_cast<std::int32_t>(item));
    }
    return out;
}

Result<std::optional<std::vector<bool>>> GgufFile::getFlags(std::string_view key) const {
    const GgufValue* value = findValue(key);
    if (value == nullptr) return std::nullopt;
    std::vector<bool> out;
    if (const GgufArray* array = arrayOf(*value, GgufType::Bool)) {
        for (const std::byte item : array->bytes) out.push_back(item != std::byte{0});
        return out;
    }
    if (arrayOf(*value, GgufType::I32) == nullptr && arrayOf(*value, GgufType::U32) == nullptr)
        return wrongType(key, "an array of bool", *value);
    LACUNA_TRY(const auto numbers, getInts(key));
    for (const std::int32_t item : *numbers) out.push_back(item != 0);
    return out;
}

}  // namespace lacuna
