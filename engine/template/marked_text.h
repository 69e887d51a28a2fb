#pragma once
/// \file
/// A string that remembers, byte for byte, who wrote it: the template or a message. Every operation
/// of the template language keeps the marks, so that nothing a person wrote can pass for a control
/// token however it was cut and joined. A value type; owned by one thread.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/template/chat_message.h"
#include "engine/text/unicode.h"

namespace lacuna {

class MarkedText {
  public:
    using Source = PromptSpan::Source;

    MarkedText() = default;
    explicit MarkedText(std::string text, Source source = Source::Template);

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }

    void append(const MarkedText& other);
    void append(std::string_view text, Source source = Source::Template);
    /// Bytes [begin, end). @pre begin <= end <= size()
    [[nodiscard]] MarkedText slice(std::size_t begin, std::size_t end) const;
    /// Each stretch of one writer replaced by what `change` makes of it.
    [[nodiscard]] MarkedText mapped(
        const std::function<std::string(std::string_view)>& change) const;
    [[nodiscard]] std::size_t characterCount() const;
    /// The character at an index of them. @pre index < characterCount()
    [[nodiscard]] ByteRange character(std::size_t index) const;
    /// Byte ranges of the characters; an invalid byte counts as one.
    [[nodiscard]] std::vector<ByteRange> characters() const;
    /// Stretches of one writer, in order.
    [[nodiscard]] std::vector<PromptSpan> spans() const;

  private:
    struct Run {
        std::size_t end = 0;
        Source source = Source::Template;
    };
    std::string bytes_;
    std::vector<Run> runs_;  // ends rise; the last one is size(); neighbours differ in source
};

}  // namespace lacuna
