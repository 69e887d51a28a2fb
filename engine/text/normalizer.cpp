#include "engine/text/normalizer.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/text/byte_alphabet.h"
#include "engine/text/unicode.h"

// Layout of a unit, from the low end: 8 bits of label, a bit for a value below the node, a bit that
// scales the offset, 21 bits of offset. With the highest bit set, it holds 31 bits of value.

namespace lacuna {
namespace {

constexpr std::size_t kUnitBytes = 4;
constexpr std::size_t kMaxKeyBytes = 64;  // keys are a few characters long

std::uint32_t littleEndian(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = kUnitBytes; i-- > 0;)
        value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

bool hasValue(std::uint32_t unit) {
    return ((unit >> 8) & 1U) != 0;
}
std::uint32_t labelOf(std::uint32_t unit) {
    return unit & 0x800000FFU;
}
std::uint32_t offsetOf(std::uint32_t unit) {
    return (unit >> 10) << ((unit & 0x200U) >> 6);
}
std::uint32_t valueOf(std::uint32_t unit) {
    return unit & 0x7FFFFFFFU;
}

}  // namespace

Result<Charsmap> Charsmap::parse(std::string_view bytes) {
    const std::size_t size = bytes.size() < kUnitBytes ? 0 : littleEndian(bytes, 0);
    if (size == 0 || size % kUnitBytes != 0 || size > bytes.size() - kUnitBytes)
        return fail(ErrorCode::TokConfig, format("the precompiled normalisation table is damaged: "
                                                 "it has {} bytes but states an index of {}",
                                                 bytes.size(), size));
    Charsmap made;
    made.units_.reserve(size / kUnitBytes);
    for (std::size_t at = kUnitBytes; at < kUnitBytes + size; at += kUnitBytes)
        made.units_.push_back(littleEndian(bytes, at));
    made.replacements_ = bytes.substr(kUnitBytes + size);
    return made;
}

std::string_view Charsmap::replacementAt(std::uint32_t offset) const {
    if (offset >= replacements_.size()) return {};
    const std::string_view rest = std::string_view(replacements_).substr(offset);
    return rest.substr(0, rest.find('\0'));
}

std::optional<Charsmap::Match> Charsmap::find(std::string_view text, MatchLength length) const {
    std::optional<Match> found;
    std::uint32_t at = offsetOf(units_[0]);
    for (std::size_t i = 0; i < text.size() && i < kMaxKeyBytes; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        at ^= byte;
        if (byte == 0 || at >= units_.size() || labelOf(units_[at]) != byte) return found;
        const bool ends = hasValue(units_[at]);
        at ^= offsetOf(units_[at]);
        if (!ends) continue;
        if (at >= units_.size()) return found;
        found = Match{i + 1, replacementAt(valueOf(units_[at]))};
        if (length == MatchLength::Shortest) return found;
    }
    return found;
}

std::optional<Charsmap::Match> Charsmap::longest(std::string_view text) const {
    return find(text, MatchLength::Longest);
}

std::optional<Charsmap::Match> Charsmap::shortest(std::string_view text) const {
    return find(text, MatchLength::Shortest);
}

// Each step rewrites the text. Steps that look at characters keep invalid bytes; steps with
// patterns work on each valid run.

namespace {

constexpr std::size_t kMaxSteps = 64;
constexpr std::size_t kMaxCharsmapGrapheme = 6;  // longer ones are looked up character by
                                                 // character, as in the reference
constexpr std::string_view kIdeographSpace = " ";

/// Replaces each character by what `change` appends for it.
template <class Change>
std::string byCharacter(std::string_view text, TextWork& work, const Change& change) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = utf8CharAt(text, at);
        const std::size_t bytes = c.form == Utf8Char::Form::Whole ? c.bytes : 1;
        if (!work.spend() || !work.holds(out.size())) break;
        if (c.form == Utf8Char::Form::Whole)
            change(out, c.codePoint, text.substr(at, bytes));
        else
            out += text[at];
        at += bytes;
    }
    return out;
}

std::string lowered(std::string_view text, TextWork& work) {
    return byCharacter(text, work, [](std::string& out, char32_t c, std::string_view) {
        if (c < 0x80)
            out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
        else
            out += lowerCase(c);
    });
}

std::string without(std::string_view text, TextWork& work, bool (*dropped)(char32_t)) {
    return byCharacter(text, work, [&](std::string& out, char32_t c, std::string_view bytes) {
        if (!dropped(c)) out += bytes;
    });
}

bool isIdeograph(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

std::string cleaned(std::string_view text, TextWork& work) {
    return byCharacter(text, work, [](std::string& out, char32_t c, std::string_view bytes) {
        const bool lineEnd = c == '\t' || c == '\n' || c == '\r';
        if (c == 0 || c == 0xFFFD || (!lineEnd && isOtherCharacter(c))) return;
        if (isWhiteSpace(c))
            out += ' ';
        else
            out += bytes;
    });
}

std::string bertNormalized(std::string_view text, const NormalizeStep& step, TextWork& work) {
    std::string out = step.cleanText ? cleaned(text, work) : std::string(text);
    if (step.isolateChinese)
        out = byCharacter(out, work, [](std::string& to, char32_t c, std::string_view bytes) {
            if (!isIdeograph(c)) {
                to += bytes;
                return;
            }
            to += kIdeographSpace;
            to += bytes;
            to += kIdeographSpace;
        });
    if (step.stripAccents)
        out = without(toNormalForm(out, NormalForm::Nfd, &work), work, isNonspacingMark);
    if (step.lowercase) out = lowered(out, work);
    return out;
}

std::string nmtNormalized(std::string_view text, TextWork& work) {
    return byCharacter(text, work, [](std::string& out, char32_t c, std::string_view bytes) {
        const bool control = (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) ||
                             c == 0x7F || c == 0x8F || c == 0x9F;
        const bool space = c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
                           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                           c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
        if (control) return;
        if (space)
            out += ' ';
        else
            out += bytes;
    });
}

std::string stripped(std::string_view text, const NormalizeStep& step, TextWork& work) {
    std::size_t begin = 0;
    std::size_t end = 0;  // end of the kept text
    bool inside = !step.left;
    for (std::size_t at = 0; at < text.size() && work.spend();) {
        const Utf8Char c = utf8CharAt(text, at);
        const bool whole = c.form == Utf8Char::Form::Whole;
        const bool space = whole && isWhiteSpace(c.codePoint);
        if (!space && !inside) {
            begin = at;
            inside = true;
        }
        at += whole ? c.bytes : 1;
        if (!space || !step.right) end = at;
    }
    if (!inside || end <= begin) return {};
    return std::string(text.substr(begin, end - begin));
}

/// A short grapheme cluster is looked up as a whole, a longer one character by character.
std::string charsmapped(std::string_view text, const Charsmap& map, TextWork& work) {
    std::string out;
    const auto replace = [&](std::string_view part) {
        const auto match = map.shortest(part);
        if (match && work.spendBytes(match->replacement.size())) out += match->replacement;
        return match.has_value();
    };
    for (std::size_t at = 0; at < text.size() && work.spend() && work.holds(out.size());) {
        if (utf8CharAt(text, at).form != Utf8Char::Form::Whole) {
            out += text[at++];
            continue;
        }
        const std::string_view grapheme = text.substr(at, graphemeBytes(text, at));
        at += grapheme.size();
        if (grapheme.size() < kMaxCharsmapGrapheme && replace(grapheme)) continue;
        for (std::size_t i = 0; i < grapheme.size() && work.holds(out.size());) {
            const std::string_view one = grapheme.substr(i, utf8CharAt(grapheme, i).bytes);
            if (!replace(one)) out += one;
            i += one.size();
        }
    }
    return out;
}

Status replaceInRun(PatternMatcher& matcher, const Pattern& pattern, std::string_view run,
                    std::string_view content, TextWork& work, std::string& out) {
    std::size_t done = 0;
    for (std::size_t from = 0; from <= run.size();) {
        LACUNA_TRY(const std::optional<ByteRange> found, matcher.next(pattern, run, from));
        if (!found) break;
        out += run.substr(done, found->begin - done);
        out += content;
        work.spendBytes(content.size());
        if (!work.holds(out.size())) return work.status();
        done = from = found->end;
        if (found->begin == found->end) from += from < run.size() ? utf8CharAt(run, from).bytes : 1;
    }
    out += run.substr(done);
    return {};
}

Result<std::string> replaced(std::string_view text, const Pattern& pattern,
                             std::string_view content, TextWork& work) {
    PatternMatcher matcher(&work);
    std::string out;
    for (const Utf8Run& run : utf8Runs(text)) {
        const std::string_view part = text.substr(run.range.begin, run.range.end - run.range.begin);
        if (run.valid)
            LACUNA_TRY_STATUS(replaceInRun(matcher, pattern, part, content, work, out));
        else
            out += part;
    }
    return out;
}

}  // namespace

Result<Normalizer> Normalizer::create(std::span<const NormalizeStep> steps) {
    if (steps.size() > kMaxSteps)
        return fail(ErrorCode::TokConfig, format("{} normalising steps; at most {} are allowed",
                                                 steps.size(), kMaxSteps));
    std::vector<Step> made;
    for (const NormalizeStep& step : steps) {
        made.push_back({step, std::nullopt, std::nullopt});
        if (step.kind == NormalizeStep::Kind::Replace) {
            LACUNA_TRY(made.back().pattern, Pattern::compile(step.pattern));
        } else if (step.kind == NormalizeStep::Kind::Charsmap) {
            LACUNA_TRY(made.back().charsmap, Charsmap::parse(step.content));
        }
    }
    return Normalizer(std::move(made));
}

Result<std::string> Normalizer::applyStep(const Step& step, std::string_view text, TextWork& work) {
    using Kind = NormalizeStep::Kind;
    switch (step.what.kind) {
        case Kind::Nfc:
            return toNormalForm(text, NormalForm::Nfc, &work);
        case Kind::Nfd:
            return toNormalForm(text, NormalForm::Nfd, &work);
        case Kind::Nfkc:
            return toNormalForm(text, NormalForm::Nfkc, &work);
        case Kind::Nfkd:
            return toNormalForm(text, NormalForm::Nfkd, &work);
        case Kind::Lowercase:
            return lowered(text, work);
        case Kind::StripAccents:
            return without(text, work, isMark);
        case Kind::StripEdges:
            return stripped(text, step.what, work);
        case Kind::Replace:
            return replaced(text, *step.pattern, step.what.content, work);
        case Kind::Prepend:
            return text.empty() ? std::string() : step.what.content + std::string(text);
        case Kind::Bert:
            return bertNormalized(text, step.what, work);
        case Kind::Nmt:
            return nmtNormalized(text, work);
        case Kind::Charsmap:
            return charsmapped(text, *step.charsmap, work);
        case Kind::ByteAlphabet:
            return toByteAlphabet(text);
    }
    return std::string(text);
}

Result<std::string> Normalizer::apply(std::string_view text, TextWork& work) const {
    std::string now(text);
    for (const Step& step : steps_) {
        LACUNA_TRY(now, applyStep(step, now, work));
        work.spendBytes(now.size());
        work.holds(now.size());
        LACUNA_TRY_STATUS(work.status());
    }
    return now;
}

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
    bool begun = !trim;  // without trimming, a text of only spaces is not empty
    if (dummy && !rules_->spaceAsSuffix && begun && !text.empty()) out += kSpaceMark;
    while (!text.empty()) {
        const Charsmap::Match here = at(text);
        work.spend(here.bytes + here.replacement.size() / TextWork::kBytesPerStep);
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
