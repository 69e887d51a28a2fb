#include "engine/text/pretokenizer.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/text/byte_alphabet.h"
#include "engine/text/splitting_rules.h"

// A step either splits ranges of one text or rewrites the text piece by piece. Patterns are applied
// to valid UTF-8 only: the text is split at invalid bytes first, which keeps matching linear
// without validity checks. Invalid bytes form pieces that no pattern changes.

namespace lacuna {
namespace {

constexpr std::size_t kMaxSteps = 64;
constexpr std::size_t kMaxReplacement = 16;  // in bytes; real files use a single character

struct Piece {
    ByteRange range;
    bool valid = true;
    bool first = false;  // the piece is at the start of the input
};

struct Pieces {
    std::string text;
    std::vector<Piece> list;

    [[nodiscard]] std::string_view at(const Piece& piece) const {
        return std::string_view(text).substr(piece.range.begin,
                                             piece.range.end - piece.range.begin);
    }
    void append(std::string_view bytes, bool valid, bool first) {
        const std::size_t begin = text.size();
        text += bytes;
        if (!bytes.empty()) list.push_back({{begin, text.size()}, valid, first});
    }
};

struct Part {
    ByteRange range;
    bool matched = false;
};

/// Returns the matches of a pattern and the text between them, in order, covering the text.
Result<std::vector<Part>> partsOf(PatternMatcher& matcher, const Pattern& pattern,
                                  std::string_view text, bool invert) {
    std::vector<Part> parts;
    std::size_t done = 0;
    std::optional<std::size_t> lastEnd;
    for (std::size_t from = 0; from <= text.size();) {
        LACUNA_TRY(const std::optional<ByteRange> found, matcher.next(pattern, text, from));
        if (!found) break;
        const bool empty = found->begin == found->end;
        // An empty match directly after another match adds nothing.
        if (!empty || lastEnd != found->end) {
            if (done < found->begin) parts.push_back({{done, found->begin}, invert});
            parts.push_back({*found, !invert});
            done = found->end;
        }
        lastEnd = found->end;
        from = found->end;
        if (empty) from += from < text.size() ? utf8CharAt(text, from).bytes : 1;
    }
    if (done < text.size()) parts.push_back({{done, text.size()}, invert});
    return parts;
}

std::vector<ByteRange> contiguous(const std::vector<Part>& parts) {
    std::vector<ByteRange> out;
    bool previous = false;
    for (const Part& part : parts) {
        if (part.matched == previous && !out.empty())
            out.back().end = part.range.end;
        else
            out.push_back(part.range);
        previous = part.matched;
    }
    return out;
}

std::vector<ByteRange> mergedWithPrevious(const std::vector<Part>& parts) {
    std::vector<ByteRange> out;
    bool previous = false;
    for (const Part& part : parts) {
        if (part.matched && !previous && !out.empty())
            out.back().end = part.range.end;
        else
            out.push_back(part.range);
        previous = part.matched;
    }
    return out;
}

std::vector<ByteRange> mergedWithNext(const std::vector<Part>& parts) {
    std::vector<ByteRange> out;
    bool following = false;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (part->matched && !following && !out.empty())
            out.back().begin = part->range.begin;
        else
            out.push_back(part->range);
        following = part->matched;
    }
    std::ranges::reverse(out);
    return out;
}

std::vector<ByteRange> arranged(const std::vector<Part>& parts, SplitBehaviour behaviour) {
    std::vector<ByteRange> out;
    switch (behaviour) {
        case SplitBehaviour::Removed:
            for (const Part& part : parts)
                if (!part.matched) out.push_back(part.range);
            return out;
        case SplitBehaviour::Isolated:
            for (const Part& part : parts) out.push_back(part.range);
            return out;
        case SplitBehaviour::Contiguous:
            return contiguous(parts);
        case SplitBehaviour::MergedWithPrevious:
            return mergedWithPrevious(parts);
        case SplitBehaviour::MergedWithNext:
            return mergedWithNext(parts);
    }
    return out;
}

void appendRanges(std::vector<Piece>& out, const Piece& whole,
                  const std::vector<ByteRange>& ranges) {
    for (const ByteRange range : ranges)
        if (range.begin < range.end)
            out.push_back({{whole.range.begin + range.begin, whole.range.begin + range.end},
                           whole.valid,
                           whole.first && range.begin == 0});
}

Status cut(PatternMatcher& matcher, const Pattern& pattern, const SplitStep& step, Pieces& pieces) {
    std::vector<Piece> finer;
    finer.reserve(pieces.list.size());
    for (const Piece& piece : pieces.list) {
        if (!piece.valid) {
            finer.push_back(piece);
            continue;
        }
        LACUNA_TRY(const std::vector<Part> parts,
                   partsOf(matcher, pattern, pieces.at(piece), step.invert));
        appendRanges(finer, piece, arranged(parts, step.behaviour));
    }
    pieces.list = std::move(finer);
    return {};
}

/// Returns whether another piece may be added to `out`.
bool withinBudget(const Pieces& out, TextWork& work) {
    return work.spend() && work.holds(out.text.size() + out.list.size());
}

Pieces withPrefixSpace(const Pieces& pieces, TextWork& work) {
    Pieces out;
    for (const Piece& piece : pieces.list) {
        if (!withinBudget(out, work)) break;
        const std::string_view text = pieces.at(piece);
        out.append(text.starts_with(' ') ? std::string(text) : ' ' + std::string(text), piece.valid,
                   piece.first);
    }
    return out;
}

Pieces inByteAlphabet(const Pieces& pieces, TextWork& work) {
    Pieces out;
    out.text.reserve(pieces.text.size() * 2);
    for (const Piece& piece : pieces.list) {
        if (!withinBudget(out, work)) break;
        out.append(toByteAlphabet(pieces.at(piece)), true, piece.first);
    }
    return out;
}

std::string withMarks(std::string_view text, const SplitStep& step, bool first) {
    std::string marked;
    marked.reserve(text.size() + text.size() / 4 + step.replacement.size());
    for (const char c : text) {
        if (c == ' ')
            marked += step.replacement;
        else
            marked += c;
    }
    const bool wanted = step.prepend == SplitStep::Prepend::Always ||
                        (step.prepend == SplitStep::Prepend::First && first);
    if (wanted && !marked.starts_with(step.replacement)) marked.insert(0, step.replacement);
    return marked;
}

Pieces metaspaced(const Pieces& pieces, const SplitStep& step, TextWork& work) {
    Pieces out;
    for (const Piece& piece : pieces.list) {
        if (!withinBudget(out, work)) break;
        const std::string marked = withMarks(pieces.at(piece), step, piece.first);
        std::size_t begin = 0;
        while (step.cutBefore && begin < marked.size()) {
            const std::size_t next = marked.find(step.replacement, begin + 1);
            if (next == std::string::npos) break;
            out.append(std::string_view(marked).substr(begin, next - begin), piece.valid,
                       piece.first && begin == 0);
            begin = next;
        }
        out.append(std::string_view(marked).substr(begin), piece.valid, piece.first && begin == 0);
    }
    return out;
}

Pieces whole(std::string_view text, TextPosition place) {
    Pieces pieces{std::string(text), {}};
    for (const Utf8Run& run : utf8Runs(text))
        pieces.list.push_back(
            {run.range, run.valid, place == TextPosition::Start && run.range.begin == 0});
    return pieces;
}

}  // namespace

Result<Pretokenizer> Pretokenizer::named(std::string_view rule) {
    if (const SplittingRule* known = findSplittingRule(rule)) return fromSteps(stepsOf(*known));
    return fail(ErrorCode::TokPreUnknown,
                format("the splitting rule \"{}\" is not supported, and another rule would give "
                       "wrong tokens; supported are: {}",
                       rule, knownSplittingRules()));
}

Result<Pretokenizer> Pretokenizer::fromSteps(std::span<const SplitStep> steps) {
    if (steps.size() > kMaxSteps)
        return fail(ErrorCode::TokRegex,
                    format("{} splitting steps; at most {} are allowed", steps.size(), kMaxSteps));
    std::vector<Step> made;
    for (const SplitStep& step : steps) {
        made.push_back({step, std::nullopt});
        if (step.replacement.size() > kMaxReplacement)
            return fail(ErrorCode::TokConfig,
                        format("a splitting step replaces spaces by {} bytes; expected one "
                               "character",
                               step.replacement.size()));
        if (step.kind != SplitStep::Kind::Pattern) continue;
        LACUNA_TRY(made.back().pattern, Pattern::compile(step.pattern));
    }
    return Pretokenizer(std::move(made));
}

Result<SplitText> Pretokenizer::split(std::string_view text, TextPosition place,
                                      TextWork& work) const {
    PatternMatcher matcher(&work);
    Pieces pieces = whole(text, place);
    for (const Step& step : steps_) {
        switch (step.what.kind) {
            case SplitStep::Kind::Pattern:
                LACUNA_TRY_STATUS(cut(matcher, *step.pattern, step.what, pieces));
                break;
            case SplitStep::Kind::PrefixSpace:
                pieces = withPrefixSpace(pieces, work);
                break;
            case SplitStep::Kind::ByteAlphabet:
                pieces = inByteAlphabet(pieces, work);
                break;
            case SplitStep::Kind::Metaspace:
                pieces = metaspaced(pieces, step.what, work);
                break;
        }
        work.spendBytes(pieces.text.size());
        LACUNA_TRY_STATUS(work.status());
    }
    SplitText out{std::move(pieces.text), {}};
    out.pieces.reserve(pieces.list.size());
    for (const Piece& piece : pieces.list) out.pieces.push_back(piece.range);
    return out;
}

}  // namespace lacuna
