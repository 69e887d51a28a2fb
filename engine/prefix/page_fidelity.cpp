#include "engine/prefix/page_fidelity.h"

#include <string>
#include <system_error>

#include "engine/base/file.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostBytes = 64;

}  // namespace

PageFidelity pageFidelityOf(const std::filesystem::path& folder) {
    auto text = readFile(folder / kFidelityFile, kMostBytes);
    if (!text)
        return text.error().code == ErrorCode::NotFound ? PageFidelity::Auto : PageFidelity::Exact;
    while (!text->empty() && text->back() == '\n') text->pop_back();
    return valueOfKey<PageFidelity>(*text).value_or(PageFidelity::Exact);
}

Status keepPageFidelity(const std::filesystem::path& folder, PageFidelity fidelity) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, problem);
    return writeFileAtomically(folder / kFidelityFile, std::string(keyOf(fidelity)) + "\n",
                               FileAccess::OwnerOnly);
}

}  // namespace lacuna
