#pragma once
/// \file
/// Code shared by the grammar and schema targets: the form precedes the first zero byte, and the
/// text to read with it follows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/grammar/grammar_reader.h"

namespace lacuna::fuzz {

struct Form {
    std::shared_ptr<const Pushdown> states;
    std::string_view text;
};

inline constexpr std::uint64_t kReading = 100'000;  // steps

/// Returns nullopt if `parse(form, work)` refuses the form or it takes too much work.
template <class Parse>
[[nodiscard]] std::optional<Form> formOf(const std::uint8_t* data, std::size_t size, Parse parse) {
    constexpr std::uint64_t kBuilding = 4'000'000;  // far below the limit, which allows more inputs
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::string_view form = all.substr(0, all.find('\0'));
    WorkBudget work(kBuilding);
    const auto tree = parse(form, work);
    if (!tree) return std::nullopt;
    auto states = Pushdown::compile(*tree, work);
    if (!states) return std::nullopt;
    return Form{std::move(*states), all.substr(std::min(form.size() + 1, size))};
}

}  // namespace lacuna::fuzz
