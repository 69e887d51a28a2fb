// libFuzzer target: arbitrary bytes as a tokenizer.json, otherwise as a tokenizer.model; then
// encodes and decodes a text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/format/tokenizer_files.h"

namespace {

constexpr std::string_view kText =
    "It's 1234 na\xC3\xAFve  <s>\r\n\xE4\xB8\xAD\xE6\x96\x87 e\xCC\x81 "
    "\xF0\x9F\x91\xA9\xFF\xE2\x82";

lacuna::Result<lacuna::TokenizerData> read(std::string_view bytes) {
    if (!bytes.starts_with('{')) return lacuna::tokenizerFromModel(bytes);
    LACUNA_TRY(const lacuna::Json document, lacuna::parseJson(bytes));
    return lacuna::tokenizerFromJson(document);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto parsed = read(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!parsed) return 0;
    const auto tokenizer = lacuna::Tokenizer::create(std::move(*parsed));
    if (!tokenizer) return 0;
    for (const auto special : {lacuna::SpecialText::Plain, lacuna::SpecialText::Parse}) {
        const auto ids = tokenizer->encode(
            kText, {.special = special, .edges = lacuna::EdgeTokens::AsConfigured});
        if (ids) static_cast<void>(tokenizer->decode(*ids, lacuna::SpecialOutput::Show));
    }
    return 0;
}
