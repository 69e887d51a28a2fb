#include "engine/text/sentencepiece_normalizer.h"

namespace lacuna {
namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";    // U+2581
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::size_t kMaxPieceBytes = 1024;

void trimMarks(std::string& text) {
    while (text.ends_with(kSpaceMark)) text.resize(text.size() - kSpaceMark.size());
}

}  // namespace

Result<SentencePieceNormalizer> SentencePieceNormalizer::create(const Vocabulary& vocabulary) {
    const SentencePieceRules& rules = vocabulary.data().sentencePiece;
    SentencePieceNormalizer made(rules);
    made.keepInvalid_ = vocabulary.data().byteFallback;
    if (!rules.charsmap.empty()) {
        LACUNA_TRY(made.charsmap_, Charsmap::parse(rules.charsmap));
    }
    if (!rules.freezeUserDefined) return made;
    std::vector<std::pair<std::string_view, TokenId>> pieces;
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        const std::string& piece = vocabulary.piece(id);
        if (vocabulary.kind(id) == TokenKind::UserDefined && piece.size() <= kMaxPieceBytes)
            pieces.emplace_back(piece, id);
    }
    made.kept_ = PieceTrie(std::move(pieces));
    return made;
}

Charsmap::Match SentencePieceNormalizer::at(std::string_view text) const {
    if (const std::size_t kept = kept_.longestPrefix(text)) return {kept, text.substr(0, kept)};
    if (charsmap_)
        if (const auto match = charsmap_->longest(text)) return *match;
    const Utf8Char c = utf8CharAt(text, 0);
    if (c.form == Utf8Char::Form::Whole) return {c.bytes, text.substr(0, c.bytes)};
    return {1, keepInvalid_ ? text.substr(0, 1) : kReplacement};
}

Result<std::string> SentencePieceNormalizer::apply(std::string_view text, Prefix prefix,
                                                   TextWork& work) const {
    const bool trim = rules_->removeExtraSpaces;
    std::string out;
    out.reserve(text.size() + text.size() / 4 + kSpaceMark.size());
    const bool dummy = prefix == Prefix::Space;
    bool afterSpace = trim;
    bool begun = !trim;  // without trimming, a text of spaces alone is a text too
    if (dummy && !rules_->spaceAsSuffix && begun && !text.empty()) out += kSpaceMark;
    while (!text.empty()) {
        const Charsmap::Match here = at(text);
        work.spend(here.bytes + here.replacement.size() / TextWork::kBytesOfAStep);
        if (!work.holds(out.size())) return tl::unexpected<Error>(work.status().error());
        text.remove_prefix(here.bytes);
        std::string_view bytes = here.replacement;
        while (afterSpace && bytes.starts_with(' ')) bytes.remove_prefix(1);
        if (bytes.empty()) continue;
        if (!begun && dummy && !rules_->spaceAsSuffix) out += kSpaceMark;
        begun = true;
        for (const char c : bytes) {
            if (c == ' ')
                out += kSpaceMark;
            else
                out += c;
        }
        afterSpace = trim && bytes.ends_with(' ');
    }
    if (trim) trimMarks(out);
    if (dummy && rules_->spaceAsSuffix && begun && !out.empty()) out += kSpaceMark;
    return out;
}

}  // namespace lacuna
