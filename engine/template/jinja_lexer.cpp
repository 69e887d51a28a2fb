#include "engine/template/jinja_lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "engine/base/string_format.h"
#include "engine/text/unicode.h"

namespace lacuna::jinja {
namespace {

constexpr std::size_t kMaxTemplateBytes = 1U << 20;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isNamePart(char c) {
    return isNameStart(c) || isDigit(c);
}

std::size_t skipSpaces(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Utf8Char c = utf8CharAt(text, at);
        if (c.form != Utf8Char::Form::Whole || !isSpace(c.codePoint)) break;
        at += c.bytes;
    }
    return at;
}

/// Returns `text` without trailing white space.
std::string_view rightStripped(std::string_view text) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = utf8CharAt(text, at);
        at += c.form == Utf8Char::Form::Whole ? c.bytes : 1;
        if (c.form != Utf8Char::Form::Whole || !isSpace(c.codePoint)) end = at;
    }
    return text.substr(0, end);
}

/// Converts line ends to \n and drops one at the very end, like Jinja.
std::string normalized(std::string_view source) {
    std::string out;
    out.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out += source[i];
            continue;
        }
        out += '\n';
        if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
    if (out.ends_with('\n')) out.pop_back();
    return out;
}

std::optional<unsigned> hexValue(std::string_view digits) {
    unsigned value = 0;
    for (const char c : digits) {
        unsigned digit = 0;
        if (isDigit(c))
            digit = static_cast<unsigned>(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = static_cast<unsigned>(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = static_cast<unsigned>(c - 'A' + 10);
        else
            return std::nullopt;
        value = value * 16 + digit;
    }
    return value;
}

class Lexer {
  public:
    explicit Lexer(std::string_view source) : source_(source) {}

    Result<std::vector<Token>> run() {
        while (at_ < source_.size()) LACUNA_TRY_STATUS(dataThenTag());
        add(Token::Kind::End, "");
        return std::move(tokens_);
    }

  private:
    struct TagStart {
        std::size_t at = 0;
        char kind = 0;  // '{' output, '%' block, '#' comment; 0 at the end of the text
        char sign = 0;  // '-', '+' or 0
    };

    TagStart findTagStart() const {
        for (std::size_t at = at_; at + 1 < source_.size(); ++at) {
            const char next = source_[at + 1];
            if (source_[at] != '{' || (next != '{' && next != '%' && next != '#')) continue;
            const char sign = at + 2 < source_.size() ? source_[at + 2] : '\0';
            return {at, next, sign == '-' || sign == '+' ? sign : '\0'};
        }
        return {source_.size(), 0, 0};
    }

    /// Returns the text before a tag, trimmed according to the tag's sign and lstrip_blocks.
    std::string_view dataBefore(const TagStart& tag) const {
        const std::string_view data = source_.substr(at_, tag.at - at_);
        if (tag.sign == '-') return rightStripped(data);
        const bool block = tag.kind == '%' || tag.kind == '#';
        if (!block || tag.sign == '+') return data;
        const std::size_t lineBreak = data.rfind('\n');
        const bool onOwnLine = lineBreak != std::string_view::npos || lineStarting_;
        const std::size_t lineBegin = lineBreak == std::string_view::npos ? 0 : lineBreak + 1;
        const bool blank = rightStripped(data.substr(lineBegin)).empty();
        return onOwnLine && blank ? data.substr(0, lineBegin) : data;
    }

    Status dataThenTag() {
        const TagStart tag = findTagStart();
        const std::string_view data = dataBefore(tag);
        if (!data.empty()) add(Token::Kind::Data, std::string(data));
        at_ = tag.at;
        if (tag.kind == 0) return {};
        const Place start = placeAt(at_);
        at_ += 2 + (tag.sign != 0 ? 1U : 0U);
        if (tag.kind == '#') return comment(start);
        if (tag.kind == '%' && isRaw()) return raw(start);
        add(tag.kind == '{' ? Token::Kind::OutputOpen : Token::Kind::BlockOpen,
            tag.kind == '{' ? "{{" : "{%", start);
        return inside(tag.kind == '{' ? "}}" : "%}", start);
    }

    Status comment(Place start) {
        const std::size_t end = source_.find("#}", at_);
        if (end == std::string_view::npos)
            return fail(ErrorCode::TplSyntax,
                        format("{}: the comment {{# is not closed", describe(start)));
        const char sign = end > at_ ? source_[end - 1] : '\0';
        closeTag(end + 2, sign, true);
        return {};
    }

    bool isRaw() const {
        const std::size_t name = skipSpaces(source_, at_);
        return source_.substr(name, 3) == "raw" &&
               (name + 3 >= source_.size() || !isNamePart(source_[name + 3]));
    }

    /// {% raw %} ... {% endraw %}: the contents are plain text.
    Status raw(Place start) {
        const std::size_t open = source_.find("%}", at_);
        std::size_t close = open;
        while (close != std::string_view::npos) {
            close = source_.find("{%", close);
            if (close == std::string_view::npos) break;
            std::size_t name = close + 2;
            if (name < source_.size() && (source_[name] == '-' || source_[name] == '+')) ++name;
            name = skipSpaces(source_, name);
            if (source_.substr(name, 6) == "endraw") break;
            close += 2;
        }
        const std::size_t end = close == std::string_view::npos ? close : source_.find("%}", close);
        if (open == std::string_view::npos || end == std::string_view::npos)
            return fail(ErrorCode::TplSyntax,
                        format("{}: {{% raw %}} is not closed", describe(start)));
        const bool strip = source_[open - 1] == '-';
        std::size_t begin = open + 2;
        if (strip)
            begin = skipSpaces(source_, begin);
        else if (begin < close && source_[begin] == '\n')
            ++begin;
        at_ = std::min(begin, close);
        lineStarting_ = at_ > 0 && source_[at_ - 1] == '\n';
        const char sign = source_[close + 2];
        const std::string_view data =
            dataBefore({close, '%', sign == '-' || sign == '+' ? sign : '\0'});
        if (!data.empty()) add(Token::Kind::Data, std::string(data));
        closeTag(end + 2, source_[end - 1], true);
        return {};
    }

    /// Moves past a tag that ends at `end`.
    void closeTag(std::size_t end, char sign, bool trimsNewline) {
        at_ = end;
        if (sign == '-')
            at_ = skipSpaces(source_, at_);
        else if (trimsNewline && sign != '+' && at_ < source_.size() && source_[at_] == '\n')
            ++at_;
        lineStarting_ = source_[at_ - 1] == '\n';
    }

    Status inside(std::string_view close, Place start) {
        int open = 0;  // open brackets: }} inside a dictionary does not end the tag
        for (;;) {
            at_ = skipSpaces(source_, at_);
            if (at_ >= source_.size())
                return fail(ErrorCode::TplSyntax,
                            format("{}: the tag is not closed by {}", describe(start), close));
            if (open == 0 && endsHere(close)) return {};
            LACUNA_TRY_STATUS(oneToken(open));
        }
    }

    bool endsHere(std::string_view close) {
        const char sign = source_[at_];
        const std::size_t skip = sign == '-' || sign == '+' ? 1 : 0;
        if (source_.substr(at_ + skip, 2) != close) return false;
        const bool block = close == "%}";
        add(block ? Token::Kind::BlockEnd : Token::Kind::OutputEnd, std::string(close));
        closeTag(at_ + skip + 2, skip == 1 ? sign : '\0', block);
        return true;
    }

    Status oneToken(int& open) {
        const char c = source_[at_];
        if (c == '\'' || c == '"') return textLiteral(c);
        if (isDigit(c)) {
            number();
            return {};
        }
        if (isNameStart(c)) {
            std::size_t end = at_;
            while (end < source_.size() && isNamePart(source_[end])) ++end;
            add(Token::Kind::Name, std::string(source_.substr(at_, end - at_)));
            at_ = end;
            return {};
        }
        constexpr std::array<std::string_view, 26> kOperators = {
            "==", "!=", "<=", ">=", "//", "**", "+", "-", "*", "/", "%", "~", "<",
            ">",  "=",  "(",  ")",  "[",  "]",  "{", "}", ",", ".", ":", "|", ";"};
        for (const std::string_view op : kOperators) {
            if (source_.substr(at_, op.size()) != op) continue;
            if (op == "(" || op == "[" || op == "{") ++open;
            if (op == ")" || op == "]" || op == "}") open = std::max(0, open - 1);
            add(Token::Kind::Operator, std::string(op));
            at_ += op.size();
            return {};
        }
        const Utf8Char found = utf8CharAt(source_, at_);
        return fail(
            ErrorCode::TplSyntax,
            format("{}: \"{}\" does not belong in a tag", describe(placeAt(at_)),
                   found.form == Utf8Char::Form::Whole ? source_.substr(at_, found.bytes)
                                                       : std::string_view("an invalid byte")));
    }

    /// Returns the position of the exponent's digits, or `at` if there is no exponent.
    std::size_t exponentAt(std::size_t at) const {
        if (at >= source_.size() || (source_[at] != 'e' && source_[at] != 'E')) return at;
        std::size_t digits = at + 1;
        if (digits < source_.size() && (source_[digits] == '+' || source_[digits] == '-')) ++digits;
        return digits < source_.size() && isDigit(source_[digits]) ? digits : at;
    }

    /// Reads 0x1f, 0o17 or 0b101 as decimal digits; returns false without reading if there is no
    /// such number.
    bool basedNumber() {
        constexpr std::string_view kLetters = "xXoObB";
        constexpr std::array<int, 3> kBases = {16, 8, 2};
        const char letter = at_ + 1 < source_.size() ? source_[at_ + 1] : '\0';
        const std::size_t which = kLetters.find(letter);
        if (source_[at_] != '0' || letter == '\0' || which == std::string_view::npos) return false;
        std::string digits;
        std::size_t end = at_ + 2;
        for (; end < source_.size() && isNamePart(source_[end]); ++end)
            if (source_[end] != '_') digits += source_[end];
        std::uint64_t value = 0;
        const auto parsed =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, kBases[which / 2]);
        if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return false;
        add(Token::Kind::Number, format("{}", value));
        at_ = end;
        return true;
    }

    void number() {
        if (basedNumber()) return;
        std::string digits;
        const auto take = [&] {
            while (at_ < source_.size() && (isDigit(source_[at_]) || source_[at_] == '_')) {
                if (source_[at_] != '_') digits += source_[at_];
                ++at_;
            }
        };
        const Place place = placeAt(at_);
        take();
        if (at_ + 1 < source_.size() && source_[at_] == '.' && isDigit(source_[at_ + 1])) {
            digits += source_[at_++];
            take();
        }
        if (const std::size_t power = exponentAt(at_); power > at_) {
            digits += source_.substr(at_, power - at_);
            at_ = power;
            take();
        }
        add(Token::Kind::Number, digits, place);
    }

    Status textLiteral(char quote) {
        const Place place = placeAt(at_);
        std::string text;
        std::size_t at = at_ + 1;
        for (; at < source_.size() && source_[at] != quote; ++at) {
            if (source_[at] != '\\' || at + 1 >= source_.size()) {
                text += source_[at];
                continue;
            }
            LACUNA_TRY(at, unescape(at + 1, text));
        }
        if (at >= source_.size())
            return fail(ErrorCode::TplSyntax,
                        format("{}: the string is not closed", describe(place)));
        at_ = at + 1;
        add(Token::Kind::Text, text, place);
        return {};
    }

    /// Appends the character of the escape whose letter is at `at`; returns the position of its
    /// last byte.
    Result<std::size_t> unescape(std::size_t at, std::string& text) const {
        constexpr std::string_view kLetters = "ntrbfav0\\'\"";
        constexpr std::string_view kMeanings{"\n\t\r\b\f\a\v\0\\'\"", 11};
        const char letter = source_[at];
        if (letter == '\n') return at;  // line continuation
        if (const std::size_t which = kLetters.find(letter); which != std::string_view::npos) {
            text += kMeanings[which];
            return at;
        }
        const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
        if (digits == 0) {  // unknown escapes are kept, as in Python
            text.append({'\\', letter});
            return at;
        }
        const std::string_view hex = source_.substr(at + 1, digits);
        const auto value = hex.size() == digits ? hexValue(hex) : std::nullopt;
        if (!value || *value > 0x10FFFF || (*value >= 0xD800 && *value < 0xE000))
            return fail(ErrorCode::TplSyntax, format("{}: the escape \\{}{} is not a character",
                                                     describe(placeAt(at)), letter, hex));
        text += utf8Encode(*value);
        return at + digits;
    }

    void add(Token::Kind kind, std::string text) { add(kind, std::move(text), placeAt(at_)); }
    void add(Token::Kind kind, std::string text, Place place) {
        tokens_.push_back({kind, std::move(text), place});
    }

    /// Positions are nearly always requested in ascending order, so counting continues from the
    /// last one.
    Place placeAt(std::size_t at) const {
        if (at < countedTo_) {
            countedTo_ = 0;
            counted_ = {};
        }
        for (; countedTo_ < at; ++countedTo_) {
            const auto byte = static_cast<unsigned char>(source_[countedTo_]);
            if (byte == '\n')
                counted_ = {counted_.line + 1, 1};
            else if ((byte & 0xC0) != 0x80)
                ++counted_.column;
        }
        return counted_;
    }

    std::string_view source_;
    std::size_t at_ = 0;
    bool lineStarting_ = true;
    std::vector<Token> tokens_;
    mutable std::size_t countedTo_ = 0;
    mutable Place counted_;
};

}  // namespace

bool isSpace(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

std::string describe(Place place) {
    return format("line {}, column {}", place.line, place.column);
}

Result<std::vector<Token>> tokenize(std::string_view source) {
    if (source.size() > kMaxTemplateBytes)
        return fail(ErrorCode::TplLimit, format("the template has {} bytes; at most {} are allowed",
                                                source.size(), kMaxTemplateBytes));
    const std::string text = normalized(source);
    return Lexer(text).run();
}

}  // namespace lacuna::jinja
