#include "engine/text/piece_decoder.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/text/byte_alphabet.h"

// The reference decodes a complete list; here pieces arrive one by one. The state tracks the first
// piece, which may lose its space, and word ends, which require a space before the next piece. Byte
// pieces are returned as raw bytes; the caller assembles characters.

namespace lacuna {
namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581
constexpr std::size_t kEverySpace = std::numeric_limits<std::size_t>::max();

/// Stops after more than `most` bytes are written.
std::string replacedAll(std::string_view text, std::string_view from, std::string_view to,
                        std::size_t most) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size() && out.size() <= most;) {
        const std::size_t next = from.empty() ? std::string_view::npos : text.find(from, at);
        out += text.substr(at, next - at);
        if (next == std::string_view::npos) break;
        out += to;
        at = next + from.size();
    }
    return out;
}

/// Removes spaces before punctuation and inside English contractions, as BERT does.
std::string cleanedUp(std::string text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules = {{
        {" .", "."},
        {" ?", "?"},
        {" !", "!"},
        {" ,", ","},
        {" ' ", "'"},
        {" n't", "n't"},
        {" 'm", "'m"},
        {" do not", " don't"},
        {" 's", "'s"},
        {" 've", "'ve"},
        {" 're", "'re"},
    }};
    for (const auto& [from, to] : kRules) text = replacedAll(text, from, to, text.size());
    return text;
}

std::vector<DecodeStep> usualSteps(const TokenizerData& data) {
    using Kind = DecodeStep::Kind;
    switch (data.kind) {
        case TokenizerKind::ByteLevelBpe:
            return {{.kind = Kind::ByteAlphabet}};
        case TokenizerKind::CharacterBpe:
        case TokenizerKind::SentencePieceBpe:
        case TokenizerKind::Unigram: {
            std::vector<DecodeStep> steps = {
                {.kind = Kind::Replace, .pattern = std::string(kSpaceMark), .content = " "},
                {.kind = Kind::Fuse}};
            const bool trims = data.sentencePiece.used && data.sentencePiece.removeExtraSpaces;
            if (data.addSpacePrefix || trims)
                steps.push_back(
                    {.kind = Kind::Strip, .content = " ", .count = trims ? kEverySpace : 1});
            return steps;
        }
        case TokenizerKind::WordPiece:
            if (data.wordPiece.continuingPrefix.empty())  // in this case, words begin with a mark
                return {{.kind = Kind::Replace, .pattern = std::string(kSpaceMark), .content = " "},
                        {.kind = Kind::Fuse},
                        {.kind = Kind::Strip, .content = " ", .count = 1}};
            return {{.kind = Kind::WordPiece, .pattern = data.wordPiece.continuingPrefix}};
    }
    return {};
}

void strip(const DecodeStep& step, std::size_t& done, bool& going, std::string& text) {
    std::size_t at = 0;
    while (going && done < step.count && at < text.size()) {
        going =
            !step.content.empty() && std::string_view(text).substr(at).starts_with(step.content);
        if (!going) break;
        at += step.content.size();
        ++done;
    }
    text.erase(0, at);
}

}  // namespace

PieceDecoder::PieceDecoder(const Vocabulary& vocabulary)
    : vocabulary_(&vocabulary),
      steps_(vocabulary.data().decoder.empty() ? usualSteps(vocabulary.data())
                                               : vocabulary.data().decoder),
      fused_(std::ranges::any_of(
          steps_, [](const DecodeStep& s) { return s.kind == DecodeStep::Kind::Fuse; })) {}

void PieceDecoder::apply(const DecodeStep& step, TokenId id, State& state,
                         std::string& text) const {
    switch (step.kind) {
        case DecodeStep::Kind::ByteAlphabet:
            // An added token, or one with characters outside the alphabet, is plain text.
            if (vocabulary_->kind(id) != TokenKind::UserDefined)
                text = fromByteAlphabet(text).value_or(text);
            return;
        case DecodeStep::Kind::Replace:
            text = replacedAll(text, step.pattern, step.content, maxBytes(id));
            return;
        case DecodeStep::Kind::Fuse:
            return;
        case DecodeStep::Kind::Strip: {
            std::size_t done = 0;
            bool going = true;
            if (fused_)
                strip(step, state.stripped, state.stripping, text);
            else
                strip(step, done, going, text);
            return;
        }
        case DecodeStep::Kind::Metaspace:
            text = replacedAll(text, step.pattern, state.first && step.dropFirst ? "" : " ",
                               maxBytes(id));
            return;
        case DecodeStep::Kind::WordPiece:
            if (!state.first) {
                if (!step.pattern.empty() && text.starts_with(step.pattern))
                    text.erase(0, step.pattern.size());
                else
                    text.insert(0, 1, ' ');
            }
            if (step.cleanUp) text = cleanedUp(std::move(text));
            return;
        case DecodeStep::Kind::WordSuffix:
            if (std::exchange(state.pendingSpace, false)) text.insert(0, 1, ' ');
            if (!step.pattern.empty() && text.ends_with(step.pattern)) {
                text.resize(text.size() - step.pattern.size());
                state.pendingSpace = true;
            }
            return;
    }
}

std::size_t PieceDecoder::maxBytes(TokenId id) const {
    constexpr std::size_t kGrowth = 16;
    constexpr std::size_t kMore = 4096;
    return vocabulary_->piece(id).size() * kGrowth + kMore;
}

Result<std::string> PieceDecoder::decoded(TokenId id, State& state) const {
    const TokenizerData& data = vocabulary_->data();
    if (const auto byte = vocabulary_->byteOf(id)) {
        state.stripping = false;
        return std::string(1, static_cast<char>(*byte));
    }
    if (vocabulary_->kind(id) == TokenKind::Unknown && data.unknownText) {
        state.stripping = false;
        return *data.unknownText;
    }
    std::string text = vocabulary_->piece(id);
    for (const DecodeStep& step : steps_) {
        apply(step, id, state, text);
        if (text.size() > maxBytes(id))
            return fail(ErrorCode::TokTooLong,
                        format("the decoding steps produce more than {} bytes from token {}",
                               maxBytes(id), id));
    }
    return text;
}

Result<std::string> PieceDecoder::next(TokenId id, State& state, SpecialOutput special) const {
    if (vocabulary_->kind(id) == TokenKind::Control)
        return special == SpecialOutput::Show ? vocabulary_->piece(id) : std::string();
    const bool unknown = vocabulary_->kind(id) == TokenKind::Unknown;
    if (unknown && vocabulary_->data().unknownText == std::string()) return std::string();
    LACUNA_TRY(std::string text, decoded(id, state));
    if (!vocabulary_->piece(id).empty()) state.first = false;
    return text;
}

}  // namespace lacuna
