#include "engine/text/tokenizer.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/string_format.h"
#include "engine/text/byte_alphabet.h"
#include "engine/text/normalizer.h"
#include "engine/text/piece_decoder.h"
#include "engine/text/pretokenizer.h"
#include "engine/text/special_matcher.h"
#include "engine/text/text_work.h"
#include "engine/text/token_models.h"
#include "engine/text/unicode.h"
#include "engine/text/vocabulary.h"

// Encoding has five stages: added tokens are found in the original text; the text between them is
// normalised; further added tokens are found in the normalised text; the rest is split into pieces;
// the model encodes each piece.

namespace lacuna {
namespace {

constexpr std::size_t kMaxTextBytes = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";
constexpr std::string_view kUnknownText = " \xE2\x81\x87 ";  // U+2047, as SentencePiece shows it
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";    // U+FFFD

bool isSentencePiece(TokenizerKind kind) {
    return kind == TokenizerKind::SentencePieceBpe || kind == TokenizerKind::Unigram;
}

/// Returns the spelling of a special token in ordinary text.
std::string spelling(const Vocabulary& vocabulary, TokenId id) {
    const std::string& piece = vocabulary.piece(id);
    const bool marked =
        vocabulary.kind(id) == TokenKind::UserDefined && vocabulary.data().sentencePiece.used;
    if (!marked) return piece;
    std::string text;
    for (std::size_t at = 0; at < piece.size();) {
        const bool space = std::string_view(piece).substr(at).starts_with(kSpaceMark);
        text += space ? ' ' : piece[at];
        at += space ? kSpaceMark.size() : 1;
    }
    return text;
}

/// Replaces every byte that is not part of a character by U+FFFD.
std::string withoutInvalid(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const Utf8Run& run : utf8Runs(text)) {
        if (run.valid)
            out += text.substr(run.range.begin, run.range.end - run.range.begin);
        else
            for (std::size_t i = run.range.begin; i < run.range.end; ++i) out += kReplacement;
    }
    return out;
}

constexpr std::size_t kMaxDecodeSteps = 64;
// Canonical composition shrinks at most seven bytes to two (U+1FBE with two marks).
constexpr std::size_t kMaxComposed = 4;

/// Budget for creating a tokenizer from a file: bytes and entries of its tables.
constexpr std::uint64_t kLoadingSteps = std::uint64_t{1} << 33;

Status loadingStatus(const WorkBudget& work) {
    return work.status(ErrorCode::TokTooLong,
                       "the tables of this tokenizer take too many steps to build");
}

Result<std::unique_ptr<TokenModel>> modelFor(const Vocabulary& vocabulary, WorkBudget& work) {
    switch (vocabulary.data().kind) {
        case TokenizerKind::ByteLevelBpe:
        case TokenizerKind::CharacterBpe: {
            LACUNA_TRY(MergeBpe model, MergeBpe::create(vocabulary, work));
            return std::unique_ptr<TokenModel>(std::make_unique<MergeBpe>(std::move(model)));
        }
        case TokenizerKind::SentencePieceBpe:
            return std::unique_ptr<TokenModel>(std::make_unique<SentencePieceBpe>(vocabulary));
        case TokenizerKind::Unigram: {
            LACUNA_TRY(Unigram model, Unigram::create(vocabulary));
            return std::unique_ptr<TokenModel>(std::make_unique<Unigram>(std::move(model)));
        }
        case TokenizerKind::WordPiece: {
            LACUNA_TRY(WordPiece model, WordPiece::create(vocabulary));
            return std::unique_ptr<TokenModel>(std::make_unique<WordPiece>(std::move(model)));
        }
    }
    return fail(ErrorCode::TokConfig, "a tokenizer of unknown kind");
}

/// SentencePiece vocabularies whose file contains no steps use SentencePiece's normalisation.
TokenizerData completed(TokenizerData data) {
    const bool steps = !data.normalizer.empty() || !data.splits.empty();
    if (isSentencePiece(data.kind) && !steps) data.sentencePiece.used = true;
    if (data.sentencePiece.used && !data.unknownText) data.unknownText = kUnknownText;
    return data;
}

}  // namespace

std::string_view tokenizerKindName(TokenizerKind kind) {
    switch (kind) {
        case TokenizerKind::ByteLevelBpe:
            return "byte-level BPE";
        case TokenizerKind::CharacterBpe:
            return "character BPE";
        case TokenizerKind::SentencePieceBpe:
            return "SentencePiece BPE";
        case TokenizerKind::Unigram:
            return "SentencePiece unigram";
        case TokenizerKind::WordPiece:
            return "WordPiece";
    }
    return "";
}

struct Tokenizer::Impl {
    explicit Impl(Vocabulary checked) : vocabulary(std::move(checked)), decoder(vocabulary) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    using Prefix = SentencePieceNormalizer::Prefix;
    /// A part of a text without added tokens.
    struct Section {
        std::string_view text;
        Prefix prefix = Prefix::None;
        TextPosition place = TextPosition::Middle;
    };

    Vocabulary vocabulary;
    PieceDecoder decoder;
    SpecialMatcher special;            // for the original text
    SpecialMatcher normalizedSpecial;  // for the normalised text
    std::unordered_set<TokenId> ends;
    std::optional<Normalizer> normalizer;
    std::optional<SentencePieceNormalizer> sentencePiece;
    std::optional<Pretokenizer> pretokenizer;
    std::unique_ptr<TokenModel> model;
    std::size_t bytesOfAToken = 0;  // upper bound; 0: unlimited

    [[nodiscard]] const TokenizerData& data() const { return vocabulary.data(); }

    [[nodiscard]] Status prepare(WorkBudget& work) {
        const bool byName = data().splits.empty() && !data().preTokenizer.empty();
        LACUNA_TRY(normalizer, Normalizer::create(data().normalizer));
        LACUNA_TRY(pretokenizer, byName ? Pretokenizer::named(data().preTokenizer)
                                        : Pretokenizer::fromSteps(data().splits));
        if (data().sentencePiece.used) {
            LACUNA_TRY(sentencePiece, SentencePieceNormalizer::create(vocabulary));
        }
        LACUNA_TRY(model, modelFor(vocabulary, work));
        bytesOfAToken = mostBytesOfAToken();
        return addSpecials(work);
    }
    /// Returns the maximum number of text bytes per token; 0: unlimited.
    [[nodiscard]] std::size_t mostBytesOfAToken() const {
        if (data().kind != TokenizerKind::ByteLevelBpe) return 0;
        for (std::size_t byte = 0; byte < 256; ++byte)
            if (!vocabulary.findText(alphabetChar(static_cast<std::uint8_t>(byte)))) return 0;
        const bool drops =
            std::ranges::any_of(data().added,
                                [](const AddedToken& token) {
                                    return token.takesSpaceBefore || token.takesSpaceAfter;
                                }) ||
            std::ranges::any_of(data().splits, [](const SplitStep& step) {
                return step.behaviour == SplitBehaviour::Removed ||
                       step.kind == SplitStep::Kind::Metaspace;
            });
        const bool composes = std::ranges::all_of(data().normalizer, [](const NormalizeStep& step) {
            return step.kind == NormalizeStep::Kind::Nfc;
        });
        if (drops || !composes) return 0;
        std::size_t longest = 0;  // in the GPT-2 alphabet, which uses one or two bytes per byte
        for (const std::string& piece : data().pieces) longest = std::max(longest, piece.size());
        return data().normalizer.empty() ? longest : kMaxComposed * longest;
    }
    [[nodiscard]] Status addSpecials(WorkBudget& work) {
        std::unordered_map<TokenId, AddedToken> listed;
        for (const AddedToken& token : data().added) listed.emplace(token.id, token);
        const bool frozen = data().sentencePiece.used && data().sentencePiece.freezeUserDefined;
        for (TokenId id = 0; id < vocabulary.size(); ++id) {
            work.spend();
            LACUNA_TRY_STATUS(loadingStatus(work));
            const TokenKind kind = vocabulary.kind(id);
            const auto found = listed.find(id);
            AddedToken token = found == listed.end() ? AddedToken{} : found->second;
            token.id = id;
            if (kind == TokenKind::Control || kind == TokenKind::Unknown) {
                LACUNA_TRY_STATUS(special.add(spelling(vocabulary, id), token,
                                              SpecialMatcher::Allowed::MarkedOnly));
            } else if (kind == TokenKind::UserDefined && token.normalized) {
                TextWork normalizing(vocabulary.piece(id).size());
                LACUNA_TRY(const std::string text,
                           normalizer->apply(vocabulary.piece(id), normalizing));
                work.spend(normalizing.spent());
                LACUNA_TRY_STATUS(
                    normalizedSpecial.add(text, token, SpecialMatcher::Allowed::Anywhere));
            } else if (kind == TokenKind::UserDefined && !frozen) {
                LACUNA_TRY_STATUS(special.add(spelling(vocabulary, id), token,
                                              SpecialMatcher::Allowed::Anywhere));
            }
        }
        return {};
    }
    [[nodiscard]] Status checkId(TokenId id) const {
        if (vocabulary.holds(id)) return {};
        return fail(ErrorCode::TokTokenId,
                    format("{} is not a token of this vocabulary; expected 0 to {}", id,
                           vocabulary.size() - 1));
    }
    [[nodiscard]] Result<std::string> normalized(const Section& section, TextWork& work) const {
        std::string valid;
        std::string_view text = section.text;
        const bool spellsBytes = data().kind == TokenizerKind::ByteLevelBpe || data().byteFallback;
        if (!spellsBytes) text = valid = withoutInvalid(text);
        LACUNA_TRY(std::string out, normalizer->apply(text, work));
        if (sentencePiece) return sentencePiece->apply(out, section.prefix, work);
        return out;
    }
    [[nodiscard]] Status encodePieces(std::string_view text, TextPosition place, TextWork& work,
                                      std::vector<TokenId>& out) const {
        if (text.empty()) return {};
        LACUNA_TRY(const SplitText split, pretokenizer->split(text, place, work));
        for (const ByteRange piece : split.pieces) {
            work.spend();
            work.holds(out.size());
            LACUNA_TRY_STATUS(work.status());
            LACUNA_TRY_STATUS(model->encodeInto(
                std::string_view(split.text).substr(piece.begin, piece.end - piece.begin), work,
                out));
        }
        return {};
    }
    [[nodiscard]] Status encodeSection(const Section& section, TextWork& work,
                                       std::vector<TokenId>& out) const {
        if (section.text.empty()) return {};
        LACUNA_TRY(const std::string text, normalized(section, work));
        std::size_t done = 0;
        const auto upTo = [&](std::size_t end) {
            const bool start = done == 0 && section.place == TextPosition::Start;
            return encodePieces(std::string_view(text).substr(done, end - done),
                                start ? TextPosition::Start : TextPosition::Middle, work, out);
        };
        for (const SpecialMatcher::Match& match : normalizedSpecial.find(text, {}, work)) {
            LACUNA_TRY_STATUS(upTo(match.range.begin));
            out.push_back(match.id);
            done = match.range.end;
        }
        return upTo(text.size());
    }
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::create(TokenizerData data, StopRequested stop) {
    WorkBudget work(kLoadingSteps, std::move(stop));
    if (data.decoder.size() > kMaxDecodeSteps)
        return fail(ErrorCode::TokConfig, format("{} decoding steps; at most {} are allowed",
                                                 data.decoder.size(), kMaxDecodeSteps));
    LACUNA_TRY(Vocabulary vocabulary, Vocabulary::create(completed(std::move(data)), work));
    LACUNA_TRY_STATUS(loadingStatus(work));
    auto impl = std::make_unique<Impl>(std::move(vocabulary));
    LACUNA_TRY_STATUS(impl->prepare(work));
    LACUNA_TRY_STATUS(loadingStatus(work));
    const TokenizerData& checked = impl->data();
    impl->ends.insert(checked.endOfTurn.begin(), checked.endOfTurn.end());
    if (checked.eos) impl->ends.insert(*checked.eos);
    return Tokenizer(std::move(impl));
}

Result<std::vector<TokenId>> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
    const ByteRange all{0, text.size()};
    const bool parse = options.special == SpecialText::Parse;
    LACUNA_TRY(std::vector<TokenId> ids,
               encodeMarked(text, parse ? std::span(&all, 1) : std::span<const ByteRange>(),
                            std::move(options.stop)));
    if (options.edges == EdgeTokens::None) return ids;
    std::vector<TokenId> before = data().prefixTokens;
    std::vector<TokenId> after = data().suffixTokens;
    if (before.empty() && data().addBos) before = {*data().bos};
    if (after.empty() && data().addEos) after = {*data().eos};
    ids.insert(ids.begin(), before.begin(), before.end());
    ids.insert(ids.end(), after.begin(), after.end());
    return ids;
}

Result<std::vector<TokenId>> Tokenizer::encodeMarked(std::string_view text,
                                                     std::span<const ByteRange> marked,
                                                     StopRequested stop) const {
    if (text.size() > kMaxTextBytes)
        return fail(
            ErrorCode::TokTooLong,
            format("the text has {} bytes; at most {} can be encoded", text.size(), kMaxTextBytes));
    using Prefix = SentencePieceNormalizer::Prefix;
    const Prefix first = data().addSpacePrefix ? Prefix::Space : Prefix::None;
    TextWork work(text.size(), std::move(stop));
    std::vector<TokenId> ids;
    ids.reserve(text.size() / 4 + 4);
    Impl::Section section{{}, first, TextPosition::Start};
    std::size_t done = 0;
    for (const SpecialMatcher::Match& match : impl_->special.find(text, marked, work)) {
        section.text = text.substr(done, match.range.begin - done);
        LACUNA_TRY_STATUS(impl_->encodeSection(section, work, ids));
        ids.push_back(match.id);
        done = match.range.end;
        section.prefix = isControl(match.id) ? first : Prefix::None;
        section.place = TextPosition::Middle;
    }
    section.text = text.substr(done);
    LACUNA_TRY_STATUS(work.status());
    LACUNA_TRY_STATUS(impl_->encodeSection(section, work, ids));
    LACUNA_TRY_STATUS(work.status());
    return ids;
}

std::size_t Tokenizer::minTokens(std::size_t bytes) const {
    return impl_->bytesOfAToken == 0 ? 0 : bytes / impl_->bytesOfAToken;
}

Result<std::string> Tokenizer::decode(std::span<const TokenId> ids, SpecialOutput special) const {
    std::string text;
    DecodeState state;
    for (const TokenId id : ids) {
        LACUNA_TRY(const std::string bytes, decodeNext(id, state, special));
        text += bytes;
    }
    return text;
}

Result<std::string> Tokenizer::decodeNext(TokenId id, DecodeState& state,
                                          SpecialOutput special) const {
    LACUNA_TRY_STATUS(impl_->checkId(id));
    return impl_->decoder.next(id, state, special);
}

Result<std::string> Tokenizer::pieceBytes(TokenId id, SpecialOutput special) const {
    DecodeState state{.first = false, .stripping = false};
    return decodeNext(id, state, special);
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

namespace {

/// Moves all complete characters out of `pending`; only an incomplete one remains.
std::string writeFullBody(std::string& pending) {
    std::string whole;
    std::size_t at = 0;
    while (at < pending.size()) {
        const Utf8Char c = utf8CharAt(pending, at);
        if (c.form == Utf8Char::Form::Partial) break;
        if (c.form == Utf8Char::Form::Whole)
            whole.append(pending, at, c.bytes);
        else
            whole.append(kReplacement);
        at += c.bytes;
    }
    pending.erase(0, at);
    return whole;
}

}  // namespace

Result<std::string> StreamDecoder::push(TokenId id) {
    LACUNA_TRY(const std::string bytes, tokenizer_.decodeNext(id, state_));
    pending_ += bytes;
    return writeFullBody(pending_);
}

std::string StreamDecoder::finish() {
    if (pending_.empty()) return {};
    pending_.clear();
    return std::string(kReplacement);
}

}  // namespace lacuna
