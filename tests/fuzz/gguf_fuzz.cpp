// libFuzzer target: arbitrary bytes as a GGUF model, through all steps of loading that need no
// file.
#include <cstddef>
#include <cstdint>

#include "engine/format/gguf.h"
#include "engine/format/gguf_spec.h"
#include "engine/format/load_weights.h"
#include "engine/format/model_container.h"
#include "engine/format/tokenizer_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto file = lacuna::GgufFile::parse(bytes);
    if (!file) return 0;
    if (auto tokenizer = lacuna::tokenizerFromGguf(*file))
        static_cast<void>(lacuna::Tokenizer::create(std::move(*tokenizer)));
    auto spec = lacuna::specFromGguf(*file);
    if (!spec) return 0;
    spec = lacuna::withTensorFacts(std::move(*spec), *file, lacuna::Container::Gguf,
                                   file->headerBytes());
    if (spec) static_cast<void>(lacuna::loadWeights(*spec, *file, lacuna::Container::Gguf, {}));
    return 0;
}
