#pragma once
/// \file
/// A string that records the author of every byte: the template or a message. Every operation of
/// the template language keeps the marks, so that message text cannot become a control token,
/// however it is cut and joined. A value type; owned by one thread.

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
    /// Returns the bytes [begin, end). @pre begin <= end <= size()
    [[nodiscard]] MarkedText slice(std::size_t begin, std::size_t end) const;
    /// Applies `change` to each run with one author.
    [[nodiscard]] MarkedText mapped(
        const std::function<std::string(std::string_view)>& change) const;
    [[nodiscard]] std::size_t characterCount() const;
    /// Returns the byte range of the character at an index. @pre index < characterCount()
    [[nodiscard]] ByteRange character(std::size_t index) const;
    /// Returns the byte ranges of all characters; an invalid byte counts as one character.
    [[nodiscard]] std::vector<ByteRange> characters() const;
    /// Returns the runs with one author, in order.
    [[nodiscard]] std::vector<PromptSpan> spans() const;

  private:
    struct Run {
        std::size_t end = 0;
        Source source = Source::Template;
    };
    std::string bytes_;
    std::vector<Run> runs_;  // ends ascend, the last one is size(); neighbours have different
                             // authors
};

}  // namespace lacuna
