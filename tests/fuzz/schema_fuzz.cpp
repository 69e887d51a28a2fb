// libFuzzer target: arbitrary bytes as a JSON schema. The text after a zero byte is read with it.
#include "engine/grammar/json_schema.h"
#include "tests/fuzz/form_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto form = lacuna::fuzz::formOf(
        data, size, [](auto text, auto& work) { return lacuna::schemaGrammar(text, work); });
    if (!form) return 0;
    lacuna::GrammarReader reader(form->states);
    reader.allowSteps(lacuna::fuzz::kReading);
    static_cast<void>(reader.next(reader.start(), form->text));
    return 0;
}
