#include "engine/text/pattern_syntax.h"

#include <array>
#include <vector>

// One pass over the pattern. `atom_` is where the last atom begins in the output, so that a
// quantifier can put it into a group. A class without "&&" and without nested classes is copied;
// the others become alternatives and look-aheads over single characters: [a[^b]] is (?:[a]|[^b]),
// [a&&b] is (?:(?=[a])[b]), and a negated one is (?!...) before any character.

namespace lacuna {
namespace {

constexpr std::string_view kSpace = R"(\p{White_Space})";
constexpr std::string_view kNoSpace = R"(\P{White_Space})";
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
constexpr std::string_view kAnyCharacter = R"((?s:.))";
constexpr int kMaxNesting = 32;

/// Patterns of known families that walk a long run again from each of its characters, and others
/// that find the same pieces in one walk: where the first character of a run finds nothing, none
/// does; and after one group of digits the next ones are known to fit.
struct Rewritten {
    std::string_view pattern;
    std::string_view pcre;
};
constexpr std::array<Rewritten, 2> kLinear = {{
    {R"(\s+$)", R"(\p{White_Space}+$|\p{White_Space}+(*SKIP)(*FAIL))"},
    {R"(\d{1,3}(?=(?:\d{3})*\b))", R"((?<=\d)\G\d{3}|\d{1,3}(?=(?:\d{3})*\b)|\d+(*SKIP)(*FAIL))"},
}};

bool isHex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

class Translation {
  public:
    explicit Translation(std::string_view pattern) : in_(pattern) {}

    std::string run() {
        for (const Rewritten& one : kLinear)
            if (in_ == one.pattern) return std::string(one.pcre);
        while (at_ < in_.size()) step();
        return std::move(out_);
    }

  private:
    void step() {
        const char c = in_[at_];
        if (c == '\\') {
            atom_ = out_.size();
            out_ += escape(false);
        } else if (c == '[') {
            atom_ = out_.size();
            out_ += characterClass();
        } else if (c == '(') {
            openGroup();
        } else if (c == ')') {
            closeGroup();
        } else if (c == '{') {
            interval();
        } else {
            if (c != '*' && c != '+' && c != '?' && (static_cast<unsigned char>(c) & 0xC0) != 0x80)
                atom_ = out_.size();
            out_ += c;
            ++at_;
        }
    }

    /// An escape, as one item of a class or as an atom.
    std::string escape(bool inClass) {
        if (at_ + 1 >= in_.size()) {
            ++at_;
            return "\\";
        }
        const char kind = in_[at_ + 1];
        at_ += 2;
        switch (kind) {
            case 's':
                return std::string(kSpace);
            case 'S':
                return std::string(kNoSpace);
            case 'w':
                return inClass ? std::string(kWord) : '[' + std::string(kWord) + ']';
            case 'W':
                return inClass ? R"(\W)" : "[^" + std::string(kWord) + ']';
            case 'h':
                return inClass ? "0-9a-fA-F" : "[0-9a-fA-F]";
            case 'H':
                return inClass ? R"(\H)" : "[^0-9a-fA-F]";
            case 'u':
                return codeUnit();
            default:
                return {'\\', kind};
        }
    }

    std::string codeUnit() {
        std::size_t digits = 0;
        while (digits < 4 && at_ + digits < in_.size() && isHex(in_[at_ + digits])) ++digits;
        if (digits < 4) return R"(\u)";
        const std::string hex(in_.substr(at_, 4));
        at_ += 4;
        return R"(\x{)" + hex + '}';
    }

    void openGroup() {
        groups_.push_back(out_.size());
        out_ += in_[at_++];
        if (at_ + 1 >= in_.size() || in_[at_] != '?') return;
        std::size_t end = at_ + 1;
        while (end < in_.size() && (in_[end] == 'i' || in_[end] == 'm' || in_[end] == 'x' ||
                                    in_[end] == 's' || in_[end] == '-'))
            ++end;
        if (end >= in_.size() || (in_[end] != ')' && in_[end] != ':')) return;
        for (; at_ < end; ++at_) out_ += in_[at_] == 'm' ? 's' : in_[at_];
    }

    void closeGroup() {
        if (!groups_.empty()) {
            atom_ = groups_.back();
            groups_.pop_back();
        }
        out_ += in_[at_++];
    }

    void interval() {
        std::size_t end = at_ + 1;
        while (end < in_.size() && ((in_[end] >= '0' && in_[end] <= '9') || in_[end] == ',')) ++end;
        if (end >= in_.size() || in_[end] != '}' || end == at_ + 1) {
            atom_ = out_.size();
            out_ += in_[at_++];
            return;
        }
        out_ += in_.substr(at_, end + 1 - at_);
        at_ = end + 1;
        if (at_ >= in_.size() || in_[at_] != '+') return;
        out_.insert(atom_, "(?:");
        out_ += ')';
    }

    /// [...] from its bracket on. One that does not end stays open, for PCRE2 to refuse.
    std::string characterClass() {
        ++at_;
        const bool negated = at_ < in_.size() && in_[at_] == '^';
        if (negated) ++at_;
        ClassSides sides;
        for (bool first = true; at_ >= in_.size() || in_[at_] != ']' || first; first = false) {
            if (at_ >= in_.size()) return "[";
            addToClass(sides);
        }
        ++at_;
        return sides.joined(negated);
    }

    /// What was read of a class: sides of "&&", the last of them still open.
    struct ClassSides {
        std::vector<std::string> closed;
        std::string items;
        std::vector<std::string> nested;

        void close() {
            std::string side = items.empty() ? "" : '[' + items + ']';
            for (const std::string& one : nested) side += (side.empty() ? "" : "|") + one;
            closed.push_back(side.empty() ? "(?!)" : "(?:" + side + ')');
            items.clear();
            nested.clear();
        }
        std::string joined(bool negated) {
            if (closed.empty() && nested.empty()) return (negated ? "[^" : "[") + items + ']';
            close();
            std::string all = "(?:";
            for (std::size_t i = 0; i + 1 < closed.size(); ++i) all += "(?=" + closed[i] + ')';
            all += closed.back() + ')';
            if (!negated) return all;
            return "(?:(?!" + all + ')' + std::string(kAnyCharacter) + ')';
        }
        /// A plain class inside another one adds its items.
        void addNested(const std::string& one) {
            if (one.size() > 2 && one[0] == '[' && one[1] != '^')
                items += one.substr(1, one.size() - 2);
            else
                nested.push_back(one);
        }
    };

    /// The next item of a class. @pre at_ < in_.size()
    void addToClass(ClassSides& sides) {
        const char c = in_[at_];
        if (c == '\\') {
            sides.items += escape(true);
        } else if (in_.substr(at_, 2) == "[:") {
            const std::size_t end = in_.find(":]", at_ + 2);
            const std::size_t stop = end == std::string_view::npos ? at_ + 1 : end + 2;
            sides.items += in_.substr(at_, stop - at_);
            at_ = stop;
        } else if (c == '[') {
            if (++nesting_ > kMaxNesting) at_ = in_.size();  // PCRE2 says that it has no end
            sides.addNested(at_ < in_.size() ? characterClass() : std::string("["));
            --nesting_;
        } else if (in_.substr(at_, 2) == "&&") {
            sides.close();
            at_ += 2;
        } else {
            sides.items += c == ']' ? std::string("\\]") : std::string(1, c);
            ++at_;
        }
    }

    std::string_view in_;
    std::string out_;
    std::size_t at_ = 0;
    std::size_t atom_ = 0;
    int nesting_ = 0;
    std::vector<std::size_t> groups_;
};

}  // namespace

std::string toPcreSyntax(std::string_view pattern) {
    return Translation(pattern).run();
}

}  // namespace lacuna
