// libFuzzer target: any bytes as a JSON schema; what stands after a zero byte is read along it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/grammar/grammar_reader.h"
#include "engine/grammar/json_schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::uint64_t kBuilding = 4'000'000;  // far below the limit: many inputs, not few
    constexpr std::uint64_t kReading = 100'000;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::string_view form = all.substr(0, all.find('\0'));
    lacuna::WorkBudget work(kBuilding);
    const auto tree = lacuna::schemaGrammar(form, work);
    if (!tree) return 0;
    const auto states = lacuna::Pushdown::compile(*tree, work);
    if (!states) return 0;
    lacuna::GrammarReader reader(*states);
    reader.allowSteps(kReading);
    static_cast<void>(reader.next(
        reader.start(), all.substr(form.size() < all.size() ? form.size() + 1 : form.size())));
    return 0;
}
