#include "engine/template/marked_text.h"

#include <algorithm>
#include <utility>

namespace lacuna {

MarkedText::MarkedText(std::string text, Source source) : bytes_(std::move(text)) {
    if (!bytes_.empty()) runs_.push_back({bytes_.size(), source});
}

void MarkedText::append(std::string_view text, Source source) {
    if (text.empty()) return;
    bytes_.append(text);
    if (!runs_.empty() && runs_.back().source == source)
        runs_.back().end = bytes_.size();
    else
        runs_.push_back({bytes_.size(), source});
}

void MarkedText::append(const MarkedText& other) {
    std::size_t begin = 0;
    for (const Run& run : other.runs_) {
        append(std::string_view(other.bytes_).substr(begin, run.end - begin), run.source);
        begin = run.end;
    }
}

MarkedText MarkedText::slice(std::size_t begin, std::size_t end) const {
    MarkedText part;
    auto run = std::upper_bound(runs_.begin(), runs_.end(), begin,
                                [](std::size_t at, const Run& r) { return at < r.end; });
    while (begin < end) {
        const std::size_t stop = std::min(end, run->end);
        part.append(std::string_view(bytes_).substr(begin, stop - begin), run->source);
        begin = stop;
        ++run;
    }
    return part;
}

MarkedText MarkedText::mapped(const std::function<std::string(std::string_view)>& change) const {
    MarkedText out;
    std::size_t begin = 0;
    for (const Run& run : runs_) {
        out.append(change(std::string_view(bytes_).substr(begin, run.end - begin)), run.source);
        begin = run.end;
    }
    return out;
}

std::size_t MarkedText::characterCount() const {
    std::size_t count = 0;
    for (std::size_t at = 0; at < bytes_.size(); ++count) {
        const Utf8Char c = utf8CharAt(bytes_, at);
        at += c.form == Utf8Char::Form::Whole ? c.bytes : 1;
    }
    return count;
}

ByteRange MarkedText::character(std::size_t index) const {
    for (std::size_t at = 0;; --index) {
        const Utf8Char c = utf8CharAt(bytes_, at);
        const std::size_t length = c.form == Utf8Char::Form::Whole ? c.bytes : 1;
        if (index == 0) return {at, at + length};
        at += length;
    }
}

std::vector<ByteRange> MarkedText::characters() const {
    std::vector<ByteRange> out;
    out.reserve(bytes_.size());
    for (std::size_t at = 0; at < bytes_.size();) {
        const Utf8Char c = utf8CharAt(bytes_, at);
        const std::size_t length = c.form == Utf8Char::Form::Whole ? c.bytes : 1;
        out.push_back({at, at + length});
        at += length;
    }
    return out;
}

std::vector<PromptSpan> MarkedText::spans() const {
    std::vector<PromptSpan> out;
    std::size_t begin = 0;
    for (const Run& run : runs_) {
        out.push_back({bytes_.substr(begin, run.end - begin), run.source});
        begin = run.end;
    }
    return out;
}

}  // namespace lacuna
