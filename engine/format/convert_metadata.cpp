#include "engine/format/convert_metadata.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <system_error>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/convert_hyperparameters.h"
#include "engine/format/file_type.h"
#include "engine/format/printable.h"
#include "engine/format/tokenizer_files.h"
#include "engine/format/tokenizer_metadata.h"

namespace lacuna {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\"'";
    const auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// The `license:` line in the front matter of a model card; empty when there is none.
std::string licenceInCard(const std::filesystem::path& folder) {
    constexpr std::size_t kMaxCardBytes = std::size_t{4} << 20;
    const auto card = readFile(folder / "README.md", kMaxCardBytes);
    if (!card || !card->starts_with("---")) return {};
    const std::string_view text = *card;
    const std::string_view front = text.substr(0, text.find("\n---", 3));
    constexpr std::string_view kField = "\nlicense:";
    const auto at = front.find(kField);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = front.substr(at + kField.size());
    return printable(trimmed(rest.substr(0, rest.find('\n'))));
}

std::string sizeLabel(std::uint64_t parameters) {
    const auto count = static_cast<double>(parameters);
    if (count >= 1e9) return format("{:.1f}B", count / 1e9);
    if (count >= 1e6) return format("{:.0f}M", count / 1e6);
    return format("{:.0f}K", count / 1e3);
}

}  // namespace

std::vector<float> llama3Factors(const RopeSpec& rope) {
    const double context = rope.originalContext;
    const double low = static_cast<double>(rope.lowFrequencyFactor);
    const double high = static_cast<double>(rope.highFrequencyFactor);
    const double factor = static_cast<double>(rope.factor);
    std::vector<float> factors;
    for (int i = 0; i < rope.dim; i += 2) {
        const double wave =
            2.0 * std::numbers::pi *
            std::pow(static_cast<double>(rope.base), static_cast<double>(i) / rope.dim);
        double divisor = 1.0;
        if (wave > context / low) {
            divisor = factor;
        } else if (wave >= context / high) {
            const double smooth = (context / wave - low) / (high - low);
            divisor = 1.0 / ((1.0 - smooth) / factor + smooth);
        }
        factors.push_back(static_cast<float>(divisor));
    }
    return factors;
}

Result<GgufMetadata> metadataForGguf(const ModelContainer& model, const ConvertOptions& options) {
    const ModelSpec& spec = model.spec;
    GgufMetadata metadata;
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    metadata.addText("general.architecture", architecture->ggufName);
    metadata.addText("general.type", "model");
    metadata.addText("general.name", options.name.empty() ? spec.name : options.name);
    const std::string licence =
        options.licence.empty() ? licenceInCard(model.path) : options.licence;
    if (!licence.empty()) metadata.addText("general.license", licence);
    metadata.addText("general.size_label", sizeLabel(spec.parameters));
    metadata.addUnsigned("general.file_type", fileTypeNumber(options.type));
    metadata.addUnsigned("general.quantization_version", 2);
    addHyperparameters(metadata, spec, *architecture);
    LACUNA_TRY(const TokenizerData tokenizer, tokenizerFromFolder(model.path));
    LACUNA_TRY_STATUS(addTokenizer(metadata, tokenizer, spec.vocabulary));
    LACUNA_TRY(const auto chatTemplate, templateTextOf(model));
    if (chatTemplate) metadata.addText("tokenizer.chat_template", *chatTemplate);
    return metadata;
}

}  // namespace lacuna
