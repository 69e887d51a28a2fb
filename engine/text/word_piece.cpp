#include "engine/text/token_models.h"

#include <algorithm>
#include <string>

namespace lacuna {
namespace {

/// Returns the start positions of the characters of a word, and its end.
std::vector<std::size_t> bordersOf(std::string_view word, std::size_t limit) {
    std::vector<std::size_t> borders = {0};
    while (borders.back() < word.size() && borders.size() <= limit + 1) {
        const Utf8Char c = utf8CharAt(word, borders.back());
        borders.push_back(borders.back() + (c.form == Utf8Char::Form::Whole ? c.bytes : 1));
    }
    return borders;
}

}  // namespace

Result<WordPiece> WordPiece::create(const Vocabulary& vocabulary) {
    if (!vocabulary.unknownOfText())
        return fail(ErrorCode::TokVocab, "a WordPiece vocabulary needs an unknown piece");
    return WordPiece(vocabulary);
}

Status WordPiece::encodeInto(std::string_view word, TextWork& work,
                             std::vector<TokenId>& out) const {
    const WordPieceOptions& options = vocabulary_->data().wordPiece;
    const std::vector<std::size_t> borders = bordersOf(word, options.longestWord);
    const std::size_t before = out.size();
    const auto unknown = [&] {
        out.resize(before);
        out.push_back(*vocabulary_->unknownOfText());
    };
    if (borders.size() > options.longestWord + 1) {
        unknown();
        return {};
    }
    for (std::size_t begin = 0; begin + 1 < borders.size();) {
        const std::string& prefix = begin == 0 ? options.firstPrefix : options.continuingPrefix;
        std::size_t end = borders.size() - 1;
        for (; end > begin; --end) {
            const std::size_t bytes = borders[end] - borders[begin];
            if (!work.spendBytes(bytes + prefix.size())) return work.status();
            if (bytes + prefix.size() > vocabulary_->longestText()) continue;
            const auto id =
                vocabulary_->findText(prefix + std::string(word.substr(borders[begin], bytes)));
            if (!id) continue;
            out.push_back(*id);
            break;
        }
        if (end == begin) {
            unknown();
            return {};
        }
        begin = end;
    }
    return {};
}

}  // namespace lacuna
