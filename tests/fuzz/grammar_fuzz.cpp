// libFuzzer target: arbitrary bytes as a grammar. The text after a zero byte is read with it.
#include "engine/grammar/grammar_parser.h"
#include "tests/fuzz/form_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto form = lacuna::fuzz::formOf(
        data, size, [](auto text, auto& work) { return lacuna::parseGrammar(text, work); });
    if (!form) return 0;
    lacuna::GrammarReader reader(form->states);
    reader.allowSteps(lacuna::fuzz::kReading);
    auto place = reader.start();
    for (const char c : form->text) {
        const auto next = reader.next(place, static_cast<std::uint8_t>(c));
        place = next == lacuna::GrammarReader::kNowhere ? reader.start() : next;
        if (reader.places() > 256) place = reader.keepOnly(place);
    }
    return 0;
}
