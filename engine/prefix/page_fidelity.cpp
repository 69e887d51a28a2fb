#include "engine/prefix/page_fidelity.h"

#include <array>
#include <string>
#include <system_error>

#include "engine/base/file.h"

namespace lacuna {
namespace {

constexpr std::array kAll{PageFidelity::Auto, PageFidelity::EightBits, PageFidelity::Exact};
constexpr std::size_t kMostBytes = 64;

}  // namespace

std::string_view keyOf(PageFidelity fidelity) {
    switch (fidelity) {
        case PageFidelity::Auto:
            return "auto";
        case PageFidelity::EightBits:
            return "q8";
        case PageFidelity::Exact:
            return "exact";
    }
    return "exact";
}

std::optional<PageFidelity> pageFidelityNamed(std::string_view key) {
    for (const PageFidelity one : kAll)
        if (keyOf(one) == key) return one;
    return std::nullopt;
}

PageFidelity pageFidelityOf(const std::filesystem::path& folder) {
    auto text = readFile(folder / kFidelityFile, kMostBytes);
    if (!text)
        return text.error().code == ErrorCode::NotFound ? PageFidelity::Auto : PageFidelity::Exact;
    while (!text->empty() && text->back() == '\n') text->pop_back();
    return pageFidelityNamed(*text).value_or(PageFidelity::Exact);
}

Status keepPageFidelity(const std::filesystem::path& folder, PageFidelity fidelity) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, problem);
    return writeFileAtomically(folder / kFidelityFile, std::string(keyOf(fidelity)) + "\n",
                               FileAccess::OwnerOnly);
}

}  // namespace lacuna
