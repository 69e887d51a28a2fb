#include "engine/prefix/page_fidelity.h"

#include <string>
#include <system_error>

#include "engine/base/file.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostBytes = 64;

}  // namespace

PageFidelity pageFidelityOf(const std::filesystem::path& folder) {
    return readPageFidelity(folder).value_or(PageFidelity::Exact);
}

Result<PageFidelity> readPageFidelity(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / kFidelityFile;
    auto text = readFile(path, kMostBytes);
    if (!text && text.error().code == ErrorCode::NotFound) return PageFidelity::Auto;
    if (!text) return tl::unexpected<Error>(std::move(text).error());
    while (!text->empty() && text->back() == '\n') text->pop_back();
    if (const auto said = valueOfKey<PageFidelity>(*text)) return *said;
    return fail(ErrorCode::Config, format("{} contains none of auto, q8 and exact", path.string()));
}

Status storePageFidelity(const std::filesystem::path& folder, PageFidelity fidelity) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, problem);
    return writeFileAtomically(folder / kFidelityFile, std::string(keyOf(fidelity)) + "\n",
                               FileAccess::OwnerOnly);
}

}  // namespace lacuna
