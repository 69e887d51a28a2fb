#include "engine/format/safetensors.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "engine/base/byte_reader.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/format/tensor_names.h"

namespace lacuna {
namespace {

constexpr std::array<SafetensorsType, 20> kTypes{{
    {"F32", 32, DType::F32},      {"F16", 16, DType::F16},      {"BF16", 16, DType::BF16},
    {"BOOL", 8, std::nullopt},    {"U8", 8, std::nullopt},      {"I8", 8, std::nullopt},
    {"I16", 16, std::nullopt},    {"U16", 16, std::nullopt},    {"I32", 32, std::nullopt},
    {"U32", 32, std::nullopt},    {"I64", 64, std::nullopt},    {"U64", 64, std::nullopt},
    {"F64", 64, std::nullopt},    {"C64", 64, std::nullopt},    {"F8_E4M3", 8, std::nullopt},
    {"F8_E5M2", 8, std::nullopt}, {"F8_E8M0", 8, std::nullopt}, {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt}, {"F4", 4, std::nullopt},
}};

/// Receives the events of the JSON reader and builds entries. Returning false stops the reader.
class HeaderEvents {
  public:
    // The names below are fixed by the JSON library's event interface.
    bool null() { return misplaced("null"); }
    bool boolean(bool) { return misplaced("a truth value"); }
    bool number_integer(Json::number_integer_t) { return number(std::nullopt); }
    bool number_unsigned(Json::number_unsigned_t value) { return number(value); }
    bool number_float(Json::number_float_t, const Json::string_t&) { return number(std::nullopt); }
    bool binary(Json::binary_t&) { return misplaced("binary data"); }
    bool string(Json::string_t& text);
    bool start_object(std::size_t);
    bool key(Json::string_t& text);
    bool end_object();
    bool start_array(std::size_t);
    bool end_array();
    bool parse_error(std::size_t at, const std::string&, const Json::exception& error) {
        return refuse(ErrorCode::StBadHeader, format("the header is not valid JSON at byte {}: {}",
                                                     at, jsonErrorText(error.what())));
    }

    [[nodiscard]] const std::optional<Error>& complaint() const { return complaint_; }
    [[nodiscard]] std::vector<SafetensorsEntry> takeEntries() { return std::move(entries_); }

  private:
    enum class Place { Outside, Root, Entry, Shape, Offsets, Metadata };

    bool refuse(ErrorCode code, std::string what) {
        if (!complaint_) complaint_ = fail(code, std::move(what)).value();
        return false;
    }
    /// Handles a value of the wrong kind. The reader continues, so that its depth is still limited
    /// and reported.
    bool misplaced(std::string_view what);
    bool number(std::optional<std::uint64_t> value);
    bool deeper();
    bool finishEntry();
    bool duplicate(std::string_view name) {
        return refuse(ErrorCode::StDupKey,
                      format("the name \"{}\" appears twice in the header", printable(name)));
    }
    [[nodiscard]] std::string where() const { return format("tensor \"{}\"", printable(name_)); }

    Place place_ = Place::Outside;
    int depth_ = 0;
    int skipping_ = 0;  ///< open brackets of a value that is already refused
    std::string name_;
    std::string field_;
    SafetensorsEntry entry_;
    std::vector<std::uint64_t> offsets_;
    std::unordered_set<std::string> names_;
    std::unordered_set<std::string> fields_;
    std::size_t metadataBytes_ = 0;
    std::vector<SafetensorsEntry> entries_;
    std::optional<Error> complaint_;
};

bool HeaderEvents::misplaced(std::string_view what) {
    if (skipping_ > 0) return true;
    switch (place_) {
        case Place::Outside:
        case Place::Root:
            return refuse(ErrorCode::StBadHeader,
                          format("{} instead of an object at \"{}\"", what, printable(name_)));
        case Place::Entry:
            if (field_ == "dtype")
                return refuse(ErrorCode::StDtype,
                              format("{}: dtype is {}, not a name", where(), what));
            if (field_ == "data_offsets")
                return refuse(ErrorCode::StBadOffset,
                              format("{}: data_offsets is {}, not a list", where(), what));
            return refuse(ErrorCode::StBadHeader,
                          format("{}: {} is {}", where(), printable(field_), what));
        case Place::Shape:
            return refuse(ErrorCode::StShape,
                          format("{}: shape holds {}; whole numbers expected", where(), what));
        case Place::Offsets:
            return refuse(
                ErrorCode::StBadOffset,
                format("{}: data_offsets holds {}; two whole numbers expected", where(), what));
        case Place::Metadata:
            return refuse(
                ErrorCode::StBadHeader,
                format("__metadata__ \"{}\" is {}; a string expected", printable(field_), what));
    }
    return false;
}

bool HeaderEvents::number(std::optional<std::uint64_t> value) {
    if (skipping_ > 0) return true;
    if (value && place_ == Place::Shape) {
        if (entry_.shape.size() >= kMaxSafetensorsDimensions)
            return refuse(ErrorCode::StOverflow, format("{} has more than {} dimensions", where(),
                                                        kMaxSafetensorsDimensions));
        entry_.shape.push_back(*value);
        return true;
    }
    if (value && place_ == Place::Offsets && offsets_.size() < 2) {
        offsets_.push_back(*value);
        return true;
    }
    return misplaced("a negative, malformed or misplaced number");
}

bool HeaderEvents::string(Json::string_t& text) {
    if (skipping_ > 0) return true;
    if (place_ == Place::Metadata) {
        metadataBytes_ += text.size() + field_.size();
        if (metadataBytes_ > kMaxSafetensorsMetadataBytes)
            return refuse(ErrorCode::StLimit, format("__metadata__ has more than {} bytes",
                                                     kMaxSafetensorsMetadataBytes));
        return true;
    }
    if (place_ != Place::Entry || field_ != "dtype") return misplaced("a string");
    const auto known = std::ranges::find(kTypes, std::string_view(text), &SafetensorsType::name);
    if (known == kTypes.end())
        return refuse(ErrorCode::StDtype,
                      format("{}: dtype \"{}\" is not known", where(), printable(text)));
    entry_.type = *known;
    return true;
}

bool HeaderEvents::deeper() {
    if (++depth_ <= kMaxSafetensorsDepth) return true;
    complaint_.reset();
    return refuse(ErrorCode::StLimit,
                  format("the header is nested deeper than {}", kMaxSafetensorsDepth));
}

bool HeaderEvents::start_object(std::size_t) {
    if (!deeper()) return false;
    if (skipping_ == 0 && place_ == Place::Outside) {
        place_ = Place::Root;
    } else if (skipping_ == 0 && place_ == Place::Root) {
        place_ = name_ == "__metadata__" ? Place::Metadata : Place::Entry;
        entry_ = {};
        offsets_.clear();
        fields_.clear();
    } else {
        if (skipping_ == 0) misplaced("an object");
        ++skipping_;
    }
    return true;
}

bool HeaderEvents::start_array(std::size_t) {
    if (!deeper()) return false;
    if (skipping_ == 0 && place_ == Place::Entry && field_ == "shape") {
        place_ = Place::Shape;
    } else if (skipping_ == 0 && place_ == Place::Entry && field_ == "data_offsets") {
        place_ = Place::Offsets;
    } else {
        if (skipping_ == 0) misplaced("a list");
        ++skipping_;
    }
    return true;
}

bool HeaderEvents::key(Json::string_t& text) {
    if (skipping_ > 0) return true;
    if (place_ == Place::Root) {
        name_ = text;
        if (!names_.insert(text).second) return duplicate(text);
        // One more for __metadata__, which is not a tensor.
        if (names_.size() > kMaxSafetensorsTensors + (names_.contains("__metadata__") ? 1 : 0))
            return refuse(ErrorCode::StLimit,
                          format("the header lists more than {} tensors", kMaxSafetensorsTensors));
        return true;
    }
    field_ = text;
    if (!fields_.insert(text).second) return duplicate(text);
    if (place_ == Place::Entry && text != "dtype" && text != "shape" && text != "data_offsets")
        return refuse(ErrorCode::StBadHeader,
                      format("{} has the unknown field \"{}\"", where(), printable(text)));
    return true;
}

bool HeaderEvents::end_object() {
    --depth_;
    if (skipping_ > 0) return --skipping_ > 0;  // everything after the refused value is ignored
    if (place_ == Place::Root) {
        place_ = Place::Outside;
        return true;
    }
    const bool wasEntry = place_ == Place::Entry;
    place_ = Place::Root;
    return !wasEntry || finishEntry();
}

bool HeaderEvents::end_array() {
    --depth_;
    if (skipping_ > 0) return --skipping_ > 0;  // everything after the refused value is ignored
    place_ = Place::Entry;
    return true;
}

bool HeaderEvents::finishEntry() {
    if (complaint_) return false;
    for (const char* field : {"dtype", "shape", "data_offsets"})
        if (!fields_.contains(field))
            return refuse(ErrorCode::StBadHeader, format("{} has no {}", where(), field));
    if (offsets_.size() != 2 || offsets_[0] > offsets_[1])
        return refuse(ErrorCode::StBadOffset,
                      format("{}: data_offsets must be two numbers, the first not larger; "
                             "found [{}]",
                             where(), fmt::join(offsets_, ", ")));
    std::uint64_t bits = entry_.type.bits;
    for (const std::uint64_t extent : entry_.shape) {
        const auto product = checkedMultiply(bits, extent);
        if (!product)
            return refuse(ErrorCode::StOverflow,
                          format("{}: the product of its dimensions {} does not fit 64 bits",
                                 where(), fmt::join(entry_.shape, " x ")));
        bits = *product;
    }
    const std::uint64_t stored = offsets_[1] - offsets_[0];
    if (bits % 8 != 0 || bits / 8 != stored)
        return refuse(ErrorCode::StShape,
                      format("{}: {} [{}] needs {} bits; data_offsets give {} bytes", where(),
                             entry_.type.name, fmt::join(entry_.shape, ", "), bits, stored));
    entry_.name = name_;
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    entries_.push_back(std::move(entry_));
    entry_ = {};
    return true;
}

/// Checks that every data byte belongs to one tensor: no holes, no overlaps, nothing before or
/// after.
Status checkCoverage(const std::vector<SafetensorsEntry>& entries, std::uint64_t dataBytes) {
    std::vector<const SafetensorsEntry*> order;
    order.reserve(entries.size());
    for (const SafetensorsEntry& entry : entries) order.push_back(&entry);
    std::ranges::sort(order, [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
    });
    std::uint64_t end = 0;
    for (const SafetensorsEntry* entry : order) {
        if (entry->begin != end)
            return fail(
                ErrorCode::StBadOffset,
                format("tensor \"{}\" begins at data byte {}; the tensors before it end at {}: {}",
                       printable(entry->name), entry->begin, end,
                       entry->begin < end ? "they overlap" : "there is a gap"));
        end = entry->end;
    }
    if (end > dataBytes)
        return fail(ErrorCode::StTruncated,
                    format("the tensors need {} data bytes; the file has {}", end, dataBytes));
    if (end < dataBytes)
        return fail(ErrorCode::StBadOffset,
                    format("{} bytes follow the last tensor; none are allowed", dataBytes - end));
    return {};
}

Result<std::string_view> headerText(std::span<const std::byte> file) {
    ByteReader reader(file);
    const auto length = reader.read<std::uint64_t>();
    if (!length)
        return fail(
            ErrorCode::StTruncated,
            format("the file has {} bytes; a safetensors file begins with 8 bytes of length",
                   file.size()));
    if (*length > kMaxSafetensorsHeaderBytes)
        return fail(ErrorCode::StLimit, format("the header claims {} bytes; at most {} are read",
                                               *length, kMaxSafetensorsHeaderBytes));
    const auto text = reader.takeText(*length);
    if (!text)
        return fail(ErrorCode::StTruncated,
                    format("the header claims {} bytes; {} are left in the file", *length,
                           reader.remaining()));
    // The JSON library treats a NUL as the end of the text, so it must be refused here.
    if (!text->starts_with('{') || text->find('\0') != std::string_view::npos)
        return fail(ErrorCode::StBadHeader,
                    format("the header must be JSON text that begins with {{; found \"{}\"",
                           printable(text->substr(0, 16))));
    if (!isUtf8(*text)) return fail(ErrorCode::StBadHeader, "the header is not valid UTF-8");
    return *text;
}

}  // namespace

Result<SafetensorsHeader> readSafetensorsHeader(std::span<const std::byte> file) {
    LACUNA_TRY(const std::string_view text, headerText(file));
    HeaderEvents events;
    const bool complete =
        Json::sax_parse(text.begin(), text.end(), &events, Json::input_format_t::json, true);
    if (events.complaint()) return tl::unexpected<Error>(*events.complaint());
    if (!complete) return fail(ErrorCode::StBadHeader, "the header is not valid JSON");
    SafetensorsHeader header;
    header.dataStart = sizeof(std::uint64_t) + text.size();
    header.entries = events.takeEntries();
    LACUNA_TRY_STATUS(checkCoverage(header.entries, file.size() - header.dataStart));
    return header;
}

namespace {

namespace fs = std::filesystem;
constexpr const char* kSingleName = "model.safetensors";
constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr std::size_t kMaxFileName = 255;

bool isThere(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

/// True if the link's target is in `folder`, or in the blob store of a download cache next to it.
bool staysInside(const fs::path& folder, const fs::path& file) {
    std::error_code error;
    const fs::path home = fs::canonical(folder, error);
    if (error) return false;
    const fs::path target = fs::canonical(file, error);
    if (error) return true;  // a missing file or a loop is reported when it is opened
    return target.parent_path() == home ||
           target.parent_path() == home.parent_path().parent_path() / "blobs";
}

Status checkShardName(const fs::path& folder, const std::string& name) {
    const bool plain = !name.empty() && name.size() <= kMaxFileName && name != "." &&
                       name != ".." && name.find('/') == std::string::npos &&
                       name.find('\\') == std::string::npos && name.find('\0') == std::string::npos;
    if (!plain)
        return fail(ErrorCode::StPath,
                    format("{}: \"{}\" is not a plain file name in the same folder", kIndexName,
                           printable(name)));
    if (!staysInside(folder, folder / name))
        return fail(ErrorCode::StPath, format("{}: \"{}\" is a link that leaves the folder",
                                              kIndexName, printable(name)));
    return {};
}

/// Reads the map from tensor name to shard name from the index.
Result<std::map<std::string, std::string>> readIndex(const fs::path& folder) {
    LACUNA_TRY(const std::string text, readFile(folder / kIndexName, kMaxSafetensorsIndexBytes));
    const auto parsed = parseJson(text);
    if (!parsed) return fail(ErrorCode::StIndex, format("{}: {}", kIndexName, parsed.error().what));
    const auto map = parsed->find("weight_map");
    if (!parsed->is_object() || map == parsed->end() || !map->is_object() || map->empty())
        return fail(ErrorCode::StIndex,
                    format("{}: weight_map must be an object that lists the tensors", kIndexName));
    std::map<std::string, std::string> shardOf;
    for (const auto& [tensor, shard] : map->items()) {
        if (!shard.is_string())
            return fail(ErrorCode::StIndex, format("{}: weight_map \"{}\" must be a file name",
                                                   kIndexName, printable(tensor)));
        shardOf.emplace(tensor, shard.get<std::string>());
    }
    return shardOf;
}

/// Returns the error for a folder without safetensors.
tl::unexpected<Error> nothingToOpen(const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& item : fs::directory_iterator(folder, error)) {
        const fs::path kind = item.path().extension();
        if (kind == ".bin" || kind == ".pt" || kind == ".pth" || kind == ".ckpt")
            return fail(ErrorCode::StKind,
                        format("{}: only {} was found; pickled weights are never loaded, because "
                               "they can run code: convert them to safetensors first",
                               printableName(folder), printableName(item.path())));
    }
    return fail(ErrorCode::NotFound, format("{}: neither {} nor {} was found",
                                            printableName(folder), kSingleName, kIndexName));
}

}  // namespace

Status Safetensors::addFile(const fs::path& path) {
    const std::string name = printableName(path);
    LACUNA_TRY(MappedFile file, MappedFile::open(path));
    auto header = readSafetensorsHeader(file.bytes());
    LACUNA_TRY_STATUS(file.checkUnchanged());  // a truncated file reads as zeros
    if (!header) return tl::unexpected<Error>(withPrefix(std::move(header).error(), name));
    for (SafetensorsEntry& entry : header->entries) {
        const auto [first, isNew] = places_.try_emplace(entry.name, Place{entry.type.name, name});
        if (!isNew)
            return fail(ErrorCode::StIndex,
                        format("tensor \"{}\" is in two files, {} and {}", printable(entry.name),
                               first->second.file, name));
        const auto data =
            file.bytes().subspan(header->dataStart + entry.begin, entry.end - entry.begin);
        if (entry.type.name == "U8") bytes_[entry.name] = {entry.shape, data.data()};
        if (!entry.type.type) continue;
        tensorByName_.emplace(entry.name, tensors_.size());
        tensors_.push_back(TensorInfo{std::move(entry.name), *entry.type.type,
                                      std::move(entry.shape), data.size(), data.data()});
    }
    files_.push_back(std::move(file));
    return {};
}

Result<Safetensors> Safetensors::openFile(const fs::path& path) {
    Safetensors source;
    LACUNA_TRY_STATUS(source.addFile(path));
    source.joinScales();
    return source;
}

Result<Safetensors> Safetensors::openFolder(const fs::path& folder) {
    if (!isThere(folder / kIndexName)) {
        if (!isThere(folder / kSingleName)) return nothingToOpen(folder);
        return openFile(folder / kSingleName);
    }
    LACUNA_TRY(const auto shardOf, readIndex(folder));
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : shardOf) shards.insert(shard);
    if (shards.size() > kMaxSafetensorsShards)
        return fail(ErrorCode::StLimit, format("{}: {} shards; at most {} are read", kIndexName,
                                               shards.size(), kMaxSafetensorsShards));
    Safetensors source;
    for (const std::string& shard : shards) {
        LACUNA_TRY_STATUS(checkShardName(folder, shard));
        if (!isThere(folder / shard))
            return fail(ErrorCode::StIndex,
                        format("{}: the shard {} is missing", kIndexName, printable(shard)));
        LACUNA_TRY_STATUS(source.addFile(folder / shard));
    }
    for (const auto& [tensor, shard] : shardOf) {
        const auto found = source.places_.find(tensor);
        if (found == source.places_.end() || found->second.file != printable(shard, kMaxFileName))
            return fail(ErrorCode::StIndex,
                        format("{}: tensor \"{}\" is not in {} as the index says", kIndexName,
                               printable(tensor), printable(shard)));
    }
    source.joinScales();
    return source;
}

void Safetensors::joinScales() {
    constexpr std::string_view kBlocks = "_blocks";
    constexpr std::uint64_t kBlockBytes = 16;
    for (auto& [name, blocks] : bytes_) {
        if (!name.ends_with(kBlocks) || blocks.shape.size() < 2) continue;
        const std::string own = name.substr(0, name.size() - kBlocks.size());
        const auto scales = bytes_.find(own + "_scales");
        std::vector<std::uint64_t> shape = blocks.shape;
        shape.pop_back();
        if (scales == bytes_.end() || scales->second.shape != shape ||
            blocks.shape.back() != kBlockBytes || find(own) != nullptr)
            continue;
        std::uint64_t bytes = kBlockBytes;
        for (const std::uint64_t extent : shape) bytes *= extent;
        shape.back() *= 2 * kBlockBytes;
        blocks.joined = scales->second.joined = true;
        tensorByName_.emplace(own, tensors_.size());
        tensors_.push_back(TensorInfo{own, DType::MXFP4, std::move(shape), bytes, blocks.data,
                                      scales->second.data});
    }
}

const TensorInfo* Safetensors::find(std::string_view name) const {
    const auto at = tensorByName_.find(name);
    return at == tensorByName_.end() ? nullptr : &tensors_[at->second];
}

Status Safetensors::checkAllUsable() const {
    for (const auto& [name, place] : places_)
        if (const auto bytes = bytes_.find(name); bytes != bytes_.end() && bytes->second.joined)
            continue;
        else if (find(name) == nullptr && !isIgnorableTensor(name))
            return fail(
                ErrorCode::StDtype,
                format("{}: tensor \"{}\" has element type {}; weights must be F32, F16 or BF16",
                       place.file, printable(name), place.type));
    return {};
}

Status Safetensors::checkUnchanged() const {
    for (const MappedFile& file : files_) LACUNA_TRY_STATUS(file.checkUnchanged());
    return {};
}

std::vector<std::span<const std::byte>> Safetensors::mappings() const {
    std::vector<std::span<const std::byte>> all;
    for (const MappedFile& file : files_) all.push_back(file.bytes());
    return all;
}

}  // namespace lacuna
