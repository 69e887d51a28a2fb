#include "engine/text/unicode.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "engine/text/text_work.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxCombiningRun = 256;
constexpr std::size_t kPiece = 64 * 1024;  // minimum bytes processed between two checks
// No character below U+0300 changes under NFC or composes with one of its own kind.
constexpr unsigned char kFirstComposingLead = 0xCC;

struct LeadByte {
    std::size_t length = 0;  // length of the whole character; 0 for a byte that cannot start one
    unsigned char secondMin = 0x80;
    unsigned char secondMax = 0xBF;
};

LeadByte classify(unsigned char lead) {
    if (lead < 0x80) return {1, 0x80, 0xBF};
    if (lead < 0xC2) return {};
    if (lead < 0xE0) return {2, 0x80, 0xBF};
    if (lead == 0xE0) return {3, 0xA0, 0xBF};
    if (lead == 0xED) return {3, 0x80, 0x9F};
    if (lead < 0xF0) return {3, 0x80, 0xBF};
    if (lead == 0xF0) return {4, 0x90, 0xBF};
    if (lead < 0xF4) return {4, 0x80, 0xBF};
    if (lead == 0xF4) return {4, 0x80, 0x8F};
    return {};
}

unsigned char byteAt(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

bool mayChangeUnderNfc(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= kFirstComposingLead) return true;
    return false;
}

utf8proc_category_t categoryOf(char32_t codePoint) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(codePoint));
}

bool isCombining(char32_t codePoint) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(codePoint))->combining_class != 0;
}

int optionsOf(NormalForm form) {
    switch (form) {
        case NormalForm::Nfc:
            return UTF8PROC_STABLE | UTF8PROC_COMPOSE;
        case NormalForm::Nfd:
            return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
        case NormalForm::Nfkc:
            return UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
        case NormalForm::Nfkd:
            return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
    }
    return UTF8PROC_STABLE;
}

/// Returns false if no character can change: ASCII, and for NFC everything below U+0300.
bool mayChange(std::string_view text, NormalForm form) {
    if (form == NormalForm::Nfc) return mayChangeUnderNfc(text);
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0x80) return true;
    return false;
}

void appendComposed(std::string& out, std::string_view valid, NormalForm form) {
    if (!mayChange(valid, form)) {
        out.append(valid);
        return;
    }
    utf8proc_uint8_t* composed = nullptr;
    const auto options = static_cast<utf8proc_option_t>(optionsOf(form));
    const utf8proc_ssize_t length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                     static_cast<utf8proc_ssize_t>(valid.size()), &composed, options);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
    if (length < 0) {  // the library is out of memory; the unchanged text is still valid
        out.append(valid);
        return;
    }
    out.append(reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length));
}

/// Returns whether no normalisation form combines this character with the one before it.
bool standsApart(char32_t c) {
    return c < 0x300 || (c >= 0x3400 && c < 0xA000);  // Latin, and common CJK ideographs
}

void appendValidRun(std::string& out, std::string_view valid, NormalForm form, TextWork* work) {
    std::size_t begin = 0;
    std::size_t marks = 0;
    for (std::size_t at = 0; at < valid.size();) {
        const Utf8Char c = utf8CharAt(valid, at);
        if (at - begin >= kPiece && standsApart(c.codePoint)) {
            appendComposed(out, valid.substr(begin, at - begin), form);
            begin = at;
            if (work != nullptr && (!work->spend(kPiece) || !work->holds(out.size()))) return;
        }
        marks = c.codePoint >= 0x300 && isCombining(c.codePoint) ? marks + 1 : 0;
        at += c.bytes;
        if (marks == kMaxCombiningRun) {
            appendComposed(out, valid.substr(begin, at - begin), form);
            begin = at;
            marks = 0;
        }
    }
    appendComposed(out, valid.substr(begin), form);
}

}  // namespace

Utf8Char utf8CharAt(std::string_view text, std::size_t at) {
    const unsigned char first = byteAt(text, at);
    const LeadByte lead = classify(first);
    if (lead.length == 0) return {};
    if (lead.length == 1) return {Utf8Char::Form::Whole, first, 1};
    constexpr std::array<unsigned, 5> kLeadMask = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t codePoint = first & kLeadMask[lead.length];
    for (std::size_t i = 1; i < lead.length; ++i) {
        if (at + i >= text.size()) return {Utf8Char::Form::Partial, 0, i};
        const unsigned char next = byteAt(text, at + i);
        const unsigned char low = i == 1 ? lead.secondMin : 0x80;
        const unsigned char high = i == 1 ? lead.secondMax : 0xBF;
        if (next < low || next > high) return {};
        codePoint = (codePoint << 6) | (next & 0x3Fu);
    }
    return {Utf8Char::Form::Whole, codePoint, lead.length};
}

std::string utf8Encode(char32_t codePoint) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length =
        utf8proc_encode_char(static_cast<utf8proc_int32_t>(codePoint), bytes.data());
    return std::string(reinterpret_cast<const char*>(bytes.data()),
                       static_cast<std::size_t>(length));
}

std::vector<Utf8Run> utf8Runs(std::string_view text) {
    std::vector<Utf8Run> runs;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = utf8CharAt(text, at);
        const bool valid = c.form == Utf8Char::Form::Whole;
        if (runs.empty() || runs.back().valid != valid) runs.push_back({{at, at}, valid});
        at += valid ? c.bytes : 1;
        runs.back().range.end = at;
    }
    return runs;
}

std::string toNormalForm(std::string_view text, NormalForm form, TextWork* work) {
    if (!mayChange(text, form)) return std::string(text);
    std::string out;
    out.reserve(text.size());
    for (const Utf8Run& run : utf8Runs(text)) {
        const std::string_view part = text.substr(run.range.begin, run.range.end - run.range.begin);
        if (run.valid)
            appendValidRun(out, part, form, work);
        else
            out.append(part);
    }
    return out;
}

std::string toNfc(std::string_view text) {
    return toNormalForm(text, NormalForm::Nfc);
}

std::string lowerCase(char32_t codePoint) {
    if (codePoint == 0x130) return "i\xCC\x87";
    return utf8Encode(
        static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(codePoint))));
}

bool isWhiteSpace(char32_t c) {
    return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool isMark(char32_t codePoint) {
    const auto category = categoryOf(codePoint);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
           category == UTF8PROC_CATEGORY_ME;
}

bool isNonspacingMark(char32_t codePoint) {
    return categoryOf(codePoint) == UTF8PROC_CATEGORY_MN;
}

bool isOtherCharacter(char32_t codePoint) {
    const auto category = categoryOf(codePoint);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CO || category == UTF8PROC_CATEGORY_CS;
}

bool isWordCharacter(char32_t codePoint) {
    switch (categoryOf(codePoint)) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_PC:
            return true;
        default:  // of the library's enumerators; the other categories are not word characters
            return false;
    }
}

std::size_t graphemeBytes(std::string_view text, std::size_t at) {
    Utf8Char c = utf8CharAt(text, at);
    std::size_t end = at + c.bytes;
    utf8proc_int32_t state = 0;
    while (end < text.size()) {
        const Utf8Char next = utf8CharAt(text, end);
        if (next.form != Utf8Char::Form::Whole ||
            utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(c.codePoint),
                                             static_cast<utf8proc_int32_t>(next.codePoint), &state))
            break;
        c = next;
        end += next.bytes;
    }
    return end - at;
}

}  // namespace lacuna
