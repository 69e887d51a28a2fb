#include "engine/format/gguf_parts.h"

#include <limits>

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
        return fail(ErrorCode::GgufSplit, format("split.no {} of split.count {} makes no sense",
                                                 split.number, split.count));
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

}  // namespace lacuna
