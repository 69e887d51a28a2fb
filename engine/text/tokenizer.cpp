#include "engine/text/tokenizer.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "engine/base/string_format.h"
#include "engine/text/byte_level_bpe.h"
#include "engine/text/pretokenizer.h"
#include "engine/text/sentencepiece_bpe.h"
#include "engine/text/special_matcher.h"
#include "engine/text/vocabulary.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxTextBytes = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// The spelling of a special token inside ordinary text.
std::string spelling(const Vocabulary& vocabulary, TokenId id) {
    const bool userDefined = vocabulary.kind(id) == TokenKind::UserDefined;
    return userDefined ? vocabulary.bytesOf(id) : vocabulary.piece(id);
}

SpecialMatcher matcherFor(const Vocabulary& vocabulary) {
    SpecialMatcher matcher;
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        const TokenKind kind = vocabulary.kind(id);
        if (kind == TokenKind::Control)
            matcher.add(spelling(vocabulary, id), id, SpecialMatcher::Allowed::MarkedOnly);
        else if (kind == TokenKind::UserDefined)
            matcher.add(spelling(vocabulary, id), id, SpecialMatcher::Allowed::Anywhere);
    }
    return matcher;
}

}  // namespace

struct Tokenizer::Impl {
    explicit Impl(Vocabulary checked)
        : vocabulary(std::move(checked)),
          special(matcherFor(vocabulary)),
          sentencePiece(vocabulary) {}

    Vocabulary vocabulary;
    SpecialMatcher special;
    std::unordered_set<TokenId> ends;
    // Set for byte-level vocabularies only.
    std::optional<Pretokenizer> pretokenizer;
    std::optional<ByteLevelBpe> byteLevel;
    SentencePieceBpe sentencePiece;

    [[nodiscard]] const TokenizerData& data() const { return vocabulary.data(); }

    [[nodiscard]] Status checkId(TokenId id) const {
        if (vocabulary.holds(id)) return {};
        return fail(ErrorCode::TokTokenId,
                    format("{} is not a token of this vocabulary; expected 0 to {}", id,
                           vocabulary.size() - 1));
    }
    [[nodiscard]] std::string bytes(TokenId id, SpecialOutput output) const {
        const bool control = vocabulary.kind(id) == TokenKind::Control;
        if (control && output == SpecialOutput::Show) return vocabulary.piece(id);
        return vocabulary.bytesOf(id);
    }
    [[nodiscard]] Status encodeBytes(std::string_view text, std::vector<TokenId>& out) const {
        std::string composed;
        if (data().normalizeNfc) {
            composed = toNfc(text);
            text = composed;
        }
        LACUNA_TRY(const std::vector<ByteRange> pieces, pretokenizer->split(text));
        for (const ByteRange piece : pieces)
            LACUNA_TRY_STATUS(
                byteLevel->encodeInto(text.substr(piece.begin, piece.end - piece.begin), out));
        return {};
    }
    [[nodiscard]] Status encodeRun(std::string_view text, SentencePieceBpe::Prefix prefix,
                                   std::vector<TokenId>& out) const {
        if (text.empty()) return {};
        if (byteLevel) return encodeBytes(text, out);
        return sentencePiece.encodeInto(text, prefix, out);
    }
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::create(TokenizerData data) {
    LACUNA_TRY(Vocabulary vocabulary, Vocabulary::create(std::move(data)));
    auto impl = std::make_unique<Impl>(std::move(vocabulary));
    const TokenizerData& checked = impl->data();
    if (checked.kind == TokenizerKind::ByteLevelBpe) {
        const bool byName = checked.splitPatterns.empty() && !checked.preTokenizer.empty();
        LACUNA_TRY(impl->pretokenizer, byName ? Pretokenizer::named(checked.preTokenizer)
                                              : Pretokenizer::fromPatterns(checked.splitPatterns));
        LACUNA_TRY(impl->byteLevel, ByteLevelBpe::create(impl->vocabulary));
    }
    impl->ends.insert(checked.endOfTurn.begin(), checked.endOfTurn.end());
    if (checked.eos) impl->ends.insert(*checked.eos);
    return Tokenizer(std::move(impl));
}

Result<std::vector<TokenId>> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
    const ByteRange all{0, text.size()};
    const bool parse = options.special == SpecialText::Parse;
    LACUNA_TRY(std::vector<TokenId> ids,
               encodeMarked(text, parse ? std::span(&all, 1) : std::span<const ByteRange>()));
    if (options.edges == EdgeTokens::None) return ids;
    if (data().addBos) ids.insert(ids.begin(), *data().bos);
    if (data().addEos) ids.push_back(*data().eos);
    return ids;
}

Result<std::vector<TokenId>> Tokenizer::encodeMarked(std::string_view text,
                                                     std::span<const ByteRange> marked) const {
    if (text.size() > kMaxTextBytes)
        return fail(ErrorCode::TokTooLong, format("a text of {} bytes; at most {} can be encoded",
                                                  text.size(), kMaxTextBytes));
    using Prefix = SentencePieceBpe::Prefix;
    const Prefix first = data().addSpacePrefix ? Prefix::Space : Prefix::None;
    std::vector<TokenId> ids;
    ids.reserve(text.size() / 4 + 4);
    Prefix prefix = first;
    std::size_t done = 0;
    for (const SpecialMatcher::Match& match : impl_->special.find(text, marked)) {
        LACUNA_TRY_STATUS(
            impl_->encodeRun(text.substr(done, match.range.begin - done), prefix, ids));
        ids.push_back(match.id);
        done = match.range.end;
        prefix = isControl(match.id) ? first : Prefix::None;
    }
    LACUNA_TRY_STATUS(impl_->encodeRun(text.substr(done), prefix, ids));
    return ids;
}

Result<std::string> Tokenizer::decode(std::span<const TokenId> ids, SpecialOutput special) const {
    std::string text;
    bool atStart = data().kind == TokenizerKind::SentencePieceBpe && data().addSpacePrefix;
    for (const TokenId id : ids) {
        LACUNA_TRY_STATUS(impl_->checkId(id));
        const std::string bytes = impl_->bytes(id, special);
        if (atStart && !isControl(id) && !bytes.empty()) {
            // The space that encoding put before the text; a byte token never holds it.
            const bool prefix = impl_->vocabulary.piece(id).starts_with(kSpaceMark);
            text.append(bytes, prefix ? 1 : 0);
            atStart = false;
            continue;
        }
        text += bytes;
    }
    return text;
}

Result<std::string> Tokenizer::pieceBytes(TokenId id, SpecialOutput special) const {
    LACUNA_TRY_STATUS(impl_->checkId(id));
    return impl_->bytes(id, special);
}

int Tokenizer::vocabularySize() const {
    return impl_->vocabulary.size();
}
const TokenizerData& Tokenizer::data() const {
    return impl_->data();
}
bool Tokenizer::isEndOfTurn(TokenId id) const {
    return impl_->ends.contains(id);
}
bool Tokenizer::isControl(TokenId id) const {
    return impl_->vocabulary.holds(id) && impl_->vocabulary.kind(id) == TokenKind::Control;
}
std::optional<TokenId> Tokenizer::find(std::string_view piece) const {
    return impl_->vocabulary.findAny(piece);
}

}  // namespace lacuna
