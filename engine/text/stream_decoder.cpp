#include "engine/text/stream_decoder.h"

#include <string_view>

#include "engine/text/unicode.h"

namespace lacuna {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Moves all whole characters out of `pending`; only a character still open stays.
std::string takeWhole(std::string& pending) {
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
    return takeWhole(pending_);
}

std::string StreamDecoder::finish() {
    if (pending_.empty()) return {};
    pending_.clear();
    return std::string(kReplacement);
}

}  // namespace lacuna
