#include "engine/format/safetensors.h"

#include <set>
#include <system_error>
#include <utility>

#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/format/tensor_names.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSingleName = "model.safetensors";
constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr std::size_t kMaxFileName = 255;

bool isThere(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

/// True when the link's target stays in `folder`, or in the blob store of a download cache
/// alongside it.
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

/// Tensor name to shard name, as the index says.
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

/// What to say of a folder without safetensors.
tl::unexpected<Error> nothingToOpen(const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& item : fs::directory_iterator(folder, error)) {
        const fs::path kind = item.path().extension();
        if (kind == ".bin" || kind == ".pt" || kind == ".pth" || kind == ".ckpt")
            return fail(
                ErrorCode::StKind,
                format("{}: only {} is there; pickled weights are never loaded, because they "
                       "can run code: convert them to safetensors first",
                       printableName(folder), printableName(item.path())));
    }
    return fail(ErrorCode::NotFound, format("{}: neither {} nor {} is there", printableName(folder),
                                            kSingleName, kIndexName));
}

}  // namespace

Status Safetensors::addFile(const fs::path& path) {
    const std::string name = printableName(path);
    LACUNA_TRY(MappedFile file, MappedFile::open(path));
    auto header = readSafetensorsHeader(file.bytes());
    LACUNA_TRY_STATUS(file.checkUnchanged());  // a file cut meanwhile reads as zeros
    if (!header) return tl::unexpected<Error>(withPrefix(std::move(header).error(), name));
    for (SafetensorsEntry& entry : header->entries) {
        const auto [first, isNew] = places_.try_emplace(entry.name, Place{entry.type.name, name});
        if (!isNew)
            return fail(ErrorCode::StIndex,
                        format("tensor \"{}\" is in two files, {} and {}", printable(entry.name),
                               first->second.file, name));
        if (!entry.type.type) continue;
        const auto data =
            file.bytes().subspan(header->dataStart + entry.begin, entry.end - entry.begin);
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
    return source;
}

const TensorInfo* Safetensors::find(std::string_view name) const {
    const auto at = tensorByName_.find(name);
    return at == tensorByName_.end() ? nullptr : &tensors_[at->second];
}

Status Safetensors::checkAllUsable() const {
    for (const auto& [name, place] : places_)
        if (find(name) == nullptr && !isIgnorableTensor(name))
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
