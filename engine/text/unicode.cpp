#include "engine/text/unicode.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace lacuna {
namespace {

constexpr std::size_t kMaxCombiningRun = 256;
// No character below U+0300 changes under NFC or composes with one of its own kind.
constexpr unsigned char kFirstComposingLead = 0xCC;

struct LeadByte {
    std::size_t length = 0;  // of the whole character; 0 when no character starts so
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

bool isCombining(char32_t codePoint) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(codePoint))->combining_class != 0;
}

void appendComposed(std::string& out, std::string_view valid) {
    if (!mayChangeUnderNfc(valid)) {
        out.append(valid);
        return;
    }
    utf8proc_uint8_t* composed = nullptr;
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const utf8proc_ssize_t length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                     static_cast<utf8proc_ssize_t>(valid.size()), &composed, options);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
    if (length < 0) {  // out of memory inside the library: the text itself is still right
        out.append(valid);
        return;
    }
    out.append(reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length));
}

void appendValidRun(std::string& out, std::string_view valid) {
    std::size_t begin = 0;
    std::size_t marks = 0;
    for (std::size_t at = 0; at < valid.size();) {
        const Utf8Char c = utf8CharAt(valid, at);
        marks = c.codePoint >= 0x300 && isCombining(c.codePoint) ? marks + 1 : 0;
        at += c.bytes;
        if (marks == kMaxCombiningRun) {
            appendComposed(out, valid.substr(begin, at - begin));
            begin = at;
            marks = 0;
        }
    }
    appendComposed(out, valid.substr(begin));
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

std::string toNfc(std::string_view text) {
    if (!mayChangeUnderNfc(text)) return std::string(text);
    std::string out;
    out.reserve(text.size());
    for (const Utf8Run& run : utf8Runs(text)) {
        const std::string_view part = text.substr(run.range.begin, run.range.end - run.range.begin);
        if (run.valid)
            appendValidRun(out, part);
        else
            out.append(part);
    }
    return out;
}

}  // namespace lacuna
