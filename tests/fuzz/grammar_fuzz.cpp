// libFuzzer target: any bytes as a grammar; what stands after a zero byte is read along it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/grammar/grammar_parser.h"
#include "engine/grammar/grammar_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::uint64_t kBuilding = 4'000'000;  // far below the limit: many inputs, not few
    constexpr std::uint64_t kReading = 100'000;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::string_view form = all.substr(0, all.find('\0'));
    lacuna::WorkBudget work(kBuilding);
    const auto tree = lacuna::parseGrammar(form, work);
    if (!tree) return 0;
    const auto states = lacuna::Pushdown::compile(*tree, work);
    if (!states) return 0;
    lacuna::GrammarReader reader(*states);
    reader.allowSteps(kReading);
    auto place = reader.start();
    for (const char c : all.substr(form.size() < all.size() ? form.size() + 1 : form.size())) {
        const auto next = reader.next(place, static_cast<std::uint8_t>(c));
        place = next == lacuna::GrammarReader::kNowhere ? reader.start() : next;
        if (reader.places() > 256) place = reader.forgetAllBut(place);
    }
    return 0;
}
